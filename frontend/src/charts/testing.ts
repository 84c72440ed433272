import type { ChartSpec, Look } from "./spec";

/** A look with colours that a test can name. */
export const LOOK: Look = {
  ink: "#111111",
  muted: "#666666",
  rule: "#dddddd",
  surface: "#ffffff",
  accent: "#0000ff",
  series: ["#000001", "#000002", "#000003", "#000004", "#000005", "#000006", "#000007", "#000008"],
  ramp: ["#000000", "#808080", "#ffffff"],
  font: "test",
  gestures: true,
  narrow: false,
};

/** A small picture with a series of points and two lines; a test changes what it is about. */
export function specOf(changes: Partial<ChartSpec>): ChartSpec {
  return {
    id: "sample",
    shape: "sawtooth",
    title: "Sample",
    summary: "Sample data of a test.",
    x: { label: "Step", unit: "blocks", scale: "linear" },
    y: { label: "Latency", unit: "ms", scale: "linear" },
    series: [
      { key: "points", label: "Measured", role: "points", x: [0, 1, 2], y: [8.4, 8.5, 2.1] },
      { key: "L2", label: "L2", role: "line", x: [0, 2], y: [0.06, 0.15] },
    ],
    marks: [],
    metrics: [],
    ...changes,
  };
}
