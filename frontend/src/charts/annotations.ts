import type { AnnotationOptions } from "chartjs-plugin-annotation";
import { fade } from "./format";
import type { Annotation, Look } from "./spec";

function label(annotation: Annotation, look: Look) {
  return {
    display: !look.narrow,
    content: annotation.label,
    color: look.ink,
    backgroundColor: fade(look.surface, 0.9),
    font: { family: look.font, size: 11, weight: "normal" as const },
    padding: 3,
    borderRadius: 2,
  };
}

/** How far a line's place may lie off: a stripe behind it. */
function stripe(annotation: Annotation, vertical: boolean, look: Look): AnnotationOptions[] {
  const { low, high } = annotation;
  if (low === null || low === undefined || high === null || high === undefined) return [];
  const span = vertical ? { xMin: low, xMax: high } : { yMin: low, yMax: high };
  return [
    {
      type: "box",
      ...span,
      borderWidth: 0,
      backgroundColor: fade(look.muted, 0.14),
      drawTime: "beforeDatasetsDraw",
    },
  ];
}

/** A line across the picture where one coordinate is given, a ringed point where both are. */
export function toAnnotation(annotation: Annotation, look: Look, index = 0): AnnotationOptions[] {
  if (annotation.x !== null && annotation.y !== null) {
    const at = { xValue: annotation.x, yValue: annotation.y };
    const ring: AnnotationOptions = {
      type: "point",
      ...at,
      radius: 6,
      borderColor: look.ink,
      borderWidth: 1.5,
      backgroundColor: "transparent",
    };
    // Words above and below by turns: annotations that fall together can still be read.
    const words = { ...label(annotation, look), xAdjust: 8, yAdjust: index % 2 === 0 ? -20 : 20 };
    return [ring, { type: "label", ...at, ...words, position: "start" } as const];
  }
  const vertical = annotation.x !== null;
  const value = vertical ? annotation.x : annotation.y;
  if (value === null) return [];
  return [
    ...stripe(annotation, vertical, look),
    {
      type: "line",
      scaleID: vertical ? "x" : "y",
      value,
      borderColor: look.muted,
      borderWidth: 1,
      borderDash: [3, 3],
      label: { ...label(annotation, look), position: vertical ? "end" : "start" },
    },
  ];
}
