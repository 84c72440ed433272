import type { default as Htmx } from "htmx.org";

/** Loads htmx where a page polls a fragment, and nowhere else. */
export async function watchLive(root: ParentNode, swapped: (element: ParentNode) => void): Promise<void> {
  if (!root.querySelector("[hx-get]")) return;
  const htmx: typeof Htmx = (await import("htmx.org")).default;
  // Neither evaluated code nor inline styles pass the content security policy.
  htmx.config.allowEval = false;
  htmx.config.includeIndicatorStyles = false;
  htmx.config.selfRequestsOnly = true;
  document.body.addEventListener("htmx:afterSettle", (event) => {
    if (event.target instanceof HTMLElement) swapped(event.target);
  });
  htmx.process(document.body);
}
