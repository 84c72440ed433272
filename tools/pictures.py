"""`make pictures`: the pictures of pages below docs/user/pictures/, taken from a running demo.

    make demo                      in one terminal
    make pictures                  in another; DEMO_PORT as for the demo
    python -m tools.pictures run   some of them alone

Everything in them is of the demo's simulated drives and of the catalogue of published values. Each picture is
taken in both themes and written as WebP by the browser itself.
"""

from __future__ import annotations

import base64
import os
import sys
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, sync_playwright

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "user" / "pictures"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")
QUALITY = 0.8
MOST_BYTES = 3_000_000
"""Of all pictures together."""
WRITE_WEBP = """async ([source, quality]) => {
  const image = new Image();
  image.src = source;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth;
  canvas.height = image.naturalHeight;
  canvas.getContext("2d").drawImage(image, 0, 0);
  return canvas.toDataURL("image/webp", quality).split(",")[1];
}"""


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture: of the top of a page, or of one part of it."""

    name: str
    path: str
    width: int = 1080
    height: int = 760
    part: str = ""
    """A selector; its first match that is drawn is the picture."""
    typed: str = ""
    """What is typed into the page's first combobox in `main`."""


SHOTS = (
    Shot("home", "/", height=1000),
    Shot("search", "/drives/?q=hd103", height=560),
    Shot("drive", "/drives/samsung-hd103sj/", height=1000),
    Shot("sawtooth", "/drives/samsung-hd103sj/", part='figure.chart[data-shape="sawtooth"]'),
    Shot("surface", "/drives/samsung-hd103sj/", part='figure.chart[data-shape="surface"]'),
    Shot("compare", "/compare/?d=maxtor-2f040l0&d=maxtor-6l040j2&level=0.9", height=1000),
    Shot("compare-add", "/compare/?d=maxtor-2f040l0", height=620, typed="samsung"),
    Shot("claims", "/claims/", height=860),
    Shot("run", "RUN", height=860),
    Shot("trust", "RUN", part='section[aria-labelledby="trust-title"]'),
    Shot("method", "/methods/skippy/", height=760),
    Shot("contribute", "/contribute/", height=620),
    Shot("phone", "/drives/samsung-hd103sj/#claims-title", width=360, height=860),
)


class PictureError(Exception):
    """What keeps a picture from being taken, and what to do."""


def main() -> int:
    """Take every picture in both themes; return the exit code."""
    address = f"http://127.0.0.1:{os.environ.get('DEMO_PORT', '8000')}"
    try:
        _check(address)
        FOLDER.mkdir(parents=True, exist_ok=True)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            for theme in THEMES:
                _take_all(browser, address, theme)
            browser.close()
        size = sum(file.stat().st_size for file in FOLDER.glob("*.webp"))
        print(f"pictures: {size / 1e6:.2f} MB in {FOLDER}")
        if size > MOST_BYTES:
            raise PictureError(
                f"Together they may have {MOST_BYTES / 1e6:g} MB. Take smaller ones, or fewer."
            )
    except PictureError as error:
        print(f"pictures: {error}", file=sys.stderr)
        return 1
    return 0


def _check(address: str) -> None:
    try:
        urllib.request.urlopen(f"{address}/health/", timeout=30).close()
    except (urllib.error.URLError, OSError) as error:
        raise PictureError(
            f"Nothing answers at {address} ({error}). Call `make demo` in another terminal first."
        ) from None


def _take_all(browser: Browser, address: str, theme: Theme) -> None:
    named = set(sys.argv[1:])
    for shot in SHOTS:
        if named and shot.name not in named:
            continue
        viewport: ViewportSize = {"width": shot.width, "height": shot.height}
        context = browser.new_context(viewport=viewport, color_scheme=theme, reduced_motion="reduce")
        page = context.new_page()
        page.goto(address + _path(page, address, shot))
        # A page does without a font that comes late; the second time all of them are there at once.
        page.reload(wait_until="networkidle")
        png = _png(page, shot)
        picture_write(context, png, f"{shot.name}-{theme}")
        context.close()


def picture_write(context: BrowserContext, png: bytes, name: str) -> None:
    """Write a picture of a page as NAME.webp, by a browser that runs anyway."""
    page = context.new_page()
    source = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    written = base64.b64decode(page.evaluate(WRITE_WEBP, [source, QUALITY]))
    (FOLDER / f"{name}.webp").write_bytes(written)
    print(f"pictures: {name}.webp, {len(written) / 1000:.0f} kB")
    page.close()


def _path(page: Page, address: str, shot: Shot) -> str:
    """Return the shot's path; `RUN` is the first run that a simulated drive's page lists."""
    if shot.path != "RUN":
        return shot.path
    page.goto(f"{address}/drives/samsung-hd103sj/")
    return page.locator('a.digest[href^="/runs/"]').first.get_attribute("href") or "/"


def _png(page: Page, shot: Shot) -> bytes:
    if shot.typed:
        field = page.locator("main [role=combobox]").first
        field.press_sequentially(shot.typed)
        page.get_by_role("option").first.wait_for()
    if not shot.part:
        return page.screenshot()
    part = page.locator(shot.part).first
    part.scroll_into_view_if_needed()
    if shot.part.startswith("figure"):
        page.wait_for_function("e => e.dataset.chartState === 'drawn'", arg=part.element_handle())
    return part.screenshot()


if __name__ == "__main__":
    sys.exit(main())
