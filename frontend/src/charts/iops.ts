import { assemble, type Config, fromNought } from "./common";
import type { ChartSpec, Look } from "./spec";
import { beside } from "./strokes";

/**
 * Requests a second by size or by how many are under way: points that a line joins, for each number or mode.
 */
export function iops(spec: ChartSpec, look: Look): Config {
  const config = assemble(spec, look, beside(look, true));
  fromNought(config, "y");
  return config;
}
