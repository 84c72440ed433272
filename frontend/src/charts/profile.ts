import { assemble, type Config, DASHES, fromNought, OTHERS, pick, STYLES, type Stroke } from "./common";
import type { ChartSpec, Look, Series } from "./spec";

/** ZONED's profile: bandwidth over position, with the step, linear and quadratic fits. */
export function profile(spec: ChartSpec, look: Look): Config {
  const stroke = (series: Series, index: number): Stroke => {
    if (series.role === "faint" || series.role === "spread") return { color: pick(look.series, OTHERS) };
    if (series.role === "points") {
      return { color: pick(look.series, index === 0 ? 0 : index + 4), style: pick(STYLES, index), order: 3 };
    }
    if (series.role === "step") return { color: pick(look.series, index + 1), width: 2.5, order: 2 };
    return { color: pick(look.series, index + 2), dash: pick(DASHES, index + 1), width: 2, order: 1 };
  };
  const config = assemble(spec, look, stroke);
  // Bandwidth from nought: a cut axis makes ten per cent look like a cliff.
  fromNought(config, "y");
  fromNought(config, "x");
  return config;
}
