import type { Config } from "./common";
import { curve } from "./curve";
import { profile } from "./profile";
import { sawtooth } from "./sawtooth";
import type { ChartSpec, Look } from "./spec";

/** One renderer per shape; a new shape is a new file and a line here. */
export const SHAPES: Readonly<Record<string, (spec: ChartSpec, look: Look) => Config>> = {
  curve,
  profile,
  sawtooth,
};

/** The configuration of a picture, or an error that names the shapes there are. */
export function configure(spec: ChartSpec, look: Look): Config {
  const shape = Object.hasOwn(SHAPES, spec.shape) ? SHAPES[spec.shape] : undefined;
  if (!shape) {
    throw new Error(`No picture has the shape "${spec.shape}"; there are ${Object.keys(SHAPES).join(", ")}.`);
  }
  return shape(spec, look);
}
