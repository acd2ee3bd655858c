"""`hesperus calibrate`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hesperus.cli.measure_flags import Format, Resampling, takes_flags
from hesperus.cli.said import say, show_rows
from hesperus.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from hesperus.evaluators import Judge, LabelledText
    from hesperus.fingerprint import JSON
    from hesperus.types import Failure, Reply, Request

_ENDINGS = (".jsonl", ".jsonl.gz")


@takes_flags
def command(
    file: Annotated[
        list[Path],
        typer.Argument(
            help="Labelled texts (JSON lines, plain or .gz), a file for each system, or a folder of them.",
            show_default=False,
        ),
    ],
    judge: Annotated[str, typer.Option(help="embedded, or a model: provider/name.")] = "embedded",
    reference: Annotated[
        Path | None,
        typer.Option(
            help="What is known of each topic: JSON lines with topic and text (default: what people found supported in "
            "the other systems' texts)."
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Only this many topics, the same for every system.")
    ] = None,
    controls: Annotated[
        bool,
        typer.Option(
            "--controls/--no-controls",
            help="Check each claim against its own text and one on another topic, too (three times the requests).",
        ),
    ] = True,
    base_url: Annotated[
        str | None, typer.Option(help="Endpoint, for http/NAME or in place of a provider's.")
    ] = None,
    store: Annotated[Path, typer.Option(help="Reply store: no request is paid for twice.")] = Path(
        "replies.sqlite"
    ),
    out: Annotated[
        Path | None, typer.Option(help="Write every claim, its label and verdict (.jsonl), for reading.")
    ] = None,
    drawn: Resampling = Resampling(),
    format: Format = "table",
) -> None:
    """Score a judge of open answers against people who labelled claims as supported, not supported or irrelevant.

    Accuracy, κ and F1 by class; the score that the judge would give each system next to the score that people gave; two
    controls, and how many of the judge's replies could be read. Without --reference, and given one system's file, the
    other files of its folder are read for what they know.

    For example:

        hesperus calibrate factscore_human_labels --judge embedded

        hesperus calibrate ChatGPT.jsonl.gz --judge openai/gpt-4o-mini --limit 20 --reference wikipedia.jsonl

        hesperus calibrate labelled.jsonl --judge http/my-judge --base-url http://localhost:8000/v1 --format json
    """
    import json

    from hesperus.analysis.settings import resolve_bootstrap
    from hesperus.analysis.table import ESTIMATE_COLUMNS, estimate_cells
    from hesperus.evaluators.calibration import calibrate
    from hesperus.fingerprint import signature
    from hesperus.measures import Bootstrap
    from hesperus.records.files import write_content

    texts = _texts(file)
    references, known = _references(file, texts, reference)
    with _judging(judge, base_url, store) as judging:
        found = calibrate(_limited(texts, limit), judging, references=references, controls=controls)
    bootstrap = resolve_bootstrap(drawn.given(), {}, Bootstrap())
    systems = [*found.systems, *([None] if len(found.systems) > 1 else [])]
    rows = [
        {"judge": judge, "system": system or "all", "statistic": name, **estimate_cells(estimate)}
        for system in systems
        for name, estimate in found.estimates(bootstrap, system=system).items()
    ]
    made: dict[str, JSON] = {**found.judge, **signature(bootstrap), "reference": known, "limit": limit}
    if out is not None:
        lines = [json.dumps(row, ensure_ascii=False) for row in found.claim_rows()]
        write_content(out, "\n".join([*lines, ""]), "the claims")
    show_rows(
        "calibration",
        rows,
        format,
        columns=("judge", "system", "statistic", *ESTIMATE_COLUMNS),
        signature=made,
    )
    say(f"checked against: {known}")


def _texts(files: list[Path]) -> list[LabelledText]:
    """The texts of files and of all files of folders."""
    from hesperus.evaluators.labelled import read_labelled

    paths = []
    for path in files:
        inside = sorted(p for p in path.iterdir() if p.name.endswith(_ENDINGS)) if path.is_dir() else [path]
        if not inside:
            raise UsageError(f"{path}: holds no file that ends in {' or '.join(_ENDINGS)}")
        paths += inside
    return [text for path in dict.fromkeys(paths) for text in read_labelled(path)]


def _references(
    files: list[Path], texts: list[LabelledText], reference: Path | None
) -> tuple[dict[tuple[str, str], str], str]:
    """What is known of each system's topics, and where that is from."""
    from hesperus.evaluators.labelled import known_from_others, read_references

    if reference is not None:
        by_topic = read_references(reference)
        references = {(t.system, t.topic): by_topic[t.topic] for t in texts if t.topic in by_topic}
        known = reference.name
    else:
        witnesses = [*texts, *_beside(files, texts)]
        references = known_from_others(witnesses)
        known = f"what people found supported in {', '.join(sorted({t.system for t in witnesses}))}, without its own"
    if not any((text.system, text.topic) in references for text in texts):
        raise UsageError(
            "there is nothing to check the claims against: no other system wrote on these topics; give --reference, a "
            "file with what is known of each"
        )
    return references, known


def _beside(files: list[Path], texts: list[LabelledText]) -> list[LabelledText]:
    """Where one system's file is given: what is next to it on the same topics."""
    from hesperus.errors import DataError
    from hesperus.evaluators.labelled import read_labelled

    if len({text.system for text in texts}) > 1 or len(files) != 1 or files[0].is_dir():
        return []
    topics, found = {text.topic for text in texts}, []
    for path in sorted(p for p in files[0].parent.iterdir() if p.name.endswith(_ENDINGS)):
        if path.samefile(files[0]):
            continue
        try:
            found += [text for text in read_labelled(path) if text.topic in topics]
        except DataError as error:
            say(f"note: not used as reference: {error}")
    return found


def _limited(texts: list[LabelledText], limit: int | None) -> list[LabelledText]:
    """Texts on a number of topics, chosen by a hash of their names: the same for every system and file order."""
    from hesperus.fingerprint import fingerprint

    topics = sorted({text.topic for text in texts if text.claims}, key=fingerprint)
    chosen = frozenset(topics if limit is None else topics[:limit])
    return [text for text in texts if text.topic in chosen]


@contextmanager
def _judging(name: str, base_url: str | None, store: Path) -> Iterator[Judge]:
    """The embedded judge, or one that asks a model through the reply store."""
    from hesperus.evaluators import Asker, EmbeddedJudge, ModelJudge

    if name == "embedded":
        yield EmbeddedJudge()
        return
    if "/" not in name:
        raise UnknownNameError("judge", name, ("embedded",), "or a model: provider/name")
    from hesperus.api.progress import StageProgress
    from hesperus.asking import ReplyStore, Spending, ask
    from hesperus.models import ModelOptions, model

    asked, spending = model(name, ModelOptions(base_url=base_url)), Spending()
    with ReplyStore(store) as replies, StageProgress() as progress:

        def ask_requests(requests: Sequence[Request]) -> list[Reply | Failure]:
            stage = f"verdicts, try {requests[0].repeat}" if requests else "verdicts"
            return ask(
                asked,
                requests,
                store=replies,
                progress=lambda state: progress(stage, state),
                spending=spending,
            )

        yield ModelJudge(name, Asker(name, ask_requests))
