/** The fold of the section that a link's heading stands in; undefined where it has none. */
export function foldOf(heading: Element | null): HTMLDetailsElement | undefined {
  return (
    heading?.closest(".section")?.querySelector<HTMLDetailsElement>(":scope > details.fold") ?? undefined
  );
}

/**
 * Opens the section that a link leads to: on a phone sections are folded below their headings. A browser that
 * lets no style open them has them open from the start, unless the screen is narrow.
 */
export function watchFolds(root: Document): void {
  const openTarget = () => {
    const fold = foldOf(root.getElementById(decodeURIComponent(location.hash.slice(1))));
    if (fold) fold.open = true;
  };
  if (!CSS.supports("selector(::details-content)") && !matchMedia("(max-width: 40rem)").matches)
    for (const fold of root.querySelectorAll<HTMLDetailsElement>("details.fold")) fold.open = true;
  addEventListener("hashchange", openTarget);
  openTarget();
}
