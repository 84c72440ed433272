import type { ChartConfiguration, ChartDataset, ChartOptions, Point, TooltipItem } from "chart.js";
import type { AnnotationOptions } from "chartjs-plugin-annotation";
import { axisTitle, fade, formatTick, formatWithUnit } from "./format";
import type { Axis, ChartSpec, Look, Mark, Series } from "./spec";

export type Config = ChartConfiguration<"scatter">;
export type Dataset = ChartDataset<"scatter", Point[]>;

/** How one series is drawn; what a shape decides for each of its series. */
export interface Stroke {
  readonly color: string;
  readonly dash?: readonly number[];
  readonly width?: number;
  readonly radius?: number;
  readonly style?: "circle" | "rect" | "triangle" | "rectRot" | "crossRot";
  /** Smaller is nearer to the eye. */
  readonly order?: number;
}

/** Dashes tell lines apart where colours do not. */
export const DASHES: readonly (readonly number[])[] = [[], [7, 4], [2, 3], [9, 3, 2, 3]];

export function pick<T>(list: readonly T[], index: number): T {
  return list[index % list.length] as T;
}

function toPoints(series: Series): Point[] {
  return series.x.map((x, index) => ({ x, y: series.y[index] as number }));
}

/** Turns one series into a Chart.js dataset by its role. */
export function toDataset(series: Series, stroke: Stroke): Dataset {
  const base = {
    label: series.label,
    data: toPoints(series),
    borderColor: stroke.color,
    backgroundColor: stroke.color,
    order: stroke.order ?? 0,
  };
  if (series.role === "points") {
    return {
      ...base,
      showLine: false,
      pointRadius: stroke.radius ?? 1.8,
      pointHoverRadius: 5,
      pointBorderWidth: stroke.style === "crossRot" ? 1.2 : 0,
      pointStyle: stroke.style ?? "circle",
    };
  }
  const line = {
    ...base,
    showLine: true,
    pointRadius: 0,
    pointHoverRadius: 4,
    pointHitRadius: 6,
    borderWidth: stroke.width ?? 2,
    borderDash: [...(stroke.dash ?? [])],
  };
  // A step holds its value from its x to the next one's: a zone reaches to where the next begins.
  if (series.role === "step") return { ...line, stepped: "before" };
  // A band is an outline that walks out along its upper edge and back along the lower one.
  if (series.role === "band") return { ...line, fill: "shape", backgroundColor: fade(stroke.color, 0.18) };
  return line;
}

function scale(axis: Axis, look: Look) {
  const type: "linear" | "logarithmic" = axis.scale.startsWith("log") ? "logarithmic" : "linear";
  return {
    type,
    grace: 0,
    border: { color: look.muted },
    grid: { color: look.rule, tickColor: look.muted, tickLength: 6 },
    title: {
      display: true,
      text: axisTitle(axis),
      color: look.muted,
      font: { family: look.font, size: 12 },
    },
    ticks: {
      color: look.muted,
      font: { family: look.font, size: 11 },
      maxRotation: 0,
      autoSkipPadding: 12,
      maxTicksLimit: look.narrow ? 6 : 11,
      callback: (value: string | number) => formatTick(Number(value)),
    },
  };
}

function label(mark: Mark, look: Look) {
  return {
    display: !look.narrow,
    content: mark.label,
    color: look.ink,
    backgroundColor: fade(look.surface, 0.9),
    font: { family: look.font, size: 11, weight: "normal" as const },
    padding: 3,
    borderRadius: 2,
  };
}

/** Draws a mark: a line across the picture where one coordinate is given, a ringed point where both are. */
export function toAnnotation(mark: Mark, look: Look, index = 0): AnnotationOptions[] {
  if (mark.x !== null && mark.y !== null) {
    const at = { xValue: mark.x, yValue: mark.y };
    const ring: AnnotationOptions = {
      type: "point",
      ...at,
      radius: 6,
      borderColor: look.ink,
      borderWidth: 1.5,
      backgroundColor: "transparent",
    };
    // Words above and below by turns: marks that fall together can still be read.
    const words = { ...label(mark, look), xAdjust: 8, yAdjust: index % 2 === 0 ? -9 : 9 };
    return [ring, { type: "label", ...at, ...words, position: "start" } as const];
  }
  const vertical = mark.x !== null;
  const value = vertical ? mark.x : mark.y;
  if (value === null) return [];
  return [
    {
      type: "line",
      scaleID: vertical ? "x" : "y",
      value,
      borderColor: look.muted,
      borderWidth: 1,
      borderDash: [3, 3],
      label: { ...label(mark, look), position: vertical ? "end" : "start" },
    },
  ];
}

/** What hovering says: the series, then y and x with their units. */
export function tooltipLabel(
  spec: ChartSpec,
  item: Pick<TooltipItem<"scatter">, "dataset" | "parsed">,
): string {
  const { x, y } = item.parsed;
  if (x === null || y === null) return item.dataset.label ?? "";
  return `${item.dataset.label}: ${formatWithUnit(y, spec.y)} at ${formatWithUnit(x, spec.x)}`;
}

function options(spec: ChartSpec, look: Look): ChartOptions<"scatter"> {
  return {
    responsive: true,
    maintainAspectRatio: false,
    animation: false,
    normalized: true,
    interaction: { mode: "nearest", axis: "xy", intersect: false },
    scales: { x: scale(spec.x, look), y: scale(spec.y, look) },
    plugins: {
      // The legend is a list of buttons in the page, so that a keyboard reaches it.
      legend: { display: false },
      tooltip: {
        backgroundColor: look.ink,
        titleColor: look.surface,
        bodyColor: look.surface,
        bodyFont: { family: look.font, size: 12 },
        displayColors: false,
        callbacks: { title: () => "", label: (item) => tooltipLabel(spec, item) },
      },
      annotation: {
        clip: true,
        annotations: spec.marks.flatMap((mark, index) => toAnnotation(mark, look, index)),
      },
      zoom: {
        limits: { x: { min: "original", max: "original" }, y: { min: "original", max: "original" } },
        // A plain wheel scrolls the page; with Ctrl it zooms.
        zoom: {
          mode: "xy",
          wheel: { enabled: look.gestures, modifierKey: "ctrl" },
          drag: {
            enabled: look.gestures,
            backgroundColor: fade(look.accent, 0.13),
            borderColor: look.accent,
            borderWidth: 1,
          },
          pinch: { enabled: false },
        },
        pan: { enabled: look.gestures, mode: "xy", modifierKey: "shift" },
      },
    },
  };
}

/** Lets a linear axis begin at nought: steps, places and times are counted from there, whatever a fit says. */
export function fromNought(config: Config, key: "x" | "y"): void {
  const axis = config.options?.scales?.[key];
  if (axis?.type === "linear") axis.min = 0;
}

/** Puts a picture together from its series; `stroke` says how each is drawn. */
export function assemble(
  spec: ChartSpec,
  look: Look,
  stroke: (series: Series, index: number) => Stroke,
): Config {
  const seen = new Map<string, number>();
  const datasets = spec.series.map((series) => {
    const index = seen.get(series.role) ?? 0;
    seen.set(series.role, index + 1);
    return toDataset(series, stroke(series, index));
  });
  return { type: "scatter", data: { datasets }, options: options(spec, look) };
}
