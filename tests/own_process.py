"""Commands and functions in processes of their own, which can be killed; forked from one that has loaded the package.

A new interpreter takes a second to load what a study needs, and each test that kills runs starts several. What is about
the start itself (what is loaded, the first words of a terminal) needs a new one.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import TextIO

LOADED = (
    "hesperus.analysis.similarity.all_pairs", "hesperus.api.results", "hesperus.cli.app", "hesperus.models.pocket",
    "hesperus.reports.formats", "hesperus.studies.asked.stages", "onnxruntime", "own_process",
)  # fmt: skip
"""What the process that forks has loaded: nothing of it starts a thread."""


class Started:
    """A process, with those of the methods of `subprocess.Popen` that tests use; its streams are pipes."""

    def __init__(self, process: ForkServerProcess, stdout: Connection, stderr: Connection) -> None:
        self._process, self._said = process, ("", "")
        self.stdout, self.stderr = (_text(stream) for stream in (stdout, stderr))
        assert process.pid is not None
        self.pid = process.pid

    @property
    def returncode(self) -> int | None:
        """The exit code, below 0 of a signal; None while it runs."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """The same."""
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end.

        Raises:
            subprocess.TimeoutExpired: It runs on; also where it waits for somebody to read more than a pipe holds.
        """
        self._process.join(timeout)
        code = self.poll()
        if code is None:
            raise subprocess.TimeoutExpired("a forked process", timeout or 0.0)
        if not self.stdout.closed:
            self._said = self.stdout.read(), self.stderr.read()
            self.stdout.close()
            self.stderr.close()
        return code

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait, and give what it said and nobody has read."""
        self.wait(timeout)
        return self._said


def forked(
    work: Callable[..., object],
    *given: object,
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Started:
    """Start a function of a module in a process of its own, in the environment of this one and what is added to it."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(LOADED))
    (out, told), (err, said) = (context.Pipe(duplex=False) for _ in range(2))
    place = (cwd or Path.cwd(), {**os.environ, **(environment or {})})
    process = context.Process(target=_begin, args=(told, said, *place, work, given), daemon=True)
    process.start()
    told.close()
    said.close()
    return Started(process, out, err)


def started(*words: object, cwd: Path | None = None, environment: Mapping[str, str] | None = None) -> Started:
    """Start `hesperus WORDS` in a process of its own."""
    return forked(_main, [str(word) for word in words], cwd=cwd, environment=environment)


def tell(line: object) -> None:
    """Say a line to the test that started this process."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _main(words: list[str]) -> None:
    from hesperus.cli import main

    sys.argv = ["hesperus", *words]
    main()


def _begin(
    stdout: Connection,
    stderr: Connection,
    cwd: Path,
    environment: Mapping[str, str],
    work: Callable[..., object],
    given: tuple[object, ...],
) -> None:
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    for number, stream in ((1, stdout), (2, stderr)):
        os.dup2(stream.fileno(), number)
        stream.close()
    # As a new interpreter has them; a shell ignores interrupts in what it runs in the background.
    sys.stdin = os.fdopen(os.open(os.devnull, os.O_RDONLY), encoding="utf-8")
    sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding="utf-8") for number in (1, 2))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    work(*given)


def _text(stream: Connection) -> TextIO:
    text = os.fdopen(os.dup(stream.fileno()), encoding="utf-8")
    stream.close()
    return text
