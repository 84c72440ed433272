/** Say on the page that a browser gave no passkey, which allauth's script tells by an event. */
export function watchPasskeys(document: Document): void {
  document.addEventListener("allauth.error", (event) => {
    event.preventDefault();
    for (const note of document.querySelectorAll<HTMLElement>("[data-passkey-error]")) {
      note.hidden = false;
    }
  });
}
