export type Theme = "light" | "dark";

const COOKIE = "theme";
const YEAR_S = 31_536_000;

/** Which theme the page shows: the one chosen, or else the system's. */
export function shownTheme(chosen: string | undefined, systemIsDark: boolean): Theme {
  if (chosen === "light" || chosen === "dark") return chosen;
  return systemIsDark ? "dark" : "light";
}

/**
 * The cookie that remembers a choice. The server reads it, so that no page flashes in the other theme first.
 */
export function themeCookie(theme: Theme, secure: boolean): string {
  return `${COOKIE}=${theme}; Path=/; Max-Age=${YEAR_S}; SameSite=Lax${secure ? "; Secure" : ""}`;
}

function label(button: HTMLElement, theme: Theme): void {
  const other = theme === "dark" ? "light" : "dark";
  button.setAttribute("aria-label", `Switch to the ${other} theme`);
  button.title = `Switch to the ${other} theme`;
}

/** Makes the theme button work and calls `changed` after each change, also by the system. */
export function watchTheme(button: HTMLElement | null, changed: () => void): void {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const shown = () => shownTheme(root.dataset.theme, system.matches);
  system.addEventListener("change", () => {
    if (button) label(button, shown());
    changed();
  });
  if (!button) return;
  button.hidden = false;
  label(button, shown());
  button.addEventListener("click", () => {
    const theme: Theme = shown() === "dark" ? "light" : "dark";
    root.dataset.theme = theme;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser that we serve.
    document.cookie = themeCookie(theme, location.protocol === "https:");
    label(button, theme);
    changed();
  });
}
