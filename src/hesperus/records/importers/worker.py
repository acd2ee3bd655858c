"""A process that reads logs for another: within one, Python runs one thread at a time, and reading logs is much Python.

Whatever goes wrong here ends the process. The one that asked then reads the file itself, so that an error is the same
wherever a file is read.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from types import TracebackType

from hesperus.records.importers.import_settings import ImportSettings, Source
from hesperus.records.importers.log_readers import Result, read_source
from hesperus.records.importers.passing import receive_result, receive_source, send_result, send_source


class Worker:
    """The process, as the one that asks sees it."""

    def __init__(self) -> None:
        """Start it.

        Raises:
            OSError: No process can be started.
        """
        # -P: modules are not looked for in the folder where the user happens to be. One thread of polars: the other
        # processors have processes of their own, and every thread keeps some memory.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "POLARS_MAX_THREADS": "1"},
        )

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            # Closing writes what was not yet passed to the process, and it has ended.
            with suppress(OSError):
                stream.close()  # type: ignore[union-attr]  # both are pipes

    def read(self, source: Source, settings: ImportSettings) -> Result | None:
        """What a file holds; None if the process has ended, or the name of the file cannot be passed to it."""
        asking, answering = self._process.stdin, self._process.stdout
        assert asking is not None and answering is not None
        try:
            send_source(source, settings, asking)
            return receive_result(answering)
        except (OSError, EOFError, UnicodeEncodeError):
            return None

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()


def main() -> None:
    """Read what is asked for on standard input; answer on standard output."""
    while True:
        try:
            source, settings = receive_source(sys.stdin.buffer)
        except EOFError:
            return
        send_result(read_source(source, settings), sys.stdout.buffer)


if __name__ == "__main__":
    main()
