"""Batches for a machine that this one cannot reach: requests are written to files, replies are read from files.

Both lie next to the store, in ``NAME.batches``: ``requests/`` is written, ``replies/`` is read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from hesperus.asking.batch_lines import Lines, files_of
from hesperus.asking.policy import Batching
from hesperus.asking.runs import Job, Ledger, Run
from hesperus.errors import PendingError, StoreError, UsageError
from hesperus.fingerprint import fingerprint
from hesperus.models.chat import ChatModel
from hesperus.storage import MEMORY

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")


def batches_folder(store: Path) -> Path:
    """The folder of a store's batch files."""
    return store.with_name(f"{store.stem}.batches")


class FilesRun(Run):
    """A run with replies from files; where some are missing, it writes their requests and ends.

    Args:
        model: Who is asked.
        ledger: What becomes of what is asked.
        jobs: What is asked.
        batching: Bounds of a file.
    """

    def __init__(self, model: ChatModel, ledger: Ledger, jobs: Sequence[Job], batching: Batching) -> None:
        super().__init__(ledger)
        self._model, self._jobs, self._batching = model, jobs, batching

    def ask_all(self) -> None:
        """Read what was answered elsewhere, and write what was not.

        Raises:
            PendingError: Something is to be answered elsewhere.
            StoreError: A file cannot be read or written.
        """
        try:
            self._run()
        except OSError as error:
            raise StoreError(f"{error.filename}: {error.strerror}") from None

    def _run(self) -> None:
        store = self.ledger.store.path
        if str(store) == MEMORY:
            raise UsageError("batch files lie beside the reply store; give one that is a file")
        folder = batches_folder(store)
        jobs = {job.key: job for job in self._jobs}
        lines = Lines(self._model, self.ledger, jobs)
        for path in sorted((folder / "replies").glob("*.jsonl")):
            with path.open("rb") as file:
                lines.take(file)
        left = [job for job in self._jobs if job.key not in lines.answered]
        name = _NOT_IN_NAMES.sub("_", self._model.name)
        requests = folder / "requests"
        for old in requests.glob(f"{name}-*.jsonl"):
            old.unlink()
        if not left:
            return
        requests.mkdir(parents=True, exist_ok=True)
        name = f"{name}-{fingerprint([job.key for job in left])[:8]}"
        written = [
            path for path, _ in files_of(self._model, left, self.ledger, self._batching, requests, name)
        ]
        if written:
            failed = (
                f" ({len(lines.again):,} of them failed in the replies that are here)" if lines.again else ""
            )
            raise PendingError(
                f"{len(left):,} requests to {self._model.name} are to be answered elsewhere{failed}: "
                f"{', '.join(map(str, written))}. Then: hesperus batch import STUDY --replies REPLIES.jsonl"
            )
