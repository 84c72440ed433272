import { assemble, type Config, DASHES, fromNought, OTHERS, pick, type Stroke } from "./common";
import type { ChartSpec, Look, Series } from "./spec";

const FITTED_LINE = /\bL([1-4])\b/i;

/** L1 to L4 keep their colours and dashes even where a drive shows only some of them. */
function lineIndex(series: Series, index: number): number {
  const named = FITTED_LINE.exec(series.key) ?? FITTED_LINE.exec(series.label);
  return named ? Number(named[1]) - 1 : index;
}

/** SKIPPY's sawtooth: latency over step size, the fitted lines L1 to L4 over the points. */
export function sawtooth(spec: ChartSpec, look: Look): Config {
  const stroke = (series: Series, index: number): Stroke => {
    if (series.role === "faint" || series.role === "spread") return { color: pick(look.series, OTHERS) };
    if (series.role === "points") {
      return {
        color: pick(look.series, index === 0 ? 0 : index + 4),
        style: pick(["circle", "crossRot", "triangle"] as const, index),
        order: 2,
      };
    }
    const line = lineIndex(series, index);
    return { color: pick(look.series, line + 1), dash: pick(DASHES, line), width: 2, order: 1 };
  };
  const config = assemble(spec, look, stroke);
  fromNought(config, "x");
  return config;
}
