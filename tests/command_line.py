"""The command `hesperus` called in this process: its words, what it writes, its exit code; no interpreter to start."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from unittest import mock

from hesperus.cli import main


def hesperus(
    *words: object, cwd: Path | None = None, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """What `hesperus WORDS` does, from its own `main`, in a folder, without the keys of this machine.

    What is of the process itself (signals, pipes, what is loaded at the start) needs a process.
    """
    given = [str(word) for word in words]
    shown, said, code = _stream(), _stream(), 0
    with (
        _place(cwd or Path.cwd(), environment or {}),
        mock.patch.object(sys, "argv", ["hesperus", *given]),
        contextlib.redirect_stdout(shown),
        contextlib.redirect_stderr(said),
    ):
        try:
            main()
        except SystemExit as stopped:
            code = stopped.code if isinstance(stopped.code, int) else int(stopped.code is not None)
    return subprocess.CompletedProcess(given, code, _text(shown), _text(said))


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    written = stream.buffer
    assert isinstance(written, io.BytesIO)
    return written.getvalue().decode("utf-8")


@contextlib.contextmanager
def _place(folder: Path, environment: Mapping[str, str]) -> Iterator[None]:
    before = Path.cwd()
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    with warnings.catch_warnings(), mock.patch.dict(os.environ, {**kept, **environment}, clear=True):
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)
