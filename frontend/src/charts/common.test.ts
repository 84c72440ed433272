import { expect, test } from "vitest";
import { toAnnotation, tooltipLabel } from "./common";
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
  expect(() => configure(specOf({ shape: "pie" }), LOOK)).toThrow(/"pie".*curve, profile, sawtooth/);
  expect(() => configure(specOf({ shape: "toString" }), LOOK)).toThrow(/"toString"/);
});

test("hovering says both values with their units", () => {
  const item = { dataset: { label: "Measured", data: [] }, parsed: { x: 47, y: 2.2 } };
  expect(tooltipLabel(specOf({}), item)).toBe("Measured: 2.2\u00a0ms at 47\u00a0blocks");
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

test.each(Object.keys(SHAPES))("%s begins its x axis at nought although a mark lies before it", (shape) => {
  const marks = [{ label: "edge", x: -0.6, y: 1 }];
  expect(configure(specOf({ shape, marks }), LOOK).options?.scales?.x).toMatchObject({ min: 0 });
});

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
