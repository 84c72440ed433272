const WAIT_MS = 300;

/** Returns the shortest query of a form: fields that are empty say nothing. */
export function queryOf(pairs: Iterable<[string, FormDataEntryValue]>): string {
  const query = new URLSearchParams();
  for (const [name, value] of pairs) if (typeof value === "string" && value !== "") query.append(name, value);
  return query.toString();
}

/**
 * Shows what a form of choices leaves without loading the page again. The server answers with the parts that
 * change, each with the id of what it takes the place of, and with the address of that state. Without scripts
 * the form is sent as it is.
 */
export function watchRefine(root: ParentNode): void {
  for (const form of root.querySelectorAll<HTMLFormElement>("form[data-refine]")) new Refiner(form);
}

class Refiner {
  private waiting: ReturnType<typeof setTimeout> | undefined;
  private asking: AbortController | undefined;
  private shown = location.search;

  constructor(private readonly form: HTMLFormElement) {
    form.addEventListener("change", (event) => {
      if ((event.target as HTMLElement).matches("[type=checkbox], [type=radio]")) void this.load("push");
    });
    form.addEventListener("input", (event) => {
      if (!(event.target as HTMLElement).matches("[type=search]")) return;
      clearTimeout(this.waiting);
      this.waiting = setTimeout(() => void this.load("replace"), WAIT_MS);
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.load("push");
    });
    // The form's fields are the server's to fill in: what an earlier address meant is loaded whole. A link to
    // a place on the page is such an event too, and changes nothing that is shown.
    addEventListener("popstate", () => {
      if (location.search !== this.shown) location.reload();
    });
  }

  private async load(history_: "push" | "replace"): Promise<void> {
    clearTimeout(this.waiting);
    this.asking?.abort();
    const asking = new AbortController();
    this.asking = asking;
    const address = `${this.form.action.split("?")[0]}?${queryOf(new FormData(this.form))}`;
    try {
      const answer = await fetch(address, { headers: { "X-Part": "results" }, signal: asking.signal });
      // One that is no part (a pasted run id leads to its run) is gone to.
      const state = answer.headers.get("X-Address");
      if (!answer.ok || state === null) {
        location.assign(answer.redirected ? answer.url : address);
        return;
      }
      const html = await answer.text();
      if (asking.signal.aborted) return;
      replaceParts(html);
      if (history_ === "push") history.pushState(null, "", state);
      else history.replaceState(null, "", state);
      this.shown = location.search;
    } catch (error) {
      if (!(error instanceof DOMException && error.name === "AbortError")) location.assign(address);
    }
  }
}

/** Puts each part in the place of what has its id; focus and scrolling stay where they were. */
function replaceParts(html: string): void {
  const parts = new DOMParser().parseFromString(html, "text/html").body.children;
  const focused = document.activeElement?.id;
  for (const part of [...parts]) {
    const old = document.getElementById(part.id);
    if (!old) continue;
    const scrolled = old.scrollTop;
    old.replaceWith(part);
    part.scrollTop = scrolled;
  }
  document.dispatchEvent(new Event("diskatlas:replaced"));
  if (focused && document.activeElement?.id !== focused) {
    document.getElementById(focused)?.focus({ preventScroll: true });
  }
}
