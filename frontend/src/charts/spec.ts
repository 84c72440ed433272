/** The chart JSON of the archive: `server.benchmarks.contract.Chart`, as it comes over the wire. */

export type Role = "points" | "line" | "step" | "band";

export interface Axis {
  readonly label: string;
  readonly unit: string;
  /** `linear` or `logarithmic` (`log` is understood too). */
  readonly scale: string;
}

export interface Series {
  readonly key: string;
  readonly label: string;
  readonly role: Role;
  readonly x: readonly number[];
  readonly y: readonly number[];
}

export interface Mark {
  readonly label: string;
  readonly x: number | null;
  readonly y: number | null;
}

export interface ChartSpec {
  readonly id: string;
  readonly shape: string;
  readonly title: string;
  readonly summary: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
  readonly marks: readonly Mark[];
  readonly metrics: readonly string[];
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
  readonly font: string;
  /** Whether a mouse is there to drag and wheel with; on touch the buttons do it, so that the page still scrolls. */
  readonly gestures: boolean;
  /** Whether the box is narrow: fewer ticks and no words beside the marks. */
  readonly narrow: boolean;
}

const ROLES: ReadonlySet<string> = new Set(["points", "line", "step", "band"]);

/** Reads what the server sent, or says what is wrong with it. */
export function parseSpec(value: unknown): ChartSpec {
  const spec = value as ChartSpec;
  if (typeof spec !== "object" || spec === null || !Array.isArray(spec.series)) {
    throw new Error("The chart's data has no series.");
  }
  for (const series of spec.series) {
    if (!ROLES.has(series.role)) {
      throw new Error(`Series "${series.key}" has the role "${series.role}", which no picture knows.`);
    }
    if (series.x.length !== series.y.length) {
      throw new Error(
        `Series "${series.key}" has ${series.x.length} x and ${series.y.length} y; they must be as many.`,
      );
    }
  }
  return { ...spec, marks: spec.marks ?? [], metrics: spec.metrics ?? [] };
}
