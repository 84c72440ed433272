/**
 * Keeps a part of the page as new as the archive: an element with `data-poll-url` is replaced, every
 * `data-poll-s` seconds, by what that address answers, until what comes names no address any more. An answer
 * with `X-Reload` says that the whole page has become another.
 */
export function watchLive(root: ParentNode, swapped: (element: ParentNode) => void): void {
  for (const part of root.querySelectorAll<HTMLElement>("[data-poll-url]")) wait(part, swapped);
}

function wait(part: HTMLElement, swapped: (element: ParentNode) => void): void {
  const seconds = Number(part.dataset.pollS) || 5;
  setTimeout(() => void renew(part, swapped), seconds * 1000);
}

async function renew(part: HTMLElement, swapped: (element: ParentNode) => void): Promise<void> {
  const address = part.dataset.pollUrl;
  if (!address || !part.isConnected) return;
  let next = part;
  try {
    const answer = await fetch(address, { headers: { "X-Part": "status" } });
    if (answer.headers.has("X-Reload")) {
      location.reload();
      return;
    }
    if (answer.ok) {
      const html = new DOMParser().parseFromString(await answer.text(), "text/html");
      const found = html.body.firstElementChild;
      if (found instanceof HTMLElement) {
        part.replaceWith(found);
        swapped(found);
        next = found;
      }
    }
  } catch {
    // The archive does not answer just now: it is asked again.
  }
  if (next.dataset.pollUrl) wait(next, swapped);
}
