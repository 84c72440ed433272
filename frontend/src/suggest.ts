/** What `/drives/suggest/` and `/compare/suggest/` answer with. */
export interface Suggestion {
  kind: "drive" | "vendor" | "run" | "group";
  label: string;
  detail: string;
  url: string;
}

const WAIT_MS = 140;
const SHORTEST = 2;

/** Returns which option is chosen after a key: -1 is the text field itself, and the ends meet there. */
export function moved(chosen: number, count: number, key: string): number {
  if (count === 0) return -1;
  const step = key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
  return ((chosen + 1 + step + count + 1) % (count + 1)) - 1;
}

/** Returns the suggestions of an answer; anything that is none is left out. */
export function suggestionsOf(answer: unknown): Suggestion[] {
  const found = (answer as { suggestions?: unknown } | null)?.suggestions;
  if (!Array.isArray(found)) return [];
  return found.filter(
    (one): one is Suggestion =>
      typeof one?.label === "string" && typeof one?.url === "string" && one.url.startsWith("/"),
  );
}

/** Returns the address that asks for suggestions; what the address says already stays. */
export function asked(address: string, text: string): string {
  return `${address}${address.includes("?") ? "&" : "?"}q=${encodeURIComponent(text)}`;
}

/**
 * Makes a combobox of each search field that names where suggestions come from; without scripts it is a
 * field.
 */
export function watchSuggest(root: ParentNode): void {
  for (const box of root.querySelectorAll<HTMLElement>("[data-suggest]")) {
    const field = box.querySelector("input");
    if (field) new Combobox(box, field, box.dataset.suggest ?? "");
  }
}

class Combobox {
  private readonly list = document.createElement("ul");
  private readonly status = document.createElement("p");
  private offered: Suggestion[] = [];
  private chosen = -1;
  private waiting: ReturnType<typeof setTimeout> | undefined;
  private asking: AbortController | undefined;

  constructor(
    box: HTMLElement,
    private readonly field: HTMLInputElement,
    private readonly address: string,
  ) {
    this.list.id = `${field.id}-suggestions`;
    this.list.role = "listbox";
    this.list.ariaLabel = "Suggestions";
    this.list.className = "suggestions plain";
    this.list.hidden = true;
    this.status.role = "status";
    this.status.className = "visually-hidden";
    box.append(this.list, this.status);
    field.role = "combobox";
    field.ariaAutoComplete = "list";
    field.ariaExpanded = "false";
    field.setAttribute("aria-controls", this.list.id);
    field.addEventListener("input", () => this.ask());
    field.addEventListener("keydown", (event) => this.key(event));
    field.form?.addEventListener("submit", () => this.close());
    box.addEventListener("focusout", (event) => {
      if (!box.contains(event.relatedTarget as Node | null)) this.close();
    });
    // The field keeps the focus while an option is pressed; otherwise the list would close under the pointer.
    this.list.addEventListener("mousedown", (event) => event.preventDefault());
  }

  private ask(): void {
    clearTimeout(this.waiting);
    this.asking?.abort();
    const text = this.field.value.trim();
    if (text.length < SHORTEST) {
      this.close();
      return;
    }
    this.waiting = setTimeout(() => void this.fetch(text), WAIT_MS);
  }

  private async fetch(text: string): Promise<void> {
    const asking = new AbortController();
    this.asking = asking;
    try {
      const answer = await fetch(asked(this.address, text), { signal: asking.signal });
      if (!answer.ok) return;
      const offered = suggestionsOf(await answer.json());
      if (!asking.signal.aborted && document.activeElement === this.field) this.show(offered);
    } catch {
      // An older question, or no network: the field goes on working as a field.
    }
  }

  private show(offered: Suggestion[]): void {
    this.offered = offered;
    this.list.replaceChildren(...offered.map((one, place) => this.option(one, place)));
    this.list.hidden = offered.length === 0;
    this.field.ariaExpanded = String(offered.length > 0);
    this.status.textContent =
      offered.length === 0
        ? "No suggestions"
        : `${offered.length} suggestion${offered.length > 1 ? "s" : ""}`;
    this.choose(-1);
  }

  private option(one: Suggestion, place: number): HTMLElement {
    const item = document.createElement("li");
    item.role = "option";
    item.id = `${this.list.id}-${place}`;
    item.ariaSelected = "false";
    const label = document.createElement("span");
    label.className = "suggestion-label";
    label.textContent = one.label;
    const detail = document.createElement("span");
    detail.className = "suggestion-detail";
    detail.textContent = one.detail;
    item.append(label, " ", detail);
    item.addEventListener("click", () => location.assign(one.url));
    return item;
  }

  private choose(place: number): void {
    this.chosen = place;
    for (const [index, item] of [...this.list.children].entries()) {
      item.ariaSelected = String(index === place);
      if (index === place) item.scrollIntoView({ block: "nearest" });
    }
    if (place < 0) this.field.removeAttribute("aria-activedescendant");
    else this.field.setAttribute("aria-activedescendant", `${this.list.id}-${place}`);
  }

  private key(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (this.list.hidden) this.ask();
      else this.choose(moved(this.chosen, this.offered.length, event.key));
    } else if (event.key === "Escape" && !this.list.hidden) {
      event.preventDefault();
      this.close();
    } else if (event.key === "Enter" && !this.list.hidden) {
      const one = this.offered[this.chosen];
      if (!one) return;
      event.preventDefault();
      location.assign(one.url);
    }
  }

  private close(): void {
    clearTimeout(this.waiting);
    this.asking?.abort();
    this.list.hidden = true;
    this.field.ariaExpanded = "false";
    this.status.textContent = "";
    this.choose(-1);
  }
}
