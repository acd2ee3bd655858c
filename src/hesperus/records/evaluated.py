"""Whether records still hold the answers that were evaluated: scores are stored next to them, and are of no others."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import polars as pl

from hesperus.errors import DataError
from hesperus.fingerprint import fingerprint, text_hash
from hesperus.records.reading import RECORDS_FILE, read_records
from hesperus.records.runs import SIGNATURE_FILE
from hesperus.records.schema import KEY

ANSWERS = "answers"
"""Key of a run's signature: the answers that were evaluated (see answers_digest)."""


def answers_digest(records: pl.DataFrame) -> str:
    """What an evaluation rests on: a fingerprint of every record's key, outcome and reply, whatever their order.

    It is the same where a hash is in the place of each reply, as a bundle may have it.
    """
    rows = records.select(*KEY, "outcome", "reply").sort(KEY).iter_rows()
    return fingerprint([[*row, reply and text_hash(reply)] for *row, reply in rows])


def refuse_changed(folder: Path) -> None:
    """Refuse a run folder with other records than those that were evaluated; runs of earlier versions do not say.

    Raises:
        DataError: They are.
    """
    records = folder / RECORDS_FILE
    try:
        evaluated = json.loads((folder / SIGNATURE_FILE).read_text(encoding="utf-8")).get(ANSWERS)
    except (OSError, ValueError, AttributeError):
        return
    if evaluated is None or not records.is_file():
        return
    if evaluated != answers_digest(read_records(records, columns=["reply"])):
        message = (
            "its answers are not those that were evaluated: it was changed since, and stored scores are of the answers "
            "before; run the study again: "
            + shlex.join(["hesperus", "run", str(folder / "study.yaml"), "--out", str(folder)])
        )
        raise DataError(message, file=records)
