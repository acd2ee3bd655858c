"""How a run and its numbers were made, as a page tells it: nothing in it that must not be passed on."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import yaml

from hesperus.fingerprint import plain
from hesperus.item_views.missing_parts import minor_parts
from hesperus.records import Run
from hesperus.records.study_keys import unknown_keys
from hesperus.reports.blocks import Block, Code, Section, Sentences, note
from hesperus.reports.card import Card
from hesperus.version import __version__

_USER = re.compile(r"(//)[^/@\s]+@")


_ADDRESS = re.compile(r"[a-z]+://\S+")
_PLACE = re.compile(r"(?:/|[A-Za-z]:[\\/])[^\s/\\]+[\\/]\S*")


def _to_share(value: Any, key: str = "") -> Any:
    """What may be passed on: no endpoint's address, no user or password in any, of an absolute path its last name."""
    if isinstance(value, str):
        if key == "base_url" and _ADDRESS.fullmatch(value):
            return "(an address)"
        if _PLACE.fullmatch(value):
            return re.split(r"[\\/]", value.rstrip("/\\"))[-1]
        return _USER.sub(r"\1", value)
    if isinstance(value, Mapping):
        return {name: _to_share(inner, str(name)) for name, inner in value.items()}
    return [_to_share(inner, key) for inner in value] if isinstance(value, list | tuple) else value


def study_text(study: Mapping[str, object]) -> str:
    """The resolved study as YAML; empty if absent."""
    if not study:
        return ""
    return str(yaml.safe_dump(_to_share(plain(study)), allow_unicode=True, sort_keys=False))


def signature_text(run: Mapping[str, object], numbers: Mapping[str, object]) -> str:
    """How the run and the numbers of a page were made, as JSON."""
    document = {"run": _to_share(plain(run)), "numbers": _to_share(plain(numbers))}
    return json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True)


def made(run: Run, numbers: Mapping[str, object]) -> tuple[Block, ...]:
    """Blocks that say how a run and the numbers of a page were made, and what else the run lacks."""
    study = study_text(run.study)
    told = Code("Study", study) if study else note("These records came without a study file.")
    unknown = unknown_keys(run.study)
    noted = (note(unknown),) if unknown else ()
    head = Section("What is missing, and how to get it", "missing", 3, "")
    lacking = (head, Sentences.of(said)) if (said := minor_parts(run)) else ()
    return *lacking, told, *noted, Code("Signature", signature_text(run.signature, numbers))


def closing(run: Run, numbers: Mapping[str, object], measured: Block, *notes: str) -> tuple[Block, ...]:
    """What closes the page of a study: how it was measured and made, how to read it, which methods and version made it."""
    return (
        Section("How it was measured", "measured"),
        measured,
        *made(run, numbers),
        Section("Notes and citation", "notes", listed="Notes"),
        cited(*notes),
    )


def card_blocks(card: Card) -> tuple[Block, ...]:
    """The evaluation card of a run."""
    said = (
        "Where this study stands in the taxonomy of generalisation research (Hupkes et al. 2023). Filled in from the records; "
        "what they cannot tell is said in the last column."
    )
    return Section("GenBench evaluation card", "card", listed="GenBench card"), note(said), card


def cited(*paragraphs: str) -> Sentences:
    """What closes a page: how to read it, where its methods come from, and which version made it."""
    return note(*paragraphs, f"Please name the version: hesperus {__version__}.")
