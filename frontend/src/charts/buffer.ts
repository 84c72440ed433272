import { assemble, type Config, fromNought } from "./common";
import type { ChartSpec, Look } from "./spec";
import { beside } from "./strokes";

/** What the drive's buffer answers by request size, with the plateau as a stripe. */
export function buffer(spec: ChartSpec, look: Look): Config {
  const config = assemble(spec, look, beside(look, true));
  fromNought(config, "y");
  return config;
}
