import { expect, test } from "vitest";
import { evenTicks } from "./axes";

const ticked = (min: number, max: number, values: readonly number[]) => {
  const axis = { min, max, ticks: values.map((value) => ({ value })) };
  evenTicks(axis);
  return axis.ticks.map((tick) => tick.value);
};

test("ticks stand at whole steps although the data begin beside them", () => {
  expect(ticked(0.0000053, 23.4, [0.0000053, 10.0000053, 20.0000053])).toEqual([10, 20]);
  expect(ticked(3, 247, [3, 53, 103, 153, 203])).toEqual([50, 100, 150, 200]);
  expect(ticked(0, 0.35, [0, 0.1, 0.2, 0.3])).toEqual([0, 0.1, 0.2, 0.3]);
});

test("an axis too short for two whole steps keeps its own ticks", () => {
  expect(ticked(3, 11, [3, 11])).toEqual([3, 11]);
});
