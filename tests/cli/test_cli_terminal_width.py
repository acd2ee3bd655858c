"""What a person reads fits the terminal, also through a pipe; what goes into a file does not have to."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from hesperus.terminal_width import terminal_width

RUN = Path(__file__).parents[1] / "screens" / "studies" / "senses"
WIDTH = 72
COMMAND = (sys.executable, "-m", "hesperus", "measure", "agreement", str(RUN), "--resamples", "0")


def _in_terminal(stdout: int, *, given: str | None = None) -> tuple[str, str]:
    """Standard output of the command and what it says in a terminal of WIDTH columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, WIDTH, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    if given is not None:
        environment["COLUMNS"] = given
    found = subprocess.run(COMMAND, stdout=stdout, stderr=theirs, env=environment, check=True)
    os.close(theirs)
    said = os.read(ours, 65_536).decode().replace("\r\n", "\n")
    os.close(ours)
    return (found.stdout or b"").decode(), said


def test_what_is_piped_is_read_in_the_terminal_and_fits_it() -> None:
    table, said = _in_terminal(subprocess.PIPE)
    assert max(map(len, table.splitlines())) <= WIDTH
    assert "no native reader has confirmed" in " ".join(said.split())
    assert max(map(len, said.splitlines())) <= WIDTH
    assert len(said.splitlines()) > 1


def test_the_variable_columns_counts_before_the_terminal() -> None:
    table, _ = _in_terminal(subprocess.PIPE, given="100")
    assert WIDTH < max(map(len, table.splitlines())) <= 100


@pytest.mark.parametrize(("given", "width"), [("100", 100), ("wide", WIDTH), ("0", WIDTH), ("", WIDTH)])
def test_what_is_no_number_of_columns_does_not_count(
    given: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", given)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, WIDTH, 0, 0))
    with os.fdopen(theirs, "w") as stream:
        assert terminal_width(stream) == width
    os.close(ours)


def test_what_goes_into_a_file_is_as_wide_as_it_takes(tmp_path: Path) -> None:
    out = tmp_path / "table.txt"
    with out.open("wb") as file:
        _in_terminal(file.fileno())
    assert max(map(len, out.read_text(encoding="utf-8").splitlines())) > 100
