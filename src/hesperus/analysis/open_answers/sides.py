"""Two runs of open answers, opened: the evaluations that both have, their pairs cell by cell, and which of these count on both sides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from hesperus.analysis.compared import matched_models
from hesperus.analysis.open_answers.evidence import homes, read_pairs
from hesperus.analysis.open_answers.instruments import RunDifferences, asked_apart, instrument_apart, reworded
from hesperus.analysis.open_answers.open_measures import STUDY, is_open
from hesperus.analysis.open_answers.open_tables import CELL, members, settings_of, trained_languages
from hesperus.analysis.open_answers.statistics import UNSEEN, UNSEEN_WORDS, need
from hesperus.analysis.run_kinds import Described
from hesperus.analysis.views import narrowed
from hesperus.errors import DataError, UsageError
from hesperus.wording import OUTCOME_WORDS

SIDES = ("a", "b")
"""Names of the two sides, the baseline first."""

WAY = "way"
"""Column that says in which of the compared cells (language and sense) a pair stands."""

_KEY = (WAY, "item", "repeat")
_MISSING, _REWORDED = "missing", "reworded"
_WHY = {
    _MISSING: "not asked",
    _REWORDED: "asked in other words",
    **UNSEEN_WORDS,
}


@dataclass(frozen=True, slots=True, eq=False)
class Matched:
    """Pairs that count on both sides.

    Attributes:
        first: Rows of side a, sorted by prompt.
        second: Rows of side b, of the same prompts in the same order.
        excluded: Pairs that are on a side and do not count.
        reason: Why, with their numbers.
    """

    first: pl.DataFrame
    second: pl.DataFrame
    excluded: int
    reason: str

    @property
    def prompts(self) -> int:
        """Different prompts among the pairs."""
        return self.first["item"].n_unique()

    def stacked(self, kept: pl.Series | None = None) -> pl.DataFrame:
        """Both sides in one table, a above b, with prompts numbered so that those of b follow those of a.

        Args:
            kept: Which pairs, [pairs]; all where None.
        """
        sides = [side if kept is None else side.filter(kept) for side in (self.first, self.second)]
        named = [
            side.with_columns(pl.concat_str(pl.lit(f"{name} "), pl.col("item")).alias("item"))
            for name, side in zip(SIDES, sides, strict=True)
        ]
        return pl.concat(named, how="diagonal_relaxed")

    def on_both(self, wanted: pl.Expr) -> pl.Series:
        """True where a condition holds on both sides, [pairs]."""
        first, second = (side.select(wanted.alias("held"))["held"] for side in (self.first, self.second))
        return first & second


def matched(sides: tuple[pl.DataFrame, pl.DataFrame], reworded: Collection[str]) -> Matched:
    """Put the pairs of two runs side by side, by cell, prompt and repeat.

    Args:
        sides: Tables of pairs with the column WAY; in each, a key is once.
        reworded: Prompts with words that differ between the runs.
    """
    marked = [side.with_columns(_trouble(reworded).alias("trouble")) for side in sides]
    every = (
        marked[0]
        .select(*_KEY, "trouble", here=True)
        .join(marked[1].select(*_KEY, "trouble", here=True), on=_KEY, how="full", coalesce=True)
        .with_columns(
            pl.when(pl.col(here).is_null()).then(pl.lit(_MISSING)).otherwise(pl.col(trouble)).alias(trouble)
            for here, trouble in (("here", "trouble"), ("here_right", "trouble_right"))
        )
    )
    counted = pl.col("trouble").is_null() & pl.col("trouble_right").is_null()
    left = every.filter(~counted)
    kept = every.filter(counted).select(_KEY).sort(_KEY)
    first, second = (kept.join(side, on=_KEY, how="left", maintain_order="left") for side in sides)
    counts = Counter(left.select("trouble", "trouble_right").iter_rows())
    return Matched(first, second, left.height, _said(counts))


def silence_said(match: Matched, silent: pl.Expr) -> tuple[int, str]:
    """How many matched pairs have a side without an answer in one of the runs, and what became of those answers.

    Args:
        match: Pairs that count on both sides.
        silent: Which pairs of a run have a side without an answer.
    """
    mute = pl.when(silent).then(
        pl.when(pl.col("state") == "reference_silent")
        .then(pl.col("reference_outcome"))
        .otherwise(pl.col("outcome"))
    )
    found = Counter(
        zip(*(side.select(mute.alias("of"))["of"] for side in (match.first, match.second)), strict=True)
    )
    del found[None, None]
    parts: dict[str, Counter[str]] = {}
    for (a, b), count in found.items():
        where = _where(a is not None, b is not None)
        parts.setdefault(where, Counter())[_outcome(a if a is not None else b)] += count
    told = [
        f"{sum(held.values())} without an answer {where} ({', '.join(f'{n} {word}' for word, n in sorted(held.items()))})"
        for where, held in sorted(parts.items())
    ]
    return sum(found.values()), "; ".join(told)


def _trouble(reworded: Collection[str]) -> pl.Expr:
    """Why a pair of one run has no place in a comparison; null where it has."""
    return (
        pl.when(pl.col("state").is_in(UNSEEN))
        .then(pl.col("state"))
        .when(pl.col("item").is_in(list(reworded)))
        .then(pl.lit(_REWORDED))
    )


def _said(counts: Mapping[tuple[str | None, str | None], int]) -> str:
    told: Counter[str] = Counter()
    for (a, b), count in counts.items():
        if _REWORDED in (a, b):
            told[_WHY[_REWORDED]] += count
        elif a is not None and (b is None or a == b):
            told[f"{_WHY[a]} {_where(True, b is not None)}"] += count
        elif b is not None:
            # With different faults on both sides that of the run that is judged is named.
            told[f"{_WHY[b]} {_where(False, True)}"] += count
    return "; ".join(f"{count} {words}" for words, count in sorted(told.items()))


def _where(a: bool, b: bool) -> str:
    return "on both sides" if a and b else "on side a" if a else "on side b"


def _outcome(name: str | None) -> str:
    """The outcome of a silent side; an answer that makes no claim was an answer all the same."""
    return "no claim" if name in (None, "answered") else OUTCOME_WORDS.get(str(name), str(name))


ALL = "all"
"""In place of a language: all that the runs share, together."""

_PAIR_KEY = (*CELL, "item", "repeat")

Pair = tuple[pl.DataFrame, pl.DataFrame]
Studies = tuple[Mapping[str, object], Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which rows of a comparison are wanted.

    Attributes:
        matched: A model of the first and one of the second run; None pairs models of the same name, or the only two.
        models: Only these; all where empty.
        tasks: Only these; all where empty.
    """

    matched: tuple[str, str] | None = None
    models: Sequence[str] = ()
    tasks: Sequence[str] = ()


@dataclass(frozen=True, slots=True, eq=False)
class CommonEvaluation:
    """One evaluation that both runs have.

    Attributes:
        what: Name of the evaluator.
        pairs: Its tables of pairs.
        signatures: How each was made.
    """

    what: str
    pairs: Pair
    signatures: Studies


@dataclass(frozen=True, slots=True, eq=False)
class RunPair:
    """Two runs.

    Attributes:
        studies: Their studies.
        evaluations: The evaluations that both have.
        apart: What differs between them besides the models.
    """

    studies: Studies
    evaluations: tuple[CommonEvaluation, ...]
    apart: RunDifferences = field(default_factory=RunDifferences)


def opened(runs: tuple[Described, Described], chosen: Chosen) -> RunPair:
    """Read the evaluations of two runs.

    Args:
        runs: What two run folders say of themselves.
        chosen: Which models and tasks are wanted.

    Raises:
        UsageError: A run is not one of open answers.
        UnknownNameError: A model or task that a run does not have.
        DataError: A broken evaluation, one against other references, or the runs share none.
    """
    folders = (_folder(runs[0], SIDES[0]), _folder(runs[1], SIDES[1]))
    studies = (runs[0].study, runs[1].study)
    placed = [homes(folder, study) for folder, study in zip(folders, studies, strict=True)]
    alone = {"evaluators": _alone(list(placed[0]), list(placed[1]))}
    notes: list[str] = []
    found: list[CommonEvaluation] = []
    for what in (name for name in placed[0] if name in placed[1]):
        one = _shared(what, (placed[0][what], placed[1][what]), chosen)
        apart = _properties_apart(one)
        if apart:
            notes.append(apart)
        else:
            found.append(one)
    if not found:
        names = " and ".join(", ".join(side) for side in placed)
        raise DataError(f"the runs share no evaluator that could be compared ({names})" + "".join(
            f"; {note}" for note in notes))  # fmt: skip
    for kind in ("language", "model") if chosen.matched is None else ("language",):
        alone[f"{kind}s"] = _alone(*(found[0].pairs[side][kind].unique().sort() for side in (0, 1)))
    words, unknown = reworded(folders, str(found[0].signatures[0].get("reference")))
    differing = RunDifferences(
        {one.what: instrument_apart(*one.signatures) for one in found},
        asked_apart(*studies),
        alone,
        words,
        (*notes, *([unknown] if unknown else [])),
    )
    return RunPair(studies, tuple(found), differing)


def places(
    one: CommonEvaluation, what: str, studies: Studies, matched: tuple[str, str] | None
) -> Iterator[tuple[dict[str, object], Pair]]:
    """The pairs of each row of a comparison on both sides, and the coordinates of the row.

    Args:
        one: An evaluation of both runs.
        what: ``scores`` or ``groups``.
        studies: The studies of the runs, for what they declare of the models.
        matched: See Chosen.

    Raises:
        UnknownNameError: A model that a run does not have, or no such language.
        DataError: The runs share no model; or a prompt is several times in a cell.
    """
    for names in matched_models(one.pairs, matched):
        held = tuple(
            side.filter(pl.col("model") == name) for side, name in zip(one.pairs, names, strict=True)
        )
        tasks = held[1]["task"].unique()
        for task in held[0].filter(pl.col("task").is_in(tasks.implode()))["task"].unique(maintain_order=True):
            ways = _ways((held[0].filter(task=task), held[1].filter(task=task)))
            head = {"model_a": names[0], "model_b": names[1], "task": task}
            rows = _by_language(ways) if what == "scores" else _by_group(ways, _trained(studies, names))
            for place, inside in rows:
                yield {**head, **place}, _both(inside)


@dataclass(frozen=True, slots=True, eq=False)
class _Way:
    """A language, how its prompts were put on both sides, and the pairs."""

    language: str
    codes: tuple[str, str]
    pairs: Pair


def _folder(run: Described, side: str) -> Path:
    if run.folder is None or not is_open(run):
        raise UsageError(
            f"side {side} is no run folder of open answers (`hesperus run {STUDY}`), and scores are compared of two such runs"
        )
    return run.folder


def _shared(what: str, placed: tuple[Path, Path], chosen: Chosen) -> CommonEvaluation:
    (first, signed_a), (second, signed_b) = (read_pairs(home) for home in placed)
    references = [signed.get("reference") for signed in (signed_a, signed_b)]
    if references[0] != references[1]:
        raise DataError(
            f"{what}: side a is compared with answers in {references[0]}, side b with answers in {references[1]}; their "
            "scores say different things"
        )
    sides = []
    for pairs, home in zip((first, second), placed, strict=True):
        need(pairs, (*_PAIR_KEY, "state", "outcome", "reference_outcome"))
        if pairs.select(_PAIR_KEY).is_duplicated().any():
            raise DataError("a prompt stands several times with the same model, sense and repeat", file=home)
        sides.append(narrowed(pairs, models=chosen.models, tasks=chosen.tasks))
    return CommonEvaluation(what, (sides[0], sides[1]), (signed_a, signed_b))


def _properties_apart(one: CommonEvaluation) -> str:
    """What to say where the sides have different properties; empty where they have the same."""
    names = [
        sorted(name.removeprefix("reference.") for name in side.columns if name.startswith("reference."))
        for side in one.pairs
    ]
    if names[0] == names[1]:
        return ""
    said = " and ".join(", ".join(side) or "none" for side in names)
    return f"{one.what}: the properties differ ({said}), excluded"


def _alone(first: Sequence[str] | pl.Series, second: Sequence[str] | pl.Series) -> dict[str, list[str]]:
    sides = dict(zip(SIDES, ((first, second), (second, first)), strict=True))
    found = {side: [str(name) for name in own if name not in other] for side, (own, other) in sides.items()}
    return {side: names for side, names in found.items() if names}


def _ways(sides: Pair) -> list[_Way]:
    """Cells that both sides have: of the same senses, or the only one of a language on each."""
    senses = [
        side.select("language", "instruction", "input").unique(maintain_order=True).rows() for side in sides
    ]
    found = []
    for tag in dict.fromkeys(row[0] for row in senses[0]):
        own = [[row[1:] for row in side if row[0] == tag] for side in senses]
        chosen = [(sense, sense) for sense in own[0] if sense in own[1]]
        if not chosen and len(own[0]) == len(own[1]) == 1:
            chosen = [(own[0][0], own[1][0])]
        for pair in chosen:
            codes = tuple(put if put == how else f"{how}/{put}" for how, put in pair)
            named = f"{tag} {codes[0]} {codes[1]}"
            held = tuple(
                side.filter(language=tag, instruction=how, input=put).with_columns(pl.lit(named).alias(WAY))
                for side, (how, put) in zip(sides, pair, strict=True)
            )
            found.append(_Way(tag, (codes[0], codes[1]), (held[0], held[1])))
    return found


def _by_language(ways: Sequence[_Way]) -> Iterator[tuple[dict[str, object], list[_Way]]]:
    for way in ways:
        yield {"language": way.language, "input_a": way.codes[0], "input_b": way.codes[1]}, [way]
    if len(ways) > 1:
        yield {"language": ALL, "input_a": None, "input_b": None}, list(ways)


def _by_group(
    ways: Sequence[_Way], trained: frozenset[str] | None
) -> Iterator[tuple[dict[str, object], list[_Way]]]:
    tags = sorted({way.language for way in ways})
    for grouping, group, inside in members(tags, trained):
        place: dict[str, object] = {"grouping": grouping, "group": group, "languages": " ".join(inside)}
        yield place, [way for way in ways if way.language in inside]


def _trained(studies: Studies, names: tuple[str, str]) -> frozenset[str] | None:
    """What both models are declared to be trained on; None if the declarations are not the same."""
    declared = [
        trained_languages(settings_of(study).trained_on).get(name)
        for study, name in zip(studies, names, strict=True)
    ]
    return declared[0] if declared[0] == declared[1] else None


def _both(ways: Sequence[_Way]) -> Pair:
    """The pairs of some cells."""
    return pl.concat([way.pairs[0] for way in ways]), pl.concat([way.pairs[1] for way in ways])
