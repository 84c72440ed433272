import { assemble, type Config, withRoom } from "./common";
import type { ChartSpec, Look } from "./spec";
import { beside } from "./strokes";

/**
 * Means with their deviations. The axis is cut: from nought, deviations of a few per cent could not be seen.
 */
export function fluctuation(spec: ChartSpec, look: Look): Config {
  const config = assemble(spec, look, beside(look));
  withRoom(config, "y");
  return config;
}
