import { expect, test } from "vitest";
import { fluctuation } from "./fluctuation";
import { iops } from "./iops";
import { configure } from "./shapes";
import { sizes } from "./sizes";
import type { Series } from "./spec";
import { temperature } from "./temperature";
import { LOOK, specOf } from "./testing";

function series(key: string, role: Series["role"] = "points", more: Partial<Series> = {}): Series {
  return { key, label: key, role, x: [1, 2], y: [3, 4], ...more };
}

test("a state's law has the colour of its points and another state's has not", () => {
  const spec = specOf({ shape: "sizes", series: [series("off"), series("off-law", "line"), series("on")] });
  const [off, law, on] = sizes(spec, LOOK).data.datasets;
  expect(law?.borderColor).toBe(off?.borderColor);
  expect(on?.borderColor).not.toBe(off?.borderColor);
  expect(on).not.toHaveProperty("pointStyle", (off as { pointStyle: unknown }).pointStyle);
});

test("numbers of processes differ in colour, form and dash, and each one's points are joined", () => {
  const spec = specOf({ shape: "iops", series: [series("p1"), series("p2"), series("p4")] });
  const lines = iops(spec, LOOK).data.datasets as {
    borderColor: string;
    pointStyle: string;
    showLine: boolean;
    borderDash: number[];
  }[];
  for (const name of ["borderColor", "pointStyle", "borderDash"] as const) {
    expect(new Set(lines.map((line) => String(line[name]))).size).toBe(3);
  }
  expect(lines.every((line) => line.showLine)).toBe(true);
});

test("the temperature has an axis of its own on the right, and only where it is shown", () => {
  const y2 = { label: "Temperature", unit: "°C", scale: "linear" };
  const both = specOf({
    shape: "temperature",
    y2,
    series: [series("read"), series("t", "points", { axis: "y2" })],
  });
  const config = temperature(both, LOOK);
  expect(config.options?.scales?.y2).toMatchObject({
    position: "right",
    title: { text: "Temperature (°C)" },
  });
  expect(config.data.datasets[1]).toMatchObject({ yAxisID: "y2" });
  expect(temperature({ ...both, series: [series("read")] }, LOOK).options?.scales).not.toHaveProperty("y2");
});

test("deviations of a few per cent are not lost on an axis from nought", () => {
  const far = [series("read", "points", { y: [142, 143] })];
  const spec = specOf({ shape: "fluctuation", series: far });
  expect(fluctuation(spec, LOOK).options?.scales?.y).not.toHaveProperty("min");
});

test("room around values near nought does not reach below it", () => {
  const near = [series("units", "points", { y: [3, 250] })];
  const y = configure(specOf({ shape: "distribution", series: near }), LOOK).options?.scales?.y;
  expect(y).toMatchObject({ min: 0 });
});

test.each(["sawtooth", "profile", "curve"])(
  "%s tells other units' points from the drawn unit's and its lines",
  (shape) => {
    const all = [series("others", "faint"), series("measured"), series("l1", "line"), series("l2", "line")];
    const [others, ...own] = configure(specOf({ shape, series: all }), LOOK).data.datasets;
    expect(own.map((one) => String(one.borderColor).slice(0, 7))).not.toContain(
      String(others?.borderColor).slice(0, 7),
    );
    for (const one of own) expect(Number(others?.order)).toBeGreaterThan(Number(one.order));
  },
);
