import { assemble, type Config, withRoom } from "./common";
import type { ChartSpec, Look } from "./spec";
import { beside } from "./strokes";

/** Means of groups at several places, each with its interval. */
export function comparison(spec: ChartSpec, look: Look): Config {
  const config = assemble(spec, look, beside(look));
  withRoom(config, "y");
  return config;
}
