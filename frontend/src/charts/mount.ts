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
import { Picture } from "./picture";
import { parseSpec } from "./spec";

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

/** The chart's data: in the figure itself where they are few, otherwise at its address. */
async function dataOf(figure: HTMLElement): Promise<unknown> {
  const { chart, chartUrl } = figure.dataset;
  if (chart) return JSON.parse(chart);
  const response = await fetch(chartUrl ?? "", { headers: { Accept: "application/json" } });
  if (!response.ok) throw new Error(`The server answered ${response.status} to the chart's data.`);
  return response.json();
}

function say(figure: HTMLElement, words: string): void {
  const message = figure.querySelector<HTMLElement>("[data-chart-message]");
  if (!message) return;
  message.textContent = words;
  message.hidden = false;
}

const CHARTS = "figure.chart:is([data-chart-url], [data-chart])";
const pictures = new Map<HTMLElement, Picture>();

function draw(figure: HTMLElement, data: unknown): void {
  const canvas = figure.querySelector("canvas");
  if (!canvas || pictures.has(figure)) return;
  const spec = parseSpec(data);
  if (spec.series.length === 0) {
    figure.dataset.chartState = "empty";
    say(figure, "There is no value to draw yet.");
    return;
  }
  const picture = new Picture(figure, canvas, spec);
  picture.draw();
  picture.listen();
  pictures.set(figure, picture);
}

async function show(figure: HTMLElement): Promise<void> {
  if (figure.dataset.chartState) return;
  figure.dataset.chartState = "loading";
  try {
    draw(figure, await dataOf(figure));
  } catch (error) {
    figure.dataset.chartState = "failed";
    const reason = error instanceof Error ? error.message : String(error);
    say(figure, `The picture could not be drawn. ${reason} The table below has the same data.`);
  }
}

/**
 * The same at once, for paper: the browser prints as soon as `beforeprint` has been heard, and waits for
 * nothing.
 */
function dataNow(figure: HTMLElement): unknown {
  const { chart, chartUrl } = figure.dataset;
  if (chart) return JSON.parse(chart);
  const request = new XMLHttpRequest();
  request.open("GET", chartUrl ?? "", false);
  request.send();
  return JSON.parse(request.responseText);
}

/** Draws what the reader has not scrolled to yet. */
function drawUnseen(): void {
  for (const figure of document.querySelectorAll<HTMLElement>(CHARTS)) {
    if (pictures.has(figure) || !figure.checkVisibility()) continue;
    try {
      draw(figure, dataNow(figure));
    } catch {
      // It is tried again when the reader comes to it, who is then told why.
    }
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
  for (const figure of root.querySelectorAll<HTMLElement>(CHARTS)) observer.observe(figure);
}

/** Draws all charts again, in the colours that hold now. */
export function redrawCharts(): void {
  for (const [figure, picture] of pictures) {
    if (figure.isConnected) picture.draw();
    else pictures.delete(figure);
  }
}

/**
 * Draws for paper, light and sharp, while the page is printed; and anew where the system forces its colours.
 */
export function watchSystem(): void {
  const root = document.documentElement;
  let theme: string | undefined;
  addEventListener("beforeprint", () => {
    theme = root.dataset.theme;
    root.dataset.theme = "light";
    drawUnseen();
    for (const picture of pictures.values()) picture.print();
  });
  addEventListener("afterprint", () => {
    if (theme) root.dataset.theme = theme;
    else delete root.dataset.theme;
    redrawCharts();
  });
  matchMedia("(forced-colors: active)").addEventListener("change", redrawCharts);
}
