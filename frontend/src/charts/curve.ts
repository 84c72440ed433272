import { assemble, type Config, DASHES, fromNought, pick, type Stroke } from "./common";
import type { ChartSpec, Look, Series } from "./spec";

/** SEEKER's curve: time over distance, the fit over the points; a band is the fit's uncertainty. */
export function curve(spec: ChartSpec, look: Look): Config {
  const stroke = (series: Series, index: number): Stroke => {
    if (series.role === "points") {
      return {
        color: pick(look.series, index === 0 ? 0 : index + 3),
        style: pick(["circle", "triangle", "rectRot", "crossRot"] as const, index),
        radius: 2.4,
        order: 2,
      };
    }
    if (series.role === "band") return { color: pick(look.series, 1), width: 0, order: 3 };
    return { color: pick(look.series, index + 1), dash: pick(DASHES, index), width: 2, order: 1 };
  };
  const config = assemble(spec, look, stroke);
  // A seek time is read as a length: from nought, unless the axis is logarithmic.
  fromNought(config, "y");
  fromNought(config, "x");
  return config;
}
