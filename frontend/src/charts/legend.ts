import type { Chart } from "chart.js";
import type { Dataset } from "./common";

const SVG = "http://www.w3.org/2000/svg";

function line(dataset: Dataset): SVGElement {
  const element = document.createElementNS(SVG, "line");
  const dash = "borderDash" in dataset && Array.isArray(dataset.borderDash) ? dataset.borderDash : [];
  for (const [name, value] of Object.entries({ x1: 0, y1: 6, x2: 24, y2: 6 })) {
    element.setAttribute(name, String(value));
  }
  element.setAttribute("stroke", String(dataset.borderColor));
  element.setAttribute("stroke-width", "2.5");
  element.setAttribute("stroke-dasharray", dash.join(" "));
  return element;
}

function dots(dataset: Dataset): SVGElement {
  const group = document.createElementNS(SVG, "g");
  group.setAttribute("fill", String(dataset.borderColor));
  for (const [x, y] of [
    [4, 8],
    [12, 5],
    [20, 7],
  ]) {
    const dot = document.createElementNS(SVG, "circle");
    dot.setAttribute("cx", String(x));
    dot.setAttribute("cy", String(y));
    dot.setAttribute("r", "2.4");
    group.append(dot);
  }
  return group;
}

function swatch(dataset: Dataset): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 12");
  svg.setAttribute("aria-hidden", "true");
  svg.append(dataset.showLine === false ? dots(dataset) : line(dataset));
  return svg;
}

/** Fills the legend with a button per series that shows and hides it; the server has reserved the room. */
export function fillLegend(list: HTMLElement, chart: Chart<"scatter">): void {
  const items = chart.data.datasets.map((dataset, index) => {
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-pressed", String(chart.isDatasetVisible(index)));
    button.append(swatch(dataset as Dataset), dataset.label ?? "");
    button.addEventListener("click", () => {
      const visible = !chart.isDatasetVisible(index);
      chart.setDatasetVisibility(index, visible);
      chart.update();
      button.setAttribute("aria-pressed", String(visible));
    });
    const item = document.createElement("li");
    item.append(button);
    return item;
  });
  list.replaceChildren(...items);
}
