import { expect, test } from "vitest";
import { layers, rampColor, rangeOf, spacing } from "./layers";
import { LOOK, specOf } from "./testing";

test("a colour lies between the stops of the ramp by its share, and never beyond them", () => {
  expect(rampColor(LOOK.ramp, 0)).toBe("rgb(0 0 0)");
  expect(rampColor(LOOK.ramp, 0.25)).toBe("rgb(64 64 64)");
  expect(rampColor(LOOK.ramp, 1)).toBe("rgb(255 255 255)");
  expect(rampColor(LOOK.ramp, 7)).toBe("rgb(255 255 255)");
});

test("a cell is as wide as the shortest distance between neighbours", () => {
  expect(spacing([0, 4, 2, 4, 2])).toBe(2);
  expect(spacing([3])).toBe(1);
  expect(rangeOf([3, 1, 2])).toEqual([1, 3]);
});

/** A pen that notes what is drawn. */
function pen() {
  const calls: [string, ...unknown[]][] = [];
  const context = new Proxy({} as Record<string, unknown>, {
    get: (target, name: string) =>
      target[name] ??
      ((...values: unknown[]) =>
        name === "createLinearGradient" ? { addColorStop() {} } : calls.push([name, ...values])),
  });
  return { calls, context };
}

function drawn(dataset: object): [string, ...unknown[]][] {
  const { calls, context } = pen();
  const axis = { getPixelForValue: (value: number) => 100 * value };
  const chart = {
    ctx: context,
    scales: { x: axis, y: axis },
    chartArea: { left: 0, top: 0, right: 500, width: 500, height: 300 },
    data: { datasets: [{ borderColor: "#000001", yAxisID: "y", ...dataset }] },
    isDatasetVisible: () => true,
  };
  layers(specOf({}), LOOK).beforeDatasetDraw?.(chart as never, { index: 0 } as never, {});
  return calls;
}

test("each cell is one rectangle around its place", () => {
  const data = [
    { x: 0, y: 0, z: 1 },
    { x: 1, y: 0, z: 2 },
  ];
  const cells = drawn({ role: "cells", data }).filter(([name]) => name === "fillRect");
  expect(cells.slice(1)).toEqual([
    ["fillRect", -50, 50, 100.5, -99.5],
    ["fillRect", 50, 50, 100.5, -99.5],
  ]);
});

test("an error bar goes from its low to its high with a cap at both", () => {
  const calls = drawn({ role: "points", data: [{ x: 1, y: 2, low: 1, high: 3 }] });
  expect(calls).toContainEqual(["moveTo", 100, 100]);
  expect(calls).toContainEqual(["lineTo", 100, 300]);
  expect(calls.filter(([name]) => name === "lineTo")).toHaveLength(3);
});

test("a box spans its quartiles", () => {
  const calls = drawn({ role: "box", data: [{ x: 1, y: 2, low: 0, q1: 1, q3: 3, high: 4 }] });
  const [box] = calls.filter(([name]) => name === "strokeRect");
  expect(box?.slice(1).map((value) => Math.round(Number(value)))).toEqual([72, 300, 56, -200]);
});

test("points without an interval draw nothing more", () => {
  expect(drawn({ role: "points", data: [{ x: 1, y: 2 }] }).some(([name]) => name === "stroke")).toBe(false);
});
