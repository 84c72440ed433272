import type { Chart, Plugin } from "chart.js";
import type { Dataset, Dot } from "./common";
import type { ChartSpec, Look } from "./spec";

const CAP_PX = 4;
const BOX_SHARE = 0.56;
const KEY_PX = { width: 120, height: 8 };

/** The colour of a share between 0 and 1 of a ramp, between the two stops that are nearest. */
export function rampColor(ramp: readonly string[], share: number): string {
  const at = Math.min(Math.max(share, 0), 1) * (ramp.length - 1);
  const below = Math.min(Math.floor(at), ramp.length - 2);
  const parts = [1, 3, 5].map((place) => {
    const [from, to] = [ramp[below], ramp[below + 1]].map((color) =>
      Number.parseInt((color ?? "#000000").slice(place, place + 2), 16),
    ) as [number, number];
    return Math.round(from + (to - from) * (at - below));
  });
  return `rgb(${parts.join(" ")})`;
}

/** The least and the greatest of what cells say. */
export function rangeOf(values: readonly number[]): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high];
}

/** The shortest distance between neighbours: how wide a cell is. */
export function spacing(values: readonly number[]): number {
  const sorted = [...new Set(values)].sort((a, b) => a - b);
  const steps = sorted.slice(1).map((value, index) => value - (sorted[index] as number));
  return steps.length ? Math.min(...steps) : 1;
}

function cells(chart: Chart, dots: readonly Dot[], look: Look): void {
  const { x, y } = chart.scales;
  if (!x || !y) return;
  const [low, high] = rangeOf(dots.map((dot) => dot.z as number));
  const [wide, tall] = [spacing(dots.map((dot) => dot.x)), spacing(dots.map((dot) => dot.y as number))];
  for (const dot of dots) {
    const [left, right] = [x.getPixelForValue(dot.x - wide / 2), x.getPixelForValue(dot.x + wide / 2)];
    const [top, bottom] = [dot.y + tall / 2, dot.y - tall / 2].map((value) => y.getPixelForValue(value));
    chart.ctx.fillStyle = rampColor(look.ramp, high > low ? ((dot.z as number) - low) / (high - low) : 0.5);
    // Half a pixel more on each side: no seams between cells.
    chart.ctx.fillRect(left, top as number, right - left + 0.5, (bottom as number) - (top as number) + 0.5);
  }
}

function brief(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** What the colours say, over the picture's upper right corner. */
function key(chart: Chart, dots: readonly Dot[], spec: ChartSpec, look: Look): void {
  const { ctx, chartArea } = chart;
  const [low, high] = rangeOf(dots.map((dot) => dot.z as number));
  const [left, top] = [chartArea.right - KEY_PX.width, chartArea.top - 16];
  const gradient = ctx.createLinearGradient(left, 0, chartArea.right, 0);
  look.ramp.forEach((color, index) => {
    gradient.addColorStop(index / (look.ramp.length - 1), color);
  });
  ctx.fillStyle = gradient;
  ctx.fillRect(left, top, KEY_PX.width, KEY_PX.height);
  ctx.fillStyle = look.muted;
  ctx.font = `11px ${look.font}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "right";
  const unit = spec.z?.unit ?? "";
  ctx.fillText(`${brief(low)} to ${brief(high)} ${unit}`, left - 8, top + KEY_PX.height / 2);
}

function bars(chart: Chart, dots: readonly Dot[], color: string, axis: string): void {
  const { x, [axis]: y } = chart.scales;
  if (!x || !y) return;
  chart.ctx.strokeStyle = color;
  chart.ctx.lineWidth = 1.4;
  chart.ctx.beginPath();
  for (const dot of dots) {
    if (dot.low === undefined || dot.high === undefined) continue;
    const at = x.getPixelForValue(dot.x);
    const [low, high] = [y.getPixelForValue(dot.low), y.getPixelForValue(dot.high)];
    chart.ctx.moveTo(at, low);
    chart.ctx.lineTo(at, high);
    for (const end of [low, high]) {
      chart.ctx.moveTo(at - CAP_PX, end);
      chart.ctx.lineTo(at + CAP_PX, end);
    }
  }
  chart.ctx.stroke();
}

function boxes(chart: Chart, dots: readonly Dot[], color: string): void {
  const { x, y } = chart.scales;
  if (!x || !y) return;
  bars(chart, dots, color, "y");
  const wide = Math.min(90, Math.abs(x.getPixelForValue(1) - x.getPixelForValue(0)) * BOX_SHARE);
  for (const dot of dots) {
    const left = x.getPixelForValue(dot.x) - wide / 2;
    const [top, middle, bottom] = [dot.q3, dot.y, dot.q1].map((value) =>
      y.getPixelForValue(value as number),
    ) as [number, number, number];
    chart.ctx.lineWidth = 1.4;
    chart.ctx.clearRect(left, top, wide, bottom - top);
    chart.ctx.strokeRect(left, top, wide, bottom - top);
    chart.ctx.lineWidth = 3;
    chart.ctx.beginPath();
    chart.ctx.moveTo(left, middle);
    chart.ctx.lineTo(left + wide, middle);
    chart.ctx.stroke();
  }
}

/** Draws what Chart.js has no element for: cells, boxes and error bars, each with its own series. */
export function layers(spec: ChartSpec, look: Look): Plugin<"scatter"> {
  return {
    id: "layers",
    beforeDatasetDraw: (chart, { index }) => {
      const dataset = chart.data.datasets[index] as Dataset | undefined;
      if (!dataset || !chart.isDatasetVisible(index)) return;
      const dots = dataset.data;
      const color = String(dataset.borderColor);
      const { left, top, width, height } = chart.chartArea;
      const plain = chart as unknown as Chart;
      chart.ctx.save();
      if (dataset.role === "cells") key(plain, dots, spec, look);
      chart.ctx.beginPath();
      chart.ctx.rect(left - CAP_PX - 2, top, width + 2 * CAP_PX + 4, height);
      chart.ctx.clip();
      if (dataset.role === "cells") cells(plain, dots, look);
      else if (dataset.role === "box") boxes(plain, dots, color);
      else if (dots.some((dot) => dot.low !== undefined)) bars(plain, dots, color, dataset.yAxisID ?? "y");
      chart.ctx.restore();
    },
  };
}
