"""The importers: what reads the logs of each tool, and how its files are told from those of others.

A further tool is an entry here and a file that reads its logs; or, without either, an `Importer` (or the reading function
alone, then for ``--from`` only) that a plug-in offers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any

from hesperus import plugins
from hesperus.errors import UnknownNameError

GROUP = "hesperus.importers"

Reader = Callable[[Any, Any], Any]
"""A Source and ImportSettings to logs and what was left out of them."""


@dataclass(frozen=True, slots=True)
class Importer:
    """What reads the logs of one tool.

    Attributes:
        read: The function, or ``module:name`` of it, which is loaded when it is needed.
        name: Matches the whole name of a file of logs.
        head: Is found in the first 64 KiB of such a file, unpacked.
        entry: An entry that such a ZIP file has.
        columns: Sets of columns, of which such a Parquet file has one.
        others: Matches the whole name of a file that the tool writes as well, which holds no answers.
    """

    read: Reader | str
    name: re.Pattern[str] | None = None
    head: re.Pattern[bytes] | None = None
    entry: str | None = None
    columns: tuple[frozenset[str], ...] = ()
    others: re.Pattern[str] | None = None

    def reader(self) -> Reader:
        """The function, loaded."""
        reader: Reader = resolve_name(self.read) if isinstance(self.read, str) else self.read
        return reader


_UUID = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"

IMPORTERS: Mapping[str, Importer] = {
    "lm-eval": Importer(
        "hesperus.records.importers.lm_eval:read_lm_eval",
        name=re.compile(r"samples_.+\.jsonl?(\.gz)?"),
        head=re.compile(rb'^\s*\[?\s*\{\s*"doc_id":\s*\d+\s*,\s*"doc"\s*:'),
        others=re.compile(r"results_.+\.json(\.gz)?"),
    ),
    "inspect": Importer(
        "hesperus.records.importers.inspect_logs:read_inspect",
        name=re.compile(r".+\.eval"),
        head=re.compile(rb'"eval"\s*:\s*\{\s*"(eval_id|run_id|created|task)"'),
        entry="header.json",
    ),
    "helm": Importer(
        "hesperus.records.importers.helm:read_helm",
        name=re.compile(r"scenario_state\.json(\.gz)?"),
        head=re.compile(rb'"adapter_spec"\s*:|"request_states"\s*:'),
        others=re.compile(
            r"(run_spec|scenario|stats|per_instance_stats|instances|display_\w+|benchmark_output)\.json(\.gz)?"
        ),
    ),
    "lighteval": Importer(
        "hesperus.records.importers.lighteval:read_lighteval",
        name=re.compile(r"details_.+\.parquet"),
        columns=(frozenset({"gold_index", "choices", "full_prompt"}), frozenset({"doc", "model_response"})),
    ),
    "promptfoo": Importer(
        "hesperus.records.importers.promptfoo:read_promptfoo",
        head=re.compile(rb'"(evalId|promptIdx|promptId|gradingResult|testCase)"\s*:'),
    ),
    "every-eval-ever": Importer(
        "hesperus.records.importers.every_eval_ever:read_every_eval",
        name=re.compile(rf"{_UUID}_samples\.jsonl", re.IGNORECASE),
        head=re.compile(rb'"interaction_type"\s*:\s*"(single_turn|multi_turn|agentic)"'),
        others=re.compile(rf"{_UUID}\.json", re.IGNORECASE),
    ),
    "table": Importer("hesperus.records.importers.any_table:read_table"),
}
"""Name of a tool to its importer, in the order in which they are tried; ``table`` is any table, by its name alone."""

TOOLS = tuple(IMPORTERS)


def tools() -> tuple[str, ...]:
    """Names of all importers, those of plug-ins included."""
    return plugins.names(GROUP, IMPORTERS)


def importer(tool: str) -> Importer:
    """The importer of a tool.

    Raises:
        UnknownNameError: No such importer.
        UsageError: Two plug-ins have the name, or one does not import.
    """
    offered: Importer | Reader | None = plugins.maker(GROUP, tool, IMPORTERS)
    if offered is None:
        raise UnknownNameError("format of logs", tool, tools())
    return offered if isinstance(offered, Importer) else Importer(offered)


def importers() -> Iterator[tuple[str, Importer]]:
    """All importers by the names of their tools, those of plug-ins last."""
    for tool in (*IMPORTERS, *(name for name in tools() if name not in IMPORTERS)):
        yield tool, importer(tool)
