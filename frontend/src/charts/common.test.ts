import { expect, test } from "vitest";
import { toAnnotation } from "./annotations";
import { inLines, tooltipLabel } from "./common";
import { configure, SHAPES } from "./shapes";
import { LOOK, specOf } from "./testing";

test.each(Object.keys(SHAPES))("%s takes every colour of its axes from the look", (shape) => {
  const options = configure(specOf({ shape }), LOOK).options;
  expect(options?.scales?.x).toMatchObject({ ticks: { color: LOOK.muted }, grid: { color: LOOK.rule } });
  expect(options?.scales?.y).toMatchObject({ title: { text: "Latency (ms)", color: LOOK.muted } });
});

test.each(Object.keys(SHAPES))("%s is not animated and fills the box that the page reserves", (shape) => {
  expect(configure(specOf({ shape }), LOOK).options).toMatchObject({
    animation: false,
    maintainAspectRatio: false,
  });
});

test("an unknown shape is an error that names the known ones", () => {
  expect(() => configure(specOf({ shape: "pie" }), LOOK)).toThrow(/"pie".*curve, distribution.*sawtooth/);
  expect(() => configure(specOf({ shape: "toString" }), LOOK)).toThrow(/"toString"/);
});

test("hovering says both values with their units", () => {
  const item = { dataset: { label: "Measured", data: [] }, parsed: { x: 47, y: 2.2 } };
  expect(tooltipLabel(specOf({}), item)).toBe("Measured: 2.2\u00a0ms at 47\u00a0blocks");
});

test("points on a logarithm lie between whole ticks, and a disk ends where it ends", () => {
  const x = { label: "Capacity", unit: "GB", scale: "log", switchable: true };
  const points = specOf({
    shape: "comparison",
    x,
    series: [{ key: "a", label: "A", role: "points", x: [2.05], y: [1] }],
  });
  expect(configure(points, LOOK).options?.scales?.x).toMatchObject({ bounds: "ticks" });
  expect(configure(specOf({ shape: "comparison" }), LOOK).options?.scales?.x).toMatchObject({
    bounds: "data",
  });
});

test("a mark with x alone is a vertical line with its words", () => {
  const [line] = toAnnotation({ label: "STM", x: 47, y: null }, LOOK);
  expect(line).toMatchObject({
    type: "line",
    scaleID: "x",
    value: 47,
    label: { content: "STM", display: true },
  });
});

test("a mark with y alone is a horizontal line", () => {
  expect(toAnnotation({ label: "T", x: null, y: 8.3 }, LOOK)).toMatchObject([{ scaleID: "y", value: 8.3 }]);
});

test("a mark with both is a ringed point and a label beside it", () => {
  const drawn = toAnnotation({ label: "(3)", x: 47, y: 2.2 }, LOOK);
  expect(drawn.map((annotation) => annotation.type)).toEqual(["point", "label"]);
  expect(drawn[1]).toMatchObject({ xValue: 47, yValue: 2.2, content: "(3)" });
});

test.each(["curve", "profile", "sawtooth"])(
  "%s begins its x axis at nought although a mark lies before it",
  (shape) => {
    const marks = [{ label: "edge", x: -0.6, y: 1 }];
    expect(configure(specOf({ shape, marks }), LOOK).options?.scales?.x).toMatchObject({ min: 0 });
  },
);

test("the words of neighbouring marks stand above and below by turns", () => {
  const both = [0, 1].map((index) => toAnnotation({ label: "(1)", x: 0, y: 8 }, LOOK, index)[1]);
  expect(both[0]).not.toHaveProperty("yAdjust", (both[1] as { yAdjust: number }).yAdjust);
});

test("a mark at nought is drawn", () => {
  expect(toAnnotation({ label: "(1)", x: 0, y: 8.4 }, LOOK)).toHaveLength(2);
  expect(toAnnotation({ label: "start", x: 0, y: null }, LOOK)).toHaveLength(1);
});

test("a mark without a place is not drawn", () => {
  expect(toAnnotation({ label: "nowhere", x: null, y: null }, LOOK)).toEqual([]);
});

test("on touch no gesture takes the page's scrolling away", () => {
  const plugins = configure(specOf({}), { ...LOOK, gestures: false }).options?.plugins;
  expect(plugins?.zoom).toMatchObject({
    pan: { enabled: false },
    zoom: { wheel: { enabled: false }, drag: { enabled: false }, pinch: { enabled: false } },
  });
});

test("an axis with categories has a tick at each place and says its word there", () => {
  const x = { label: "Batch", unit: "", scale: "linear", categories: ["2012-W31", "2012-W33"] };
  const axis = configure(specOf({ shape: "distribution", x }), LOOK).options?.scales?.x as unknown as {
    afterBuildTicks: (scale: object) => void;
    ticks: { callback: (value: number, index: number, ticks: object[]) => string };
  };
  const built = { min: -0.5, max: 1.5, ticks: [{ value: 0.3 }] };
  axis.afterBuildTicks(built);
  expect(built.ticks).toEqual([{ value: 0 }, { value: 1 }]);
  expect(axis.ticks.callback(1, 1, built.ticks)).toBe("2012-W33");
});

test("a logarithmic axis labels no tick that would crowd", () => {
  const x = { label: "Size", unit: "KiB", scale: "log" };
  const axis = configure(specOf({ shape: "curve", x }), LOOK).options?.scales?.x;
  const ticks = [1, 2, 3, 5, 10, 1e6].map((value) => ({ value }));
  const words = ticks.map(({ value }, index) =>
    axis?.ticks?.callback?.call({} as never, value, index, ticks as never),
  );
  expect(words).toEqual(["1", "", "", "", "10", "1M"]);
});

test("error bars, boxes and spreads fit into the picture", () => {
  const series = [
    { key: "a", label: "A", role: "points" as const, x: [0, 1], y: [5, 6], low: [1, 4], high: [6, 12] },
  ];
  const y = configure(specOf({ shape: "comparison", series }), LOOK).options?.scales?.y;
  expect(y).toMatchObject({ suggestedMin: 1, suggestedMax: 12 });
});

test("a spread becomes an area around its series that lies behind all others", () => {
  const spread = {
    key: "s",
    label: "Other units",
    role: "spread" as const,
    x: [0, 1],
    y: [5, 6],
    low: [4, 5],
    high: [6, 7],
  };
  const [area, line] = configure(specOf({ shape: "curve", series: [spread, ...specOf({}).series] }), LOOK)
    .data.datasets;
  expect(area?.data).toEqual([
    { x: 0, y: 6 },
    { x: 1, y: 7 },
    { x: 1, y: 5 },
    { x: 0, y: 4 },
  ]);
  expect(area).toMatchObject({ fill: "shape" });
  expect(Number(area?.order)).toBeGreaterThan(Number(line?.order));
});

test("hovering a cell says what its colour says and where it stands", () => {
  const x = { label: "Size", unit: "", scale: "linear", categories: ["512 B", "1 KiB"] };
  const y = { label: "Position", unit: "", scale: "linear", categories: ["0 GB", "500 GB"] };
  const spec = specOf({ shape: "surface", x, y, z: { label: "Bandwidth", unit: "MB/s", scale: "linear" } });
  const item = { dataset: { label: "Read", data: [] }, parsed: { x: 1, y: 0 }, raw: { x: 1, y: 0, z: 42.5 } };
  expect(tooltipLabel(spec, item)).toBe("Read: 42.5\u00a0MB/s at 1 KiB, 0 GB");
  const ranged = { ...item, raw: { ...(item.raw as object), low: 40, high: 45 } };
  expect(tooltipLabel(spec, ranged)).toBe("Read: 42.5\u00a0MB/s (40 to 45\u00a0MB/s) at 1 KiB, 0 GB");
});

test("hovering a point with an interval says its ends", () => {
  const item = { dataset: { label: "A", data: [] }, parsed: { x: 47, y: 2.2 }, raw: { low: 2, high: 2.5 } };
  expect(tooltipLabel(specOf({}), item)).toBe("A: 2.2\u00a0ms (2 to 2.5\u00a0ms) at 47\u00a0blocks");
});

test("long words of a point stand in two lines", () => {
  const name = "Median, quartiles and the values within 1.5 of their distance";
  expect(inLines(`${name}: 8.3\u00a0ms at 2014-W49`)).toEqual([`${name}:`, "8.3\u00a0ms at 2014-W49"]);
  expect(inLines("Read: 8.3\u00a0ms")).toBe("Read: 8.3\u00a0ms");
});

test("an interval of no width is not told as one", () => {
  const raw = { x: 1, y: 5.5, low: 5.5, high: 5.5 };
  const item = { dataset: { label: "A less B" }, parsed: { x: 1, y: 5.5 }, raw } as never;
  expect(tooltipLabel(specOf({}), item)).toBe("A less B: 5.5\u00a0ms at 1\u00a0blocks");
});
