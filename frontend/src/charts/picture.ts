import { Chart } from "chart.js";
import { isLog } from "./axes";
import { type Dataset, tooltipLabel } from "./common";
import { csvOf } from "./csv";
import { watchGestures } from "./gestures";
import { fillLegend } from "./legend";
import { lookOf } from "./look";
import { download, save, withGround } from "./png";
import { configure } from "./shapes";
import { type Axis, type ChartSpec, viewOf } from "./spec";
import { type Place, walk } from "./walk";

const ZOOM_STEP = 1.4;
const PAN_PX = 60;
const PRINT_RATIO = 3;
const EXPORT_RATIO = 2;
const PANS: Readonly<Record<string, { x?: number; y?: number }>> = {
  ArrowLeft: { x: PAN_PX },
  ArrowRight: { x: -PAN_PX },
  ArrowUp: { y: PAN_PX },
  ArrowDown: { y: -PAN_PX },
};
const ACTIONS: Readonly<Record<string, string>> = {
  "+": "in",
  "=": "in",
  "-": "out",
  "0": "reset",
  Escape: "reset",
};

function turned(axis: Axis): Axis {
  return { ...axis, scale: isLog(axis) ? "linear" : "log" };
}

/** A figure of the page with its living chart. */
export class Picture {
  private chart: Chart<"scatter"> | undefined;
  private view: string | undefined;
  private place: Place | undefined;
  /** Axes that the reader has switched between linear and logarithmic. */
  private readonly switched = new Set<string>();

  constructor(
    private readonly figure: HTMLElement,
    private readonly canvas: HTMLCanvasElement,
    private readonly spec: ChartSpec,
  ) {
    this.view = spec.views?.[0]?.key;
  }

  private shown(): ChartSpec {
    const spec = viewOf(this.spec, this.view);
    return {
      ...spec,
      ...(this.switched.has("x") ? { x: turned(spec.x) } : {}),
      ...(this.switched.has("y") ? { y: turned(spec.y) } : {}),
    };
  }

  /** Draws, or draws again in the colours that hold now; hidden series stay hidden. */
  draw(ratio?: number): void {
    const hidden = new Set(
      this.chart?.data.datasets
        .filter((_, index) => !this.chart?.isDatasetVisible(index))
        .map((one) => one.label),
    );
    this.chart?.destroy();
    const config = configure(this.shown(), lookOf(this.figure));
    if (ratio) config.options = { ...config.options, devicePixelRatio: ratio };
    const chart = new Chart(this.canvas, config) as unknown as Chart<"scatter">;
    chart.data.datasets.forEach((dataset, index) => {
      if (hidden.has(dataset.label)) chart.setDatasetVisibility(index, false);
    });
    if (hidden.size > 0) chart.update();
    this.chart = chart;
    const legend = this.figure.querySelector<HTMLElement>("[data-chart-legend]");
    if (legend) fillLegend(legend, chart);
    this.press();
    this.figure.dataset.chartState = "drawn";
  }

  /** Draws sharply for paper; `draw` brings the screen's picture back. */
  print(): void {
    this.draw(PRINT_RATIO);
  }

  listen(): void {
    this.figure.addEventListener("click", (event) => {
      const target =
        event.target instanceof Element ? event.target.closest<HTMLElement>("[data-chart-do]") : null;
      if (target) this.act(target.dataset.chartDo ?? "", target.dataset.chartKey);
    });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    watchGestures(this.canvas, () => this.chart);
  }

  private act(action: string, key?: string): void {
    if (action === "in") this.chart?.zoom(ZOOM_STEP);
    else if (action === "out") this.chart?.zoom(1 / ZOOM_STEP);
    else if (action === "reset") this.chart?.resetZoom();
    else if (action === "png") this.export();
    else if (action === "csv") save(new Blob([csvOf(this.spec)], { type: "text/csv" }), `${this.name()}.csv`);
    else if (action === "view" && key) {
      this.view = key;
      this.change();
    } else if (action === "log" && key) {
      if (!this.switched.delete(key)) this.switched.add(key);
      this.change();
    }
  }

  private change(): void {
    this.place = undefined;
    this.draw();
  }

  /** Lets the buttons say how the picture stands. */
  private press(): void {
    const spec = viewOf(this.spec, this.view);
    for (const button of this.figure.querySelectorAll<HTMLButtonElement>("[data-chart-key]")) {
      const key = button.dataset.chartKey ?? "";
      if (button.dataset.chartDo === "view") {
        button.setAttribute("aria-pressed", String(key === this.view));
        continue;
      }
      const axis = key === "x" ? spec.x : spec.y;
      button.disabled = !axis.switchable;
      button.setAttribute("aria-pressed", String(isLog(axis) !== this.switched.has(key)));
    }
  }

  private name(): string {
    return this.figure.dataset.chartName ?? this.spec.id;
  }

  private export(): void {
    const look = lookOf(this.figure);
    const view = this.spec.views?.find((one) => one.key === this.view);
    const title = view ? `${this.spec.title}: ${view.label}` : this.spec.title;
    const name = `${this.name()}${view ? `-${view.key}` : ""}.png`;
    const legend = this.figure.querySelector("[data-chart-legend]");
    const source = this.figure.dataset.chartSource ?? "";
    this.sharply(() => download(withGround(this.canvas, { title, source, legend }, look), name));
  }

  /**
   * Shows the picture as it stands, but sharply and without the words of a point, for as long as `use` takes.
   */
  private sharply(use: () => void): void {
    const { chart } = this;
    if (!chart) return;
    chart.setActiveElements([]);
    chart.tooltip?.setActiveElements([], { x: 0, y: 0 });
    chart.options.devicePixelRatio = Math.max(EXPORT_RATIO, devicePixelRatio);
    chart.resize();
    chart.update("none");
    use();
    chart.options.devicePixelRatio = devicePixelRatio;
    chart.resize();
    chart.update("none");
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = ACTIONS[event.key];
    const pan = event.shiftKey ? PANS[event.key] : undefined;
    if (pan && this.chart?.isZoomedOrPanned()) this.chart.pan(pan);
    else if (action) this.act(action);
    else if (event.shiftKey || !this.walk(event.key)) return;
    event.preventDefault();
  }

  /** Steps to another point, shows its tooltip and has it read out; says whether the key was one for it. */
  private walk(key: string): boolean {
    const { chart } = this;
    if (!chart || !/^(Arrow|Page|Home$|End$)/.test(key)) return false;
    const rows = chart.data.datasets.map((dataset, index) => ({
      visible: chart.isDatasetVisible(index),
      x: (dataset as unknown as Dataset).data.map((dot) => dot.x),
    }));
    const place = walk(rows, this.place, key);
    if (!place) return false;
    this.place = place;
    const element = chart.getDatasetMeta(place.series).data[place.index];
    const dataset = chart.data.datasets[place.series] as unknown as Dataset;
    const dot = dataset.data[place.index];
    if (!element || !dot) return false;
    const active = [{ datasetIndex: place.series, index: place.index }];
    chart.setActiveElements(active);
    chart.tooltip?.setActiveElements(active, { x: element.x, y: element.y });
    chart.update("none");
    const live = this.figure.querySelector<HTMLElement>("[data-chart-live]");
    const item = { dataset: dataset as never, parsed: { x: dot.x, y: dot.y }, raw: dot };
    if (live) live.textContent = tooltipLabel(this.shown(), item);
    return true;
  }
}
