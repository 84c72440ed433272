import { buffer } from "./buffer";
import type { Config } from "./common";
import { comparison } from "./comparison";
import { curve } from "./curve";
import { distribution } from "./distribution";
import { fluctuation } from "./fluctuation";
import { iops } from "./iops";
import { profile } from "./profile";
import { sawtooth } from "./sawtooth";
import { sizes } from "./sizes";
import type { ChartSpec, Look } from "./spec";
import { surface } from "./surface";
import { temperature } from "./temperature";

/** One renderer per shape; a new shape is a new file and a line here. */
export const SHAPES: Readonly<Record<string, (spec: ChartSpec, look: Look) => Config>> = {
  buffer,
  comparison,
  curve,
  distribution,
  fluctuation,
  iops,
  profile,
  sawtooth,
  sizes,
  surface,
  temperature,
};

/** The configuration of a picture, or an error that names the shapes there are. */
export function configure(spec: ChartSpec, look: Look): Config {
  const shape = Object.hasOwn(SHAPES, spec.shape) ? SHAPES[spec.shape] : undefined;
  if (!shape) {
    throw new Error(`No picture has the shape "${spec.shape}"; there are ${Object.keys(SHAPES).join(", ")}.`);
  }
  return shape(spec, look);
}
