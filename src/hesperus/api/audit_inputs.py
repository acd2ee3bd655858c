"""All that an audit of a translated benchmark can be told; the flags of `tax`, `measure` and `check` are its fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hesperus.errors import UsageError


@dataclass(frozen=True, slots=True)
class AuditInputs:
    """All that an audit of a translated benchmark rests on, and how it is counted; its flags are these.

    Attributes:
        runs: Further run folder or records file of the audited benchmark.
        tasks: Only this task.
        audit: What `hesperus audit … --format json` printed (default: audit.json of the run).
        ratings: Ratings of cues by people: a long table (default: ratings.csv of the run).
        scale: Lowest and highest rating of cues, LOW:HIGH; others are refused.
        checks: Checks of rewritten items by people: a long table, as `hesperus annotate export` writes it.
        native: Records of the native benchmark, where they are others.
        native_task: Task of the native items.
        strata: File of `hesperus tax strata` (default: strata.json of the run).
        verdicts: Verdicts of the verifying model (default: verdicts.parquet of the run).
        repeat: Repeat of the translated items, at least 1 (default: one that the strata did not look at).
        parsers: Also read the replies with this parser: default, strict, ohmer2023.
        parser_task: Task with the labels that --parser reads (default: each row's own).
        original: Sense of the original items, such as en.
        translated: Sense of the translated items, such as zh.
        back: Sense of the back-translations, such as en_from_zh@apertium.
        natural: Sense of the rewritten items, such as zh~natural.
        groups: NAME=MODEL,MODEL: the first is the source-centric group (default: those of the run's study).
        scores: Item scores of the back-translations (default: scores.parquet of the runs).
        metric: Score of the quality threshold, bleu or chrf (default: bleu, or the study's).
        threshold: Back-translations below it are excluded (default: 20, or the study's).
        min_valid: Share of valid answers below which a model is parser-sensitive (default: 0.9).
        exact: The exact sign test in place of the Bayesian one, as the paper prints it.
        exclude: Leave these items out: a list that `hesperus audit --out` wrote.
    """

    runs: Sequence[Path] = ()
    tasks: Sequence[str] = ()
    audit: Path | None = None
    ratings: Path | None = None
    scale: str = "1:5"
    checks: Sequence[Path] = ()
    native: Path | None = None
    native_task: str | None = None
    strata: Path | None = None
    verdicts: Path | None = None
    repeat: int | None = None
    parsers: Sequence[str] = ()
    parser_task: str | None = None
    original: str | None = None
    translated: str | None = None
    back: str | None = None
    natural: str | None = None
    groups: Sequence[str] = ()
    scores: Path | None = None
    metric: str | None = None
    threshold: float | None = None
    min_valid: float | None = None
    exact: bool = False
    exclude: Path | None = None

    def __post_init__(self) -> None:
        """Refuse a repeat that no record has."""
        if self.repeat is not None and self.repeat < 1:
            raise UsageError(f"--repeat is a number from 1, not {self.repeat}")
