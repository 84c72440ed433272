import type { ChartConfiguration, ChartDataset, ChartOptions, Point, TooltipItem } from "chart.js";
import { toAnnotation } from "./annotations";
import { isLog, scale } from "./axes";
import { fade, formatWithUnit } from "./format";
import { layers } from "./layers";
import type { Axis, ChartSpec, Look, Role, Series } from "./spec";

/** A point with what is drawn around it. */
export interface Dot extends Point {
  readonly x: number;
  readonly y: number;
  readonly z?: number;
  readonly low?: number;
  readonly high?: number;
  readonly q1?: number;
  readonly q3?: number;
}

export type Config = ChartConfiguration<"scatter", Dot[]>;
export type Dataset = ChartDataset<"scatter", Dot[]> & { readonly role: Role };

export const STYLES = ["circle", "triangle", "rectRot", "crossRot", "rect", "star"] as const;

/** How one series is drawn; what a shape decides for each of its series. */
export interface Stroke {
  readonly color: string;
  readonly dash?: readonly number[];
  readonly width?: number;
  readonly radius?: number;
  readonly style?: (typeof STYLES)[number];
  /** Smaller is nearer to the eye. */
  readonly order?: number;
  /** Whether a line joins the points. */
  readonly joined?: boolean;
}

/** Dashes tell lines apart where colours do not. */
export const DASHES: readonly (readonly number[])[] = [[], [7, 4], [2, 3], [9, 3, 2, 3]];

/** The colour of other units where what was measured is grey. */
export const OTHERS = 5;

export function pick<T>(list: readonly T[], index: number): T {
  return list[index % list.length] as T;
}

const MORE = ["z", "low", "high", "q1", "q3"] as const;

function toDots(series: Series): Dot[] {
  return series.x.map((x, index) => {
    const dot: Record<string, number> = { x, y: series.y[index] as number };
    for (const name of MORE) {
      const column = series[name];
      if (column?.length) dot[name] = column[index] as number;
    }
    return dot as unknown as Dot;
  });
}

/** A spread is the outline around its low and high: out along the one and back along the other. */
function outline(series: Series): Dot[] {
  const low = series.x.map((x, index) => ({ x, y: series.low?.[index] as number }));
  const high = series.x.map((x, index) => ({ x, y: series.high?.[index] as number }));
  return [...high, ...low.reverse()];
}

function points(series: Series, stroke: Stroke, count: number) {
  const style = stroke.style ?? "circle";
  const faint = series.role === "faint";
  // Many points are a cloud: small ones let its density be seen.
  const radius = stroke.radius ?? (count > 600 ? 1.5 : count > 100 ? 1.9 : 3);
  return {
    showLine: stroke.joined ?? false,
    borderWidth: stroke.width ?? 1.5,
    borderDash: [...(stroke.dash ?? [])],
    pointRadius: faint ? 1 : radius,
    pointHoverRadius: 5,
    pointBorderWidth: style === "crossRot" || style === "star" ? 1.2 : 0,
    pointStyle: style,
  };
}

/** Turns one series into a Chart.js dataset by its role. */
export function toDataset(series: Series, stroke: Stroke): Dataset {
  const { role } = series;
  const base = {
    role,
    label: series.label,
    data: role === "spread" ? outline(series) : toDots(series),
    yAxisID: series.axis ?? "y",
    borderColor: role === "faint" ? fade(stroke.color, 0.45) : stroke.color,
    backgroundColor: role === "faint" ? fade(stroke.color, 0.45) : stroke.color,
    // Points at the edge of the picture are drawn whole.
    clip: 6,
    order: stroke.order ?? (role === "faint" || role === "spread" ? 9 : 0),
  };
  if (role === "points" || role === "faint") return { ...base, ...points(series, stroke, series.x.length) };
  // Cells and boxes are drawn by `layers`; their points are there to be found by hovering.
  if (role === "cells" || role === "box")
    return { ...base, showLine: false, pointRadius: 0, pointHitRadius: 24 };
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
  if (role === "step") return { ...line, stepped: "before" };
  if (role === "band" || role === "spread") {
    return {
      ...line,
      borderWidth: stroke.width ?? 0,
      fill: "shape",
      backgroundColor: fade(stroke.color, 0.18),
    };
  }
  return line;
}

/** A value with its unit; on an axis with categories its word. */
function valueWords(axis: Axis, value: number): string {
  if (axis.categories?.length) return axis.categories[Math.round(value)] ?? "";
  return formatWithUnit(value, axis);
}

/** The ends of a bar or of a cell's range in brackets, where there are any. */
function endsWords(dot: Partial<Dot>, axis: Axis): string {
  if (dot.low === undefined || dot.high === undefined || dot.low === dot.high) return "";
  return ` (${formatWithUnit(dot.low, { ...axis, unit: "" })} to ${formatWithUnit(dot.high, axis)})`;
}

const TOOLTIP_CHARACTERS = 60;

/**
 * The words of a point as lines that fit a small picture: the series' name stands above where all is long.
 */
export function inLines(words: string): string | string[] {
  const end = words.indexOf(": ");
  return words.length > TOOLTIP_CHARACTERS && end > 0
    ? [words.slice(0, end + 1), words.slice(end + 2)]
    : words;
}

/** What hovering and walking say: the series, then y and x with their units, and the ends of a bar. */
export function tooltipLabel(
  spec: ChartSpec,
  item: Pick<TooltipItem<"scatter">, "dataset" | "parsed"> & { readonly raw?: unknown },
): string {
  const { x, y } = item.parsed;
  if (x === null || y === null) return item.dataset.label ?? "";
  const dot = (item.raw ?? {}) as Partial<Dot>;
  const axis = (item.dataset as Partial<Dataset>).yAxisID === "y2" && spec.y2 ? spec.y2 : spec.y;
  const place = valueWords(spec.x, x);
  if (dot.z !== undefined && spec.z) {
    const cell = `${formatWithUnit(dot.z, spec.z)}${endsWords(dot, spec.z)}`;
    return `${item.dataset.label}: ${cell} at ${place}, ${valueWords(axis, y)}`;
  }
  const ends = endsWords(dot, axis);
  return `${item.dataset.label}: ${valueWords(axis, y)}${ends} at ${place}`;
}

function scales(spec: ChartSpec, look: Look) {
  // A disk ends where it ends: its axis goes no further than the data, as that of the values may. Points on a
  // logarithm would lie on its ends.
  const apart = isLog(spec.x) && spec.series.every((series) => series.role === "points");
  const bounds = apart ? ("ticks" as const) : ("data" as const);
  const both = { x: { ...scale(spec.x, look), bounds }, y: scale(spec.y, look) };
  const used = spec.y2 && spec.series.some((series) => series.axis === "y2");
  return spec.y2 && used ? { ...both, y2: scale(spec.y2, look, "right") } : both;
}

function options(spec: ChartSpec, look: Look): ChartOptions<"scatter"> {
  return {
    responsive: true,
    maintainAspectRatio: false,
    animation: false,
    normalized: true,
    interaction: { mode: "nearest", axis: "xy", intersect: false },
    scales: scales(spec, look),
    plugins: {
      // The legend is a list of buttons in the page, so that a keyboard reaches it.
      legend: { display: false },
      tooltip: {
        backgroundColor: look.ink,
        titleColor: look.surface,
        bodyColor: look.surface,
        bodyFont: { family: look.font, size: 12 },
        displayColors: false,
        callbacks: { title: () => "", label: (item) => inLines(tooltipLabel(spec, item)) },
      },
      annotation: {
        clip: true,
        annotations: spec.marks.flatMap((annotation, index) => toAnnotation(annotation, look, index)),
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

/** Makes room for what is drawn around points: Chart.js asks their y alone. */
function includeEnds(config: Config, spec: ChartSpec): void {
  for (const key of ["y", "y2"] as const) {
    const axis = config.options?.scales?.[key];
    const mine = spec.series.filter((series) => (series.axis ?? "y") === key && series.role !== "cells");
    const low = mine.flatMap((series) => series.low ?? []);
    const high = mine.flatMap((series) => series.high ?? []);
    if (!axis || low.length === 0) continue;
    axis.suggestedMin = low.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
    axis.suggestedMax = high.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  }
}

/** What `8%` leaves at each end, as a share of the data's range. */
const ROOM = 0.04;

/**
 * Leaves room above and below: for an axis that does not begin at nought. Where nothing is below nought, the
 * room ends there: a bandwidth of -50 MB/s is no place on an axis.
 */
export function withRoom(config: Config, key: "y" | "y2"): void {
  const axis = config.options?.scales?.[key];
  if (!axis || !("grace" in axis)) return;
  axis.grace = "8%";
  const mine = (config.data.datasets as unknown as Dataset[]).filter((one) => one.yAxisID === key);
  const ends = mine.flatMap((one) => one.data.flatMap((dot) => [dot.low ?? dot.y, dot.high ?? dot.y]));
  const least = Math.min(...ends);
  const most = Math.max(...ends);
  if (axis.type === "linear" && least >= 0 && least < ROOM * (most - least)) axis.min = 0;
}

/**
 * Lets a linear axis begin at nought: steps, places and times are counted from there, whatever a fit says.
 */
export function fromNought(config: Config, key: "x" | "y"): void {
  const axis = config.options?.scales?.[key];
  if (axis?.type === "linear" && axis.min === undefined) axis.min = 0;
}

/**
 * The stroke of a compared group, whose key tells its letter: a group looks the same in every picture of a
 * page.
 */
function groupStroke(series: Series, look: Look): Stroke | undefined {
  const place = "abcdefgh".indexOf(/^group-([a-h])$/.exec(series.key)?.[1] ?? "-");
  if (place < 0) return undefined;
  const dash = place + Math.floor(place / DASHES.length);
  return { color: pick(look.series, place + 1), dash: pick(DASHES, dash), width: 2, order: 1 };
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
    return toDataset(series, groupStroke(series, look) ?? stroke(series, index));
  });
  const plugins = [layers(spec, look)];
  const config: Config = { type: "scatter", data: { datasets }, options: options(spec, look), plugins };
  includeEnds(config, spec);
  return config;
}
