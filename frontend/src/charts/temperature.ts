import { assemble, type Config, withRoom } from "./common";
import type { ChartSpec, Look } from "./spec";
import { beside } from "./strokes";

/** Bandwidth and temperature over time, the latter on the right; or the one over the other. */
export function temperature(spec: ChartSpec, look: Look): Config {
  const config = assemble(spec, look, beside(look));
  withRoom(config, "y");
  withRoom(config, "y2");
  return config;
}
