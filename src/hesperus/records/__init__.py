"""What is kept: the records table (the contract), run folders, and the way from the table to arrays."""

from __future__ import annotations

from hesperus.records.arrays import FAILED, INVALID, MISSING, AnswerArrays, Codes, answer_arrays
from hesperus.records.cells import Cell, CellPair, Condition, Selection, implied_pairs, made_senses
from hesperus.records.conform import check_unique, conform, records_frame
from hesperus.records.reading import read_records
from hesperus.records.runs import Run, read_any_run, read_run, write_run
from hesperus.records.schema import KEY, MEASURED, REQUIRED, SCHEMA, SCHEMA_VERSION
from hesperus.records.writing import write_records

__all__ = [
    "FAILED", "INVALID", "KEY", "MEASURED", "MISSING", "REQUIRED", "SCHEMA", "SCHEMA_VERSION", "AnswerArrays",
    "Cell", "CellPair", "Codes", "Condition", "Run", "Selection", "answer_arrays", "check_unique", "conform",
    "implied_pairs", "made_senses", "read_any_run", "read_records", "read_run", "records_frame",
    "write_records", "write_run",
]  # fmt: skip
