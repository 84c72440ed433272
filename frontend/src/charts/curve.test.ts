import { expect, test } from "vitest";
import { curve } from "./curve";
import { profile } from "./profile";
import { LOOK, specOf } from "./testing";

const spec = specOf({
  shape: "curve",
  series: [
    { key: "seeks", label: "Seeks", role: "points", x: [1, 2], y: [2, 3] },
    { key: "band", label: "95 %", role: "band", x: [1, 2, 2, 1], y: [3, 4, 2, 1] },
    { key: "fit", label: "Fit", role: "line", x: [1, 2], y: [2, 3] },
  ],
});

test("a band is a filled shape behind the points and the fit", () => {
  const [points, band, fit] = curve(spec, LOOK).data.datasets;
  expect(band).toMatchObject({ fill: "shape" });
  expect(Number(band?.order)).toBeGreaterThan(Number(points?.order));
  expect(Number(band?.order)).toBeGreaterThan(Number(fit?.order));
});

test("seek times start at nought on a linear axis", () => {
  expect(curve(spec, LOOK).options?.scales?.y?.min).toBe(0);
});

test("a logarithmic axis is not forced to nought, which it does not have", () => {
  const logarithmic = { ...spec, y: { ...spec.y, scale: "log" } };
  const scale = curve(logarithmic, LOOK).options?.scales?.y;
  expect(scale).toMatchObject({ type: "logarithmic" });
  expect(scale).not.toHaveProperty("min");
});

test("a compared group looks the same in every picture, also where another group is not drawn", () => {
  const group = (letter: string) => ({
    key: `group-${letter}`,
    label: letter,
    role: "line" as const,
    x: [1, 2],
    y: [2, 3],
  });
  const both = { ...spec, series: [group("a"), group("b")] };
  const [, second] = curve(both, LOOK).data.datasets;
  const [alone] = profile({ ...spec, series: [group("b")] }, LOOK).data.datasets;
  expect(alone?.borderColor).toBe(second?.borderColor);
  expect(alone).toMatchObject({ borderDash: (second as unknown as { borderDash: number[] }).borderDash });
});
