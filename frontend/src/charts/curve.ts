import { assemble, type Config, fromNought } from "./common";
import type { ChartSpec, Look } from "./spec";
import { fitted } from "./strokes";

/** SEEKER's curve: time over distance, the fit over the points; a band is the fit's uncertainty. */
export function curve(spec: ChartSpec, look: Look): Config {
  const config = assemble(spec, look, fitted(look));
  // A seek time is read as a length: from nought, unless the axis is logarithmic.
  fromNought(config, "y");
  fromNought(config, "x");
  return config;
}
