"""The screens of the commands are as they are kept, and no line is broken."""

from __future__ import annotations

import difflib

import pytest

import screens


@pytest.mark.parametrize("width", screens.WIDTHS)
def test_every_screen_is_as_it_is_kept(width: int) -> None:
    before = screens.parts((screens.KEPT / f"{width}.txt").read_text("utf-8"))
    now = screens.parts(screens.kept(width))
    told = [
        line
        for name in dict.fromkeys([*before, *now])
        for line in difflib.unified_diff(
            before.get(name, "").splitlines(), now.get(name, "").splitlines(), "kept", name, lineterm="", n=1
        )
    ]
    assert not told, "\n".join([*told[:60], "if this is meant: python -m tests.screens, and read the diff"])
    wide = {
        name: screens.too_wide(text.partition("\n")[2], width)
        for name, text in now.items()
        if "--format" not in name
    }
    assert not {name: lines for name, lines in wide.items() if lines}
