"""The stages of an Apertium mode as processes that stay, fed and read with NUL between texts (null flush)."""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from hesperus.errors import TransientError, UsageError

_CHUNK = 65536
_ENVIRONMENT = {"LC_ALL": "C.UTF-8", "LANG": "C.UTF-8"}


class StoppedError(TransientError):
    """A stage ended, or nothing came for too long; texts that came back before are complete."""


def commands_of(mode: Path) -> tuple[tuple[str, ...], ...]:
    """The commands of a mode file with their arguments, whether installed or not."""
    try:
        text = mode.read_text(encoding="utf-8").strip()
        commands = [shlex.split(part.replace("$1", "-g").replace("$2", "")) for part in text.split("|")]
    except (OSError, ValueError) as error:
        raise UsageError(f"Apertium's mode {mode} cannot be read: {error}") from error
    if not all(commands) or not all(re.fullmatch(r"[\w./+-]+", command[0]) for command in commands):
        raise UsageError(f"Apertium's mode {mode} is no pipeline of commands: {text[:80]!r}")
    return tuple(map(tuple, commands))


def stages(mode: Path) -> tuple[tuple[str, ...], ...]:
    """The commands of a mode file, each told to flush at NUL and to mark unknown words.

    A command that is not installed is refused with the names of the Debian packages that hold what lacks.
    """
    commands = commands_of(mode)
    missing = dict.fromkeys(command[0] for command in commands if shutil.which(command[0]) is None)
    if missing:
        packages = dict.fromkeys(_PACKAGES.get(name, "apertium") for name in missing)
        raise UsageError(
            f"Apertium's mode {mode.stem} needs {', '.join(missing)}, not installed here: apt-get install "
            f"{' '.join(packages)}"
        )
    return tuple((command[0], "-z", *command[1:]) for command in commands)


_PACKAGES = {
    "lt-proc": "lttoolbox",
    "lrx-proc": "apertium-lex-tools",
    "lsx-proc": "apertium-separable",
    "rtx-proc": "apertium-recursive",
    "apertium-anaphora": "apertium-anaphora",
    "cg-proc": "cg3",
    "hfst-proc": "hfst",
}
"""Command of a stage to its Debian package; the others are apertium's own."""


class Pipeline:
    """Running stages. Not for two threads at once.

    Args:
        commands: What ``stages`` gives.
        patience: Longest time without any output before the stages are taken for hung, in seconds.
    """

    def __init__(self, commands: Sequence[Sequence[str]], patience: float) -> None:
        self._patience = patience
        self._names = tuple(command[0] for command in commands)
        self._said = tempfile.TemporaryFile()  # noqa: SIM115  # as long-lived as the processes; close() closes it
        self._processes: list[subprocess.Popen[bytes]] = []
        before: IO[bytes] | int = subprocess.PIPE
        try:
            for command in commands:
                process = subprocess.Popen(
                    command,
                    stdin=before,
                    stdout=subprocess.PIPE,
                    stderr=self._said,
                    env={**os.environ, **_ENVIRONMENT},
                    bufsize=0,
                    # An interrupt at the keyboard is for us; the stages end when their input does.
                    start_new_session=True,
                )
                self._processes.append(process)
                if not isinstance(before, int):
                    before.close()
                assert process.stdout is not None
                before = process.stdout
        except OSError as error:
            self.close()
            raise UsageError(f"cannot start {command[0]}: {error}") from error
        assert self._processes[0].stdin is not None and not isinstance(before, int)
        self._into, self._out = self._processes[0].stdin, before
        os.set_blocking(self._into.fileno(), False)
        os.set_blocking(self._out.fileno(), False)

    @property
    def pids(self) -> tuple[int, ...]:
        """Process ids of the stages, in their order."""
        return tuple(process.pid for process in self._processes)

    @property
    def alive(self) -> bool:
        """Whether every stage runs."""
        return all(process.poll() is None for process in self._processes)

    def run(self, texts: Sequence[str]) -> Iterator[str]:
        """Send texts and yield what comes back for each, in order, as it comes."""
        waiting = memoryview("".join(f"{text}\0" for text in texts).encode())
        came, owed = b"", len(texts)
        with selectors.DefaultSelector() as ready:
            ready.register(self._out, selectors.EVENT_READ)
            ready.register(self._into, selectors.EVENT_WRITE)
            heard = time.monotonic()
            while owed:
                events = ready.select(timeout=min(1.0, self._patience))
                for key, _ in events:
                    if key.fileobj is self._into:
                        waiting = waiting[self._write(waiting[:_CHUNK]) :]
                        if not waiting:
                            ready.unregister(self._into)
                        continue
                    piece = self._out.read(_CHUNK)
                    if piece is None:
                        continue
                    if not piece:
                        raise self._stopped("ended")
                    heard = time.monotonic()
                    *whole, came = (came + piece).split(b"\0")
                    owed -= len(whole)
                    for text in whole:
                        yield text.decode("utf-8", errors="replace")
                if time.monotonic() - heard > self._patience:
                    raise self._stopped(f"said nothing for {self._patience:g} s")

    def _write(self, piece: memoryview) -> int:
        try:
            return self._into.write(piece) or 0
        except BlockingIOError:
            return 0
        except BrokenPipeError as error:
            raise self._stopped("ended") from error

    def _stopped(self, what: str) -> StoppedError:
        # A stage that was killed ends its neighbours too; the one that ended badly is the one to name.
        for process in self._processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=0.2)
        codes = zip(self._names, (process.poll() for process in self._processes), strict=True)
        bad = [f"{name} with {_status(code)}" for name, code in codes if code]
        self._said.seek(0)
        said = self._said.read()[-300:].decode("utf-8", errors="replace").strip()
        self.close()
        return StoppedError(
            f"Apertium's stages {what}{': ' + ', '.join(bad) if bad else ''}{f' ({said})' if said else ''}",
            kind="stopped",
        )

    def close(self) -> None:
        """End the stages, each by its own process id."""
        for process in self._processes:
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()
        for process in self._processes:
            try:
                process.wait(timeout=1)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._said.close()


def _status(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"
