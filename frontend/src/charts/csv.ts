import type { ChartSpec } from "./spec";

const COLUMNS = ["x", "y", "z", "low", "high", "q1", "q3"] as const;

/** What stands in a cell: words with a comma or a quotation mark in quotation marks (RFC 4180, section 2). */
function cell(words: string): string {
  return /[",\r\n]/.test(words) ? `"${words.replaceAll('"', '""')}"` : words;
}

/**
 * A chart's points as CSV with the columns that the server's files have; a place with a name is told by it.
 */
export function csvOf(spec: ChartSpec): string {
  const used = COLUMNS.filter((name) => spec.series.some((series) => series[name]?.length));
  const lines = spec.series.flatMap((series) =>
    series.x.map((_, index) => {
      const values = used.map((name) => {
        const value = series[name]?.[index];
        const word = name === "x" ? spec.x.categories?.[Math.round(value ?? 0)] : undefined;
        return cell(word ?? String(value ?? ""));
      });
      return [cell(series.label), ...values].join(",");
    }),
  );
  return [["series", ...used].join(","), ...lines, ""].join("\r\n");
}
