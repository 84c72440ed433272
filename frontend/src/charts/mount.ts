import {
  Chart,
  Filler,
  LinearScale,
  LineElement,
  LogarithmicScale,
  PointElement,
  ScatterController,
  Tooltip,
} from "chart.js";
import annotation from "chartjs-plugin-annotation";
import zoom from "chartjs-plugin-zoom";
import { fillLegend } from "./legend";
import { lookOf } from "./look";
import { download, withGround } from "./png";
import { configure } from "./shapes";
import { type ChartSpec, parseSpec } from "./spec";

Chart.register(
  ScatterController,
  LineElement,
  PointElement,
  LinearScale,
  LogarithmicScale,
  Filler,
  Tooltip,
  annotation,
  zoom,
);

const ZOOM_STEP = 1.4;
const PAN_PX = 60;

/** A figure of the page with its living chart. */
class Picture {
  private chart: Chart<"scatter"> | undefined;

  constructor(
    private readonly figure: HTMLElement,
    private readonly canvas: HTMLCanvasElement,
    private readonly spec: ChartSpec,
  ) {}

  /** Draws, or draws again in the colours that hold now; hidden series stay hidden. */
  draw(): void {
    const hidden = this.chart?.data.datasets.map((_, index) => !this.chart?.isDatasetVisible(index)) ?? [];
    this.chart?.destroy();
    const config = configure(this.spec, lookOf(this.figure));
    const chart = new Chart(this.canvas, config);
    hidden.forEach((isHidden, index) => {
      chart.setDatasetVisibility(index, !isHidden);
    });
    if (hidden.some(Boolean)) chart.update();
    this.chart = chart;
    const legend = this.figure.querySelector<HTMLElement>("[data-chart-legend]");
    if (legend) fillLegend(legend, chart);
    this.figure.dataset.chartState = "drawn";
  }

  listen(): void {
    this.figure.addEventListener("click", (event) => {
      const target =
        event.target instanceof Element ? event.target.closest<HTMLElement>("[data-chart-do]") : null;
      if (target) this.act(target.dataset.chartDo ?? "");
    });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
  }

  private act(action: string): void {
    if (action === "in") this.chart?.zoom(ZOOM_STEP);
    else if (action === "out") this.chart?.zoom(1 / ZOOM_STEP);
    else if (action === "reset") this.chart?.resetZoom();
    else if (action === "png") {
      const name = `${this.figure.dataset.chartName ?? this.spec.id}.png`;
      download(withGround(this.canvas, this.spec.title, lookOf(this.figure)), name);
    }
  }

  private key(event: KeyboardEvent): void {
    const pans: Record<string, { x?: number; y?: number }> = {
      ArrowLeft: { x: PAN_PX },
      ArrowRight: { x: -PAN_PX },
      ArrowUp: { y: PAN_PX },
      ArrowDown: { y: -PAN_PX },
    };
    const actions: Record<string, string> = {
      "+": "in",
      "=": "in",
      "-": "out",
      "0": "reset",
      Escape: "reset",
    };
    const delta = pans[event.key];
    const action = actions[event.key];
    // Until zoomed in, arrows scroll the page as they do everywhere else.
    if (delta && this.chart?.isZoomedOrPanned()) this.chart.pan(delta);
    else if (action && !event.ctrlKey && !event.metaKey) this.act(action);
    else return;
    event.preventDefault();
  }
}

async function load(figure: HTMLElement, url: string): Promise<Picture | undefined> {
  const canvas = figure.querySelector("canvas");
  if (!canvas) return undefined;
  const response = await fetch(url, { headers: { Accept: "application/json" } });
  if (!response.ok) throw new Error(`The server answered ${response.status} to the chart's data.`);
  const picture = new Picture(figure, canvas, parseSpec(await response.json()));
  picture.draw();
  picture.listen();
  return picture;
}

function fail(figure: HTMLElement, error: unknown): void {
  figure.dataset.chartState = "failed";
  const message = figure.querySelector<HTMLElement>("[data-chart-message]");
  if (!message) return;
  const reason = error instanceof Error ? error.message : String(error);
  message.textContent = `The picture could not be drawn. ${reason} The table below has the same data.`;
  message.hidden = false;
}

const pictures = new Map<HTMLElement, Picture>();

async function show(figure: HTMLElement): Promise<void> {
  const url = figure.dataset.chartUrl;
  if (!url || figure.dataset.chartState) return;
  figure.dataset.chartState = "loading";
  try {
    const picture = await load(figure, url);
    if (picture) pictures.set(figure, picture);
  } catch (error) {
    fail(figure, error);
  }
}

/** Finds the charts below `root` and draws each when it comes near the window. */
export function mountCharts(root: ParentNode): void {
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        observer.unobserve(entry.target);
        void show(entry.target as HTMLElement);
      }
    },
    { rootMargin: "600px" },
  );
  for (const figure of root.querySelectorAll<HTMLElement>("figure.chart[data-chart-url]"))
    observer.observe(figure);
}

/** Draws all charts again, in the colours that hold now. */
export function redrawCharts(): void {
  for (const [figure, picture] of pictures) {
    if (figure.isConnected) picture.draw();
    else pictures.delete(figure);
  }
}
