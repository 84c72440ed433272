import { assemble, type Config, pick } from "./common";
import type { ChartSpec, Look } from "./spec";

/** A heat map: what its colours say over two axes. Only one series of cells can be seen at a time. */
export function surface(spec: ChartSpec, look: Look): Config {
  const config = assemble(spec, look, (_, index) => ({ color: pick(look.series, index + 1), order: 3 }));
  // Room above the picture for what the colours mean.
  config.options = { ...config.options, layout: { padding: { top: 22 } } };
  return config;
}
