/** Where somebody stands who walks along a picture's points by keys. */
export interface Place {
  readonly series: number;
  readonly index: number;
}

/** What walking has to know of each series, in order: whether it is shown, and x of its points. */
export interface Row {
  readonly visible: boolean;
  readonly x: readonly number[];
}

const LEAP = 10;

/** The points of a series in the order in which they are walked: along x. */
function order(row: Row): number[] {
  return row.x.map((_, index) => index).sort((a, b) => (row.x[a] as number) - (row.x[b] as number));
}

function nearest(row: Row, x: number): number {
  let found = 0;
  row.x.forEach((value, index) => {
    if (Math.abs(value - x) < Math.abs((row.x[found] as number) - x)) found = index;
  });
  return found;
}

function other(rows: readonly Row[], place: Place, step: number): Place {
  for (let count = 1; count <= rows.length; count++) {
    const series = (place.series + step * count + rows.length * count) % rows.length;
    const row = rows[series];
    if (!row?.visible || row.x.length === 0) continue;
    return { series, index: nearest(row, rows[place.series]?.x[place.index] ?? 0) };
  }
  return place;
}

/**
 * Where a key leads: along the series by left and right, by leaps with the page keys, to another series by up
 * and down.
 */
export function walk(rows: readonly Row[], place: Place | undefined, key: string): Place | undefined {
  const start = place && rows[place.series]?.visible ? place : other(rows, { series: -1, index: 0 }, 1);
  const row = rows[start.series];
  if (!row?.visible) return undefined;
  const along = order(row);
  const last = along.length - 1;
  if (!place || start !== place)
    return { series: start.series, index: along[key === "End" ? last : 0] as number };
  const at = along.indexOf(place.index);
  const leap = Math.max(1, Math.round(along.length / LEAP));
  const targets: Record<string, number> = {
    ArrowLeft: at - 1,
    ArrowRight: at + 1,
    PageUp: at - leap,
    PageDown: at + leap,
    Home: 0,
    End: last,
  };
  const target = targets[key];
  if (target !== undefined) {
    return { series: place.series, index: along[Math.min(Math.max(target, 0), last)] as number };
  }
  if (key === "ArrowUp" || key === "ArrowDown") return other(rows, place, key === "ArrowUp" ? -1 : 1);
  return undefined;
}
