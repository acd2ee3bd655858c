"""A judge of open answers, scored against people who labelled claims."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hesperus.analysis.settings import GivenSettings, resolve_bootstrap
from hesperus.analysis.table import ESTIMATE_COLUMNS, Table, estimate_cells, table
from hesperus.api.progress import stage_progress
from hesperus.errors import DataError, HesperusWarning, UnknownNameError, UsageError
from hesperus.evaluators import Asker, EmbeddedJudge, ModelJudge
from hesperus.evaluators.calibration import calibrate as calibrated
from hesperus.evaluators.labelled import known_from_others, read_labelled, read_references
from hesperus.fingerprint import JSON, fingerprint, signature
from hesperus.measures import Bootstrap
from hesperus.records.files import write_content
from hesperus.studies.asked.declaring import Terms
from hesperus.studies.asked.session import models_named, open_session
from hesperus.studies.evaluating.evaluators import EMBEDDED

if TYPE_CHECKING:
    from hesperus.evaluators import Judge, LabelledText
    from hesperus.types import Failure, Reply, Request

_ENDINGS = (".jsonl", ".jsonl.gz")


def calibrate(
    files: Sequence[Path | str] | Path | str,
    *,
    judge: str = "embedded",
    reference: Path | str | None = None,
    limit: int | None = None,
    controls: bool = True,
    base_url: str | None = None,
    store: Path | str = "replies.sqlite",
    out: Path | str | None = None,
    progress: bool | None = None,
    **settings: Any,
) -> Table:
    """Score a judge of open answers: what `hesperus calibrate` prints.

    Args:
        files: Labelled texts (JSON lines, plain or .gz), a file for each system, or a folder of them.
        judge: embedded, or a model: provider/name.
        reference: What is known of each topic: JSON lines with topic and text (default: what people found supported in the
            other systems' texts).
        limit: Only this many topics, the same for every system.
        controls: Check each claim against its own text and one on another topic, too (three times the requests).
        base_url: Endpoint, for http/NAME or in place of a provider's.
        store: Reply store: no request is paid for twice.
        out: Write every claim, its label and verdict (.jsonl), for reading.
        progress: As in hesperus.run.
        settings: `resamples`, `seed`, `level`, `interval` of hesperus.analysis.settings.GivenSettings.

    Raises:
        UnknownNameError: No such judge.
        UsageError: No such file, nothing to check claims against, or `out` cannot be written.
        DataError: A file breaks its contract.
        ModelError: The judge fails every request alike.
    """
    if limit is not None and limit < 1:
        raise UsageError(f"--limit is a number from 1, not {limit}")
    paths = [Path(one) for one in ([files] if isinstance(files, str | Path) else files)]
    texts = _texts(paths)
    references, known = _references(paths, texts, None if reference is None else Path(reference))
    with _judging(judge, base_url, Path(store), progress) as judging:
        found = calibrated(_limited(texts, limit), judging, references=references, controls=controls)
    bootstrap = resolve_bootstrap(GivenSettings.of(**settings), {}, Bootstrap())
    systems = [*found.systems, *([None] if len(found.systems) > 1 else [])]
    rows = [
        {"judge": judge, "system": system or "all", "statistic": name, **estimate_cells(estimate)}
        for system in systems
        for name, estimate in found.estimates(bootstrap, system=system).items()
    ]
    made: dict[str, JSON] = {**found.judge, **signature(bootstrap), "reference": known, "limit": limit}
    if out is not None:
        lines = [json.dumps(row, ensure_ascii=False) for row in found.claim_rows()]
        write_content(Path(out), "\n".join([*lines, ""]), "the claims")
    return table(
        "calibration", ("judge", "system", "statistic", *ESTIMATE_COLUMNS), rows=rows, signature=made
    )


def _texts(files: list[Path]) -> list[LabelledText]:
    """The texts of files and of all files of folders."""
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
    if len({text.system for text in texts}) > 1 or len(files) != 1 or files[0].is_dir():
        return []
    topics, found = {text.topic for text in texts}, []
    for path in sorted(p for p in files[0].parent.iterdir() if p.name.endswith(_ENDINGS)):
        if path.samefile(files[0]):
            continue
        try:
            found += [text for text in read_labelled(path) if text.topic in topics]
        except DataError as error:
            warnings.warn(f"not used as reference: {error}", HesperusWarning, stacklevel=4)
    return found


def _limited(texts: list[LabelledText], limit: int | None) -> list[LabelledText]:
    """Texts on a number of topics, chosen by a hash of their names: the same for every system and file order."""
    topics = sorted({text.topic for text in texts if text.claims}, key=fingerprint)
    chosen = frozenset(topics if limit is None else topics[:limit])
    return [text for text in texts if text.topic in chosen]


@contextmanager
def _judging(name: str, base_url: str | None, store: Path, progress: bool | None) -> Iterator[Judge]:
    """The embedded judge, or one that asks a model through the reply store."""
    if name == EMBEDDED:
        yield EmbeddedJudge()
        return
    if "/" not in name:
        raise UnknownNameError("judge", name, (EMBEDDED,), "or a model: provider/name")
    terms = Terms(base_url=base_url)
    with (
        stage_progress(progress) as watch,
        open_session(models_named([name], terms), store, terms=terms, watch=watch) as session,
    ):

        def ask(requests: Sequence[Request]) -> list[Reply | Failure]:
            return session.ask(requests, f"verdicts, try {requests[0].repeat}" if requests else "verdicts")

        yield ModelJudge(name, Asker(name, ask))
