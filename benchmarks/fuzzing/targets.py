"""Everything that takes bytes from outside, by name."""

from __future__ import annotations

from collections.abc import Mapping

from .files import records, studies, tables, tasks, yaml, yaml_files
from .logs import LOGS
from .readers import answers
from .replies import batches, decoder, stored
from .trying import Target

TARGETS: Mapping[str, Target] = {
    "decoder": decoder,
    "batches": batches,
    "replay": stored,
    "answers": answers,
    "yaml": yaml,
    "yaml-files": yaml_files,
    "studies": studies,
    "tasks": tasks,
    "tables": tables,
    "records": records,
    **LOGS,
}
