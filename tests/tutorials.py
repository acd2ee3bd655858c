"""The tutorials of the docs, carried out: their commands in order, in an empty folder, and what these print.

    python -m tests.tutorials           write what the commands print into docs/tutorials/*.md anew: read the diff

In a block ``console`` a line that begins with ``$`` is a command, and the lines behind it are its standard output (standard
error where it prints nothing there) in a terminal of 100 columns; an exit code other than 0 is their last line. A block ``python`` is run
in the same folder.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.screens import screen

PAGES = Path(__file__).parent.parent / "docs" / "tutorials"
_BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_BUNDLE = re.compile(r"bundle [0-9a-f]{16}")
"""A bundle's name rests on how long the model took to answer."""


def carried_out(text: str, folder: Path) -> str:
    """The page with what its commands print now.

    Args:
        text: A page.
        folder: An empty folder, in which everything is done.

    Raises:
        ValueError: A command that is not of hesperus.
    """
    names: dict[str, object] = {}

    def block(match: re.Match[str]) -> str:
        kind, inside = match[1], match[2]
        if kind == "python":
            with _within(folder):
                exec(compile(inside, "tutorial", "exec"), names)
            return match[0]
        printed = "\n".join(f"$ {command}\n{_printed(command, folder)}" for command in _commands(inside))
        return f"```console\n{printed}\n```"

    return _BLOCK.sub(block, text)


def _commands(block: str) -> Iterator[str]:
    """The commands of a block, each with the lines on which it goes on."""
    lines = iter(block.splitlines())
    for line in lines:
        if line.startswith("$ "):
            command = line[2:]
            while command.endswith("\\"):
                command += "\n" + next(lines)
            yield command


def _printed(command: str, folder: Path) -> str:
    words = shlex.split(command.replace("\\\n", " "))
    if words[:1] != ["hesperus"]:
        raise ValueError(f"not a command of hesperus: {command}")
    lines = screen(words[1:], 100, folder).splitlines()
    code = lines.pop() if lines and lines[-1].startswith("exit code ") else ""
    shown = [line for line in lines if not line.startswith("! ")] or [
        line.removeprefix("! ") for line in lines
    ]
    return "\n".join(_BUNDLE.sub("bundle …", line.rstrip()) for line in (*shown, *filter(None, [code])))


@contextlib.contextmanager
def _within(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def main() -> None:
    """Write every page anew."""
    for page in sorted(PAGES.glob("*.md")):
        with tempfile.TemporaryDirectory() as folder:
            page.write_text(carried_out(page.read_text("utf-8"), Path(folder)), encoding="utf-8")


if __name__ == "__main__":
    main()
