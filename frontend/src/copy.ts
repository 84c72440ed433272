const SHOWN_MS = 1600;

/** Gives each block of commands a button that copies it. */
export function watchCopy(root: ParentNode): void {
  for (const block of root.querySelectorAll<HTMLElement>("[data-copy]")) {
    const button = block.querySelector<HTMLButtonElement>("button");
    const text = block.querySelector("code")?.textContent ?? "";
    // Browsers give the clipboard to secure pages only; elsewhere the text can still be selected.
    if (!button || !navigator.clipboard) continue;
    button.hidden = false;
    button.addEventListener("click", async () => {
      const before = button.textContent;
      await navigator.clipboard.writeText(text.trim());
      button.textContent = "Copied";
      setTimeout(() => {
        button.textContent = before;
      }, SHOWN_MS);
    });
  }
}
