const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

/** Where the focus goes from a ring by a key; undefined where the key is not for it. */
export function ringAfter(key: string, place: number, count: number): number | undefined {
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  const step = STEPS[key];
  return step === undefined ? undefined : Math.min(Math.max(place + step, 0), count - 1);
}

/** Lets arrow keys walk along the rings of platters: one of them has the tab stop. */
export function watchPlatters(root: ParentNode): void {
  for (const platter of root.querySelectorAll<HTMLElement>("[data-platter]")) {
    const rings = [...platter.querySelectorAll<SVGElement>(".zone")];
    platter.addEventListener("keydown", (event) => {
      const place = rings.indexOf(event.target as SVGElement);
      const next = place < 0 ? undefined : ringAfter(event.key, place, rings.length);
      if (next === undefined) return;
      event.preventDefault();
      rings[place]?.setAttribute("tabindex", "-1");
      rings[next]?.setAttribute("tabindex", "0");
      rings[next]?.focus();
    });
  }
}
