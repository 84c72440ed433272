import { assemble, type Config, pick, withRoom } from "./common";
import type { ChartSpec, Look } from "./spec";

/** Values by group: every one as a point, over a box where there are enough for one. */
export function distribution(spec: ChartSpec, look: Look): Config {
  const config = assemble(spec, look, (series) =>
    series.role === "box"
      ? { color: pick(look.series, 0), order: 3 }
      : { color: pick(look.series, 1), radius: 3, order: 1 },
  );
  withRoom(config, "y");
  return config;
}
