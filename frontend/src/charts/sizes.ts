import { assemble, type Config, DASHES, pick, STYLES, type Stroke } from "./common";
import type { ChartSpec, Look, Series } from "./spec";
import { beside } from "./strokes";

/** Rate or latency of writes by size: each state's law has the colour of its points. */
export function sizes(spec: ChartSpec, look: Look): Config {
  const states = [...new Set(spec.series.map((series) => series.key.replace(/-law$/, "")))];
  const stroke = (series: Series, index: number): Stroke => {
    if (series.role !== "points" && series.role !== "line") return beside(look)(series, index);
    const place = states.indexOf(series.key.replace(/-law$/, ""));
    const color = pick(look.series, place + 1);
    if (series.role === "points") return { color, style: pick(STYLES, place), radius: 3, order: 2 };
    return { color, dash: pick(DASHES, place + 1), width: 2, order: 1 };
  };
  return assemble(spec, look, stroke);
}
