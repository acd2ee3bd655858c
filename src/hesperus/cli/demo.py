"""`hesperus demo`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from hesperus.cli.flags import Quiet, takes_flags
from hesperus.cli.said import say

TARGETS = ("de", "zh", "ar", "hi", "sw")
MODELS = ("pocket/s", "pocket/m", "pocket/l")
_DESCRIBED, _TAXED = 24, 60
"""Countries that are described, and items whose way back to English is asked: enough to see what was planted."""


@takes_flags
def command(
    *,
    out: Path = Path("demo"),
    models: list[str] | None = None,
    targets: list[str] | None = None,
    limit: int | None = None,
    quiet: Quiet = False,
) -> None:
    """All four studies on the embedded models and items: offline, no key, under a minute.

    Three small models (pocket/s, pocket/m, pocket/l) translate the atlas, our own multiple-choice questions on
    countries, and answer both versions; then which runs err alike, how much of a description in English is also said in
    other languages, and what the way back to English costs and natural rewriting gains. What each model was shown in each
    language is known, so the demo shows what the measures find. The numbers come from real inference.

    For example:

        hesperus demo

        hesperus demo --model pocket/s --target th --target ko --out /tmp/demo

    Args:
        out: Folder for the runs, the replies and the reports.
        models: Embedded model (default all three).
        targets: Target language (default de, zh, ar, hi, sw).
        limit: Ask only this many items.
    """
    from hesperus.api.pages import report
    from hesperus.api.results import run
    from hesperus.api.studies import usual_table
    from hesperus.api.translation_scoring import score
    from hesperus.reports.formats import print_table

    store = out / "replies.sqlite"
    values: dict[str, Any] = {
        "task": "atlas", "models": models or list(MODELS), "source": ["en"], "target": targets or list(TARGETS),
        "originals": True, **({"sample": {"n": limit}} if limit is not None else {}),
    }  # fmt: skip
    first = run(values, out=out, store=store, progress=not quiet)
    assert first.kind is not None
    print_table(usual_table(first, first.kind), "table")
    score(out)
    pages = [report(out)]
    for folder, study in _further(models or MODELS, targets or TARGETS, limit):
        found = run(study, out=out / folder, store=store, progress=not quiet)
        assert found.kind is not None
        typer.echo()
        print_table(usual_table(found, found.kind), "table")
        found.raise_if_incomplete()
        if found.kind == "translation_tax":
            _align(study["source"], study["target"], out / folder)
        pages.append(report(out / folder))
    say(f"\nReport: {pages[0]}; also {', '.join(map(str, pages[1:]))}\nAgain, on your own model: hesperus run multisense --task atlas "
               "--model openai/gpt-4o-mini --source en --target de")  # fmt: skip
    first.raise_if_incomplete()


def _align(source: str, target: str, folder: Path) -> None:
    """Hold the items of two languages against each other, where the page of the audit looks for it."""
    from hesperus.analysis.tax.tax_settings import ALIGNMENT_FILE
    from hesperus.api.auditing import audit
    from hesperus.records.files import write_content
    from hesperus.reports.formats import format_table

    found = format_table(audit("atlas", languages=(source, target), reference=source), "json")
    write_content(folder / ALIGNMENT_FILE, found)


def _further(
    models: Sequence[str], targets: Sequence[str], limit: int | None
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The other studies, each with the name of its folder."""
    sample = {"sample": {"n": limit}} if limit else {}
    asked = {"models": list(models)}
    yield "similarity", {
        "study": "similarity", "task": "atlas", **asked, "languages": ["en", *targets], **sample,
    }  # fmt: skip
    yield "open-answers", {
        "study": "translate_then_evaluate", "task": "atlas-describe", **asked, "languages": list(targets),
        "translator": "pocket/l", "answers": {"temperature": 0, "max_tokens": 2048},
        "sample": {"n": min(limit or _DESCRIBED, _DESCRIBED)},
    }  # fmt: skip
    yield "tax", {
        "study": "translation_tax", "task": "atlas", **asked, "source": "en", "target": targets[0],
        "naturalise": {"rewriter": "pocket/l"},
        "sample": {"n": min(limit or _TAXED, _TAXED)},
    }  # fmt: skip
