import { expect, test } from "vitest";
import { profile } from "./profile";
import type { Series } from "./spec";
import { LOOK, specOf } from "./testing";

const fits: Series[] = [
  { key: "measured", label: "Measured", role: "points", x: [0, 5, 10], y: [9.7, 8.1, 6.3] },
  { key: "step", label: "Step", role: "step", x: [0, 5, 10], y: [9.7, 8.1, 8.1] },
  { key: "linear", label: "Linear", role: "line", x: [0, 10], y: [9.9, 6.1] },
  { key: "quadratic", label: "Quadratic", role: "line", x: [0, 10], y: [9.8, 6.2] },
];
const spec = specOf({ shape: "profile", series: fits });

test("the step fit holds each zone's value until the next zone begins", () => {
  expect(profile(spec, LOOK).data.datasets[1]).toMatchObject({ stepped: "before", showLine: true });
});

test("no two of the three fits share a colour or a dash with each other", () => {
  const lines = profile(spec, LOOK).data.datasets.slice(1) as { borderColor: string; borderDash: number[] }[];
  expect(new Set(lines.map((line) => line.borderColor)).size).toBe(3);
  expect(new Set(lines.map((line) => line.borderDash.join())).size).toBe(3);
});

test("bandwidth starts at nought", () => {
  expect(profile(spec, LOOK).options?.scales?.y?.min).toBe(0);
});
