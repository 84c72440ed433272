/** A drive model that somebody gathers for a comparison: its key there, and its name. */
export interface Gathered {
  key: string;
  title: string;
}

/** As many as a comparison takes. */
export const MOST = 8;
const STORE = "diskatlas-tray";

/** What a stored text holds; nothing where it is none of ours. */
export function gatheredOf(text: string | null): Gathered[] {
  try {
    const found: unknown = JSON.parse(text ?? "[]");
    if (!Array.isArray(found)) return [];
    return found.filter(isGathered).slice(0, MOST);
  } catch {
    return [];
  }
}

function isGathered(one: unknown): one is Gathered {
  const { key, title } = (one ?? {}) as Partial<Gathered>;
  return typeof key === "string" && key !== "" && typeof title === "string";
}

/** The same with a model put in, or taken out where it was in; a full tray takes none. */
export function toggled(all: readonly Gathered[], one: Gathered): Gathered[] {
  const rest = all.filter((other) => other.key !== one.key);
  return rest.length < all.length || rest.length >= MOST ? rest : [...rest, one];
}

/** The address of the comparison of all of them. */
export function comparison(all: readonly Gathered[]): string {
  return `/compare/?${new URLSearchParams(all.map((one) => ["d", one.key])).toString()}`;
}

/**
 * Gathers models while one browses: by the boxes of lists and a button on models' pages. They stay in the
 * browser's own storage and are sent nowhere. Without scripts the same places lead to a comparison at once.
 */
export function watchTray(root: Document): void {
  const bar = root.querySelector<HTMLElement>("[data-tray]");
  if (bar) new Tray(root, bar).show();
}

class Tray {
  private all: Gathered[] = [];

  constructor(
    private readonly root: Document,
    private readonly bar: HTMLElement,
  ) {
    this.read();
    for (const link of root.querySelectorAll<HTMLElement>("[data-tray-add]")) this.addButton(link);
    root.addEventListener("change", (event) => {
      const box = event.target as HTMLInputElement;
      if (box.matches("[data-tray-box]")) this.toggle({ key: box.value, title: box.dataset.trayBox ?? "" });
    });
    root.addEventListener("diskatlas:replaced", () => this.show());
    // Another tab has a tray too, and a page that comes back from the browser's memory is an old one.
    addEventListener("storage", () => this.reload());
    addEventListener("pageshow", () => this.reload());
    bar.querySelector("[data-tray-clear]")?.addEventListener("click", () => this.keep([]));
  }

  /** Brings the bar, the boxes and the buttons to what is gathered. */
  show(): void {
    const keys = new Set(this.all.map((one) => one.key));
    this.bar.hidden = this.all.length === 0 || location.pathname === "/compare/";
    this.root.documentElement.classList.toggle("with-tray", !this.bar.hidden);
    const link = this.bar.querySelector<HTMLAnchorElement>("[data-tray-compare]");
    if (link) {
      link.href = comparison(this.all);
      link.textContent = this.all.length === 1 ? "Compare it" : `Compare these ${this.all.length}`;
    }
    this.bar.querySelector("[data-tray-list]")?.replaceChildren(...this.all.map((one) => this.item(one)));
    for (const box of this.root.querySelectorAll<HTMLInputElement>("[data-tray-box]"))
      box.checked = keys.has(box.value);
    for (const button of this.root.querySelectorAll<HTMLElement>("[data-tray-key]"))
      button.setAttribute("aria-pressed", String(keys.has(button.dataset.trayKey ?? "")));
  }

  private item(one: Gathered): HTMLElement {
    const item = this.root.createElement("li");
    const link = this.root.createElement("a");
    link.href = `/drives/${encodeURIComponent(one.key)}/`;
    link.textContent = one.title;
    const away = this.root.createElement("button");
    away.type = "button";
    away.textContent = "×";
    away.setAttribute("aria-label", `Take ${one.title} away`);
    away.addEventListener("click", () => this.toggle(one));
    item.append(link, away);
    return item;
  }

  private addButton(link: HTMLElement): void {
    const { trayAdd: key = "", trayTitle: title = "" } = link.dataset;
    const button = this.root.createElement("button");
    button.type = "button";
    button.className = link.className;
    button.dataset.trayKey = key;
    button.textContent = "Gather for a comparison";
    button.addEventListener("click", () => this.toggle({ key, title }));
    link.after(" ", button);
  }

  private toggle(one: Gathered): void {
    this.keep(toggled(this.all, one));
  }

  private keep(all: Gathered[]): void {
    this.all = all;
    try {
      localStorage.setItem(STORE, JSON.stringify(all));
    } catch {
      // A browser that keeps nothing gathers on this page alone.
    }
    this.show();
  }

  private reload(): void {
    this.read();
    this.show();
  }

  private read(): void {
    try {
      this.all = gatheredOf(localStorage.getItem(STORE));
    } catch {
      this.all = [];
    }
  }
}
