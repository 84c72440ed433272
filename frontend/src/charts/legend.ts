import type { Chart } from "chart.js";
import type { Dataset } from "./common";

const SVG = "http://www.w3.org/2000/svg";

/** Each form's outline around the origin, as the canvas draws it. */
const FORMS: Readonly<Record<string, string>> = {
  circle: "M-2.6 0a2.6 2.6 0 1 0 5.2 0a2.6 2.6 0 1 0-5.2 0Z",
  triangle: "M0-3L2.8 2H-2.8Z",
  rectRot: "M0-3.2L3.2 0L0 3.2L-3.2 0Z",
  rect: "M-2.5-2.5H2.5V2.5H-2.5Z",
  crossRot: "M-2.5-2.5L2.5 2.5M2.5-2.5L-2.5 2.5",
  star: "M-2.5-2.5L2.5 2.5M2.5-2.5L-2.5 2.5M0-3.4V3.4M-3.4 0H3.4",
};

function shape(name: string, attributes: Record<string, string>): SVGElement {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

function line(dataset: Dataset): SVGElement {
  const dash = "borderDash" in dataset && Array.isArray(dataset.borderDash) ? dataset.borderDash : [];
  const stroke = String(dataset.borderColor);
  return shape("line", {
    x1: "0",
    y1: "6",
    x2: "24",
    y2: "6",
    stroke,
    "stroke-width": "2",
    "stroke-dasharray": dash.join(" "),
  });
}

function dots(dataset: Dataset, places: readonly (readonly [number, number])[]): SVGElement[] {
  const color = String(dataset.borderColor);
  const form = "pointStyle" in dataset ? String(dataset.pointStyle) : "circle";
  return places.map(([x, y]) =>
    shape("path", {
      d: FORMS[form] ?? FORMS.circle ?? "",
      transform: `translate(${x} ${y})`,
      fill: color,
      stroke: color,
    }),
  );
}

function area(dataset: Dataset): SVGElement {
  const filled = dataset.role === "box" ? "none" : String(dataset.backgroundColor);
  const stroke = dataset.role === "box" ? String(dataset.borderColor) : "none";
  return shape("rect", {
    x: "2",
    y: "1.5",
    width: "20",
    height: "9",
    fill: filled,
    stroke,
    "stroke-width": "1.5",
  });
}

function swatch(dataset: Dataset): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 12");
  svg.setAttribute("aria-hidden", "true");
  if (["band", "spread", "box"].includes(dataset.role)) svg.append(area(dataset));
  else if (dataset.role === "points" || dataset.role === "faint") {
    const joined = dataset.showLine === true;
    if (joined) svg.append(line(dataset));
    svg.append(
      ...dots(
        dataset,
        joined
          ? [[12, 6]]
          : [
              [4, 8],
              [12, 5],
              [20, 7],
            ],
      ),
    );
  } else svg.append(line(dataset));
  return svg;
}

/** Fills the legend with a button per series that shows and hides it; the server has reserved the room. */
export function fillLegend(list: HTMLElement, chart: Chart<"scatter">): void {
  const items = chart.data.datasets.flatMap((each, index) => {
    const dataset = each as Dataset;
    // Of a heat map there is one series, and its colours are explained in the picture.
    if (dataset.role === "cells") return [];
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-pressed", String(chart.isDatasetVisible(index)));
    button.append(swatch(dataset), dataset.label ?? "");
    button.addEventListener("click", () => {
      const visible = !chart.isDatasetVisible(index);
      chart.setDatasetVisibility(index, visible);
      chart.update();
      button.setAttribute("aria-pressed", String(visible));
    });
    const item = document.createElement("li");
    item.append(button);
    return [item];
  });
  list.replaceChildren(...items);
}
