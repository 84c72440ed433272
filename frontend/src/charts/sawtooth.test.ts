import { expect, test } from "vitest";
import { sawtooth } from "./sawtooth";
import { LOOK, specOf } from "./testing";

test("points are drawn without a line between them", () => {
  const [points] = sawtooth(specOf({}), LOOK).data.datasets;
  expect(points).toMatchObject({ label: "Measured", showLine: false, borderColor: LOOK.series[0] });
  expect(points?.data).toEqual([
    { x: 0, y: 8.4 },
    { x: 1, y: 8.5 },
    { x: 2, y: 2.1 },
  ]);
});

test("L2 has its colour and dash although L1 is missing", () => {
  const line = sawtooth(specOf({}), LOOK).data.datasets[1];
  expect(line).toMatchObject({
    showLine: true,
    pointRadius: 0,
    borderColor: LOOK.series[2],
    borderDash: [7, 4],
  });
});

test("the fitted lines lie over the points", () => {
  const [points, line] = sawtooth(specOf({}), LOOK).data.datasets;
  expect(Number(line?.order)).toBeLessThan(Number(points?.order));
});

test("a second series of points differs from the first in colour and in form", () => {
  const base = specOf({}).series[0];
  if (!base) throw new Error("the sample has points");
  const [one, two] = sawtooth(specOf({ series: [base, { ...base, key: "b" }] }), LOOK).data.datasets;
  expect(one?.borderColor).not.toBe(two?.borderColor);
  expect(one).not.toHaveProperty("pointStyle", (two as { pointStyle: unknown }).pointStyle);
});
