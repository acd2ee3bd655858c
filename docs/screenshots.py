"""Makes the pictures in docs/screenshots/ from the demo: `PYTHONPATH=tests python -m docs.screenshots [FOLDER]`, in the root of the repository.

FOLDER holds a finished `hesperus demo`; without it one is made. Chromium must be on the path.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reports.headless_chromium import Page, chromium_page

TARGET = Path(__file__).parent / "screenshots"
MOST = 1_500_000
"""Bytes of all pictures together."""


async def shown(
    tab: Page,
    url: str,
    name: str,
    *,
    to: str = "",
    size: tuple[int, int] = (1280, 860),
    scheme: str = "light",
) -> None:
    """Take a picture of a page from its top, or from an element on."""
    await tab.open(url, width=size[0], height=size[1], scheme=scheme)
    await asyncio.sleep(1)
    top = 0
    if to:
        found = f"document.querySelector({to!r})"
        await tab.evaluate(
            f"for (let e = {found}; e; e = e.parentElement) if (e.tagName === 'DETAILS') e.open = true"
        )
        top = await tab.evaluate(f"Math.max(0, {found}.getBoundingClientRect().top + scrollY - 12)")
        await tab.evaluate(f"scrollTo(0, {top})")
        await asyncio.sleep(0.3)
        top = await tab.evaluate("scrollY")
    (TARGET / f"{name}.png").write_bytes(await tab.screenshot((0, top, *size)))


@contextmanager
def explorer(run: Path) -> Iterator[str]:
    """The address of `hesperus view RUN`, for as long as it is needed."""
    words = [sys.executable, "-m", "hesperus", "view", str(run), "--port", "0", "--no-browser"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        try:
            yield next(word for line in process.stdout for word in line.split() if word.startswith("http://"))
        finally:
            process.terminate()


async def take(demo: Path) -> None:
    """All pictures."""
    pages = {
        name: (demo / name / "report.html").resolve().as_uri()
        for name in ("", "similarity", "open-answers", "tax")
    }
    async with chromium_page() as tab:
        await shown(tab, pages[""], "senses")
        await shown(tab, pages[""], "items", to="#items")
        await shown(tab, pages[""], "phone", size=(390, 844))
        await shown(tab, pages["similarity"], "similarity", scheme="dark")
        await shown(tab, pages["open-answers"], "open-answers")
        await shown(tab, pages["tax"], "audit", to="table.checks")
        with explorer(demo) as url:
            await shown(tab, url, "explorer")
            items = await tab.evaluate(
                "[...document.querySelectorAll('main a')].map(a => a.href).find(a => /items\\b/.test(a))"
            )
            await shown(tab, items, "explorer-items")
            question = await tab.evaluate(
                "[...document.querySelectorAll('main tbody a')].map(a => a.href).find(a => /item\\b/.test(a))"
            )
            await shown(tab, question, "explorer-question")


def main(given: list[str]) -> None:
    """Make the pictures, and say how large they are."""
    TARGET.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        demo = Path(given[0]) if given else Path(place)
        if not given:
            subprocess.run(
                [sys.executable, "-m", "hesperus", "demo", "--quiet", "--out", str(demo)], check=True
            )
        asyncio.run(take(demo))
    sizes = {file.name: file.stat().st_size for file in sorted(TARGET.glob("*.png"))}
    sys.stdout.write("".join(f"{size:>9,}  {name}\n" for name, size in sizes.items()))
    if sum(sizes.values()) > MOST:
        sys.exit(f"{sum(sizes.values()):,} bytes together, more than {MOST:,}")


if __name__ == "__main__":
    main(sys.argv[1:])
