/** The chart JSON of the archive: `server.benchmarks.contract.Chart`, as it comes over the wire. */

export type Role = "points" | "line" | "step" | "band" | "spread" | "faint" | "cells" | "box";

export interface Axis {
  readonly label: string;
  readonly unit: string;
  /** `linear` or `log` (`logarithmic` is understood too). */
  readonly scale: string;
  /** Words of the places 0, 1, ... of an axis without numbers. */
  readonly categories?: readonly string[];
  /** Whether a reader may switch between linear and logarithmic. */
  readonly switchable?: boolean;
}

export interface Series {
  readonly key: string;
  readonly label: string;
  readonly role: Role;
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly z?: readonly number[];
  readonly low?: readonly number[];
  readonly high?: readonly number[];
  readonly q1?: readonly number[];
  readonly q3?: readonly number[];
  readonly axis?: "y" | "y2";
}

export interface Annotation {
  readonly label: string;
  readonly x: number | null;
  readonly y: number | null;
  /** How far a line's place may lie down and up. */
  readonly low?: number | null;
  readonly high?: number | null;
}

/** One way to look at a chart; what it leaves out is the chart's. */
export interface View {
  readonly key: string;
  readonly label: string;
  readonly series: readonly string[];
  readonly shape?: string;
  readonly x?: Axis;
  readonly y?: Axis;
  readonly y2?: Axis;
  readonly marks?: readonly Annotation[];
}

export interface ChartSpec {
  readonly id: string;
  readonly shape: string;
  readonly title: string;
  readonly summary: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly y2?: Axis;
  readonly z?: Axis;
  readonly series: readonly Series[];
  readonly marks: readonly Annotation[];
  readonly metrics: readonly string[];
  readonly views?: readonly View[];
  readonly points_total?: number;
}

/** Everything a picture takes from the page, so that building its configuration needs no document. */
export interface Look {
  readonly ink: string;
  readonly muted: string;
  readonly rule: string;
  readonly surface: string;
  readonly accent: string;
  /** Colour-blind-safe, in a fixed order: the first is for what was measured. */
  readonly series: readonly string[];
  /** From little to much, for heat maps: rises in lightness, so that it reads without colour too. */
  readonly ramp: readonly string[];
  readonly font: string;
  /**
   * Whether a mouse is there to drag and wheel with; on touch the buttons do it, so that the page still
   * scrolls.
   */
  readonly gestures: boolean;
  /** Whether the box is narrow: fewer ticks and no words beside the marks. */
  readonly narrow: boolean;
}

/** The columns that each role needs beside x and y. */
const ROLES: Readonly<Record<Role, readonly ("z" | "low" | "high" | "q1" | "q3")[]>> = {
  points: [],
  line: [],
  step: [],
  band: [],
  spread: ["low", "high"],
  faint: [],
  cells: ["z"],
  box: ["low", "q1", "q3", "high"],
};

function check(series: Series): void {
  const needed = Object.hasOwn(ROLES, series.role) ? ROLES[series.role] : undefined;
  if (!needed)
    throw new Error(`Series "${series.key}" has the role "${series.role}", which no picture knows.`);
  for (const name of ["y", ...needed] as const) {
    const length = series[name]?.length ?? 0;
    if (length !== series.x.length) {
      throw new Error(
        `Series "${series.key}" has ${series.x.length} x and ${length} ${name}; they must be as many.`,
      );
    }
  }
}

/** Reads what the server sent, or says what is wrong with it. */
export function parseSpec(value: unknown): ChartSpec {
  const spec = value as ChartSpec;
  if (typeof spec !== "object" || spec === null || !Array.isArray(spec.series)) {
    throw new Error("The chart's data has no series.");
  }
  for (const series of spec.series) check(series);
  const marks = (list: readonly Annotation[] | undefined) =>
    (list ?? []).map((one) => ({ ...one, x: one.x ?? null, y: one.y ?? null }));
  const views = spec.views?.map((view) => (view.marks ? { ...view, marks: marks(view.marks) } : view));
  const whole = { ...spec, marks: marks(spec.marks), metrics: spec.metrics ?? [] };
  return views ? { ...whole, views } : whole;
}

/** The picture that a view of the chart shows; the chart itself where it has no views. */
export function viewOf(spec: ChartSpec, key?: string): ChartSpec {
  const view = spec.views?.find((one) => one.key === key) ?? spec.views?.[0];
  if (!view) return spec;
  const { key: _key, label: _label, series, ...own } = view;
  return { ...spec, ...own, series: spec.series.filter((one) => series.includes(one.key)) };
}
