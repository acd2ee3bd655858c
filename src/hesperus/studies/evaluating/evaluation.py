"""Translate, then evaluate: replies in pairs, the others put into the reference's language, and the control next to them.

The control sends each answer of the reference into the other language and back, and holds it against itself: what it
loses is lost by translation and evaluator alone, so it is the ceiling of the score.

Reference: Gupta, Mehta, Xu and Srikumar, Found in Translation, sections 3 and 5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from hesperus.errors import UsageError
from hesperus.evaluators import Compared, Evaluator, Texts, no_answer
from hesperus.fingerprint import JSON
from hesperus.languages import language, normalise
from hesperus.records import KEY
from hesperus.rounding import cell
from hesperus.studies.evaluating.evaluators import EMBEDDED
from hesperus.studies.evaluating.replies import Paired
from hesperus.studies.evaluating.translating import AS_THEY_ARE, Made, Translating, Way, translation_rows
from hesperus.types import Estimate
from hesperus.wording import counted

NAMES = (*KEY, "side_by_side")
"""Names of the parts of a key: whose pair, and whether it is the `score` or its `ceiling`."""

ABSENT, FAILED, UNTRANSLATED = "absent", "failed", "untranslated"
"""States of pairs that no evaluator sees: an item that one side was not asked, a side to which no reply came (the
outcome `error`), a reply without a translation."""

_OUTCOMES = ("outcome", "reference_outcome")
"""Columns that hold what became of the replies of a pair."""

LEVELS = ("reference.", "candidate.")
"""Beginnings of the columns that hold the level of a property on each side."""

SCORE, CEILING = "score", "ceiling"

MISSING = ("leave-out", "no-answer")
"""What an item is for which a side has no row at all: no pair, or a pair with a side that gives no answer."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an evaluation leaves behind.

    Attributes:
        what: Name of the evaluator.
        pairs: A row for each pair: its key, state and values, and those of its ceiling (see docs/open_answers.md).
        details: Claims with verdicts, or grades, to read.
        sentences: Every translated sentence, with what was wrong with it and what became of it.
        validity: Share of the evaluator's replies that could be read.
        signature: All that decides the scores.
        replies: Replies of the judge that came from the store, and those that it gave now.
    """

    what: str
    pairs: pl.DataFrame
    details: pl.DataFrame
    sentences: pl.DataFrame
    validity: Estimate
    signature: Mapping[str, JSON] = field(default_factory=dict)
    replies: tuple[int, int] = (0, 0)

    def notes(self) -> list[str]:
        """What to know next to the numbers, each as one line for people."""
        states = dict(self.pairs.group_by("state").len().iter_rows())
        said = ", ".join(f"{count:,} {state.replace('_', ' ')}" for state, count in sorted(states.items()))
        notes = [f"{counted(self.pairs.height, 'pair')}: {said}"]
        wrong = self.pairs.filter(pl.any_horizontal(pl.col(_OUTCOMES) == "wrong_language")).height
        if wrong:
            notes.append(
                f"in {wrong:,} of them a reply is in another language than the one asked for; statistics that end in "
                "_right_language leave them out"
            )
        sentences, repaired, unrepaired = (
            int(self.pairs[name].sum() or 0) for name in ("sentences", "repaired", "unrepaired")
        )
        if sentences:
            notes.append(
                f"{counted(sentences, 'sentence')} translated, {repaired:,} repaired, {unrepaired:,} with a fault that stayed"
            )
        stored, fresh = self.replies
        if stored or fresh:
            notes.append(f"of the judge's replies {stored:,} come from the store and {fresh:,} it gave now")
        if self.validity.value is not None:
            notes.append(
                f"the evaluator's replies could be read: {cell(self.validity.value, 'share')} of {self.validity.n:,}"
            )
        unread = self.pairs.filter(pl.col("state") == "unreadable").height
        if unread and (stored or fresh):
            notes.append(
                f"{counted(unread, 'pair')} could not be judged from them: --retry-unread asks those questions again"
            )
        return [*notes, *self.warnings()]

    def warnings(self) -> list[str]:
        """What makes the scores mean little, each as one line that says what to do: texts that the judge cannot read."""
        judge, reference = self.signature.get("judge"), str(self.signature.get("reference"))
        if not isinstance(judge, dict) or EMBEDDED not in (judge.get("judge"), judge.get("grader")):
            return []
        knows = "the embedded judge knows the rules of English only"
        if not _english(reference):
            return [
                f"{knows}, and the texts it compared are in {language(reference).name}: name another (--judge provider/name), "
                "or an English reference (--reference en)"
            ]
        foreign = [tag for tag in self.pairs["language"].unique().sort() if not _english(tag)]
        if self.signature.get("translator") != AS_THEY_ARE or not foreign:
            return []
        names = ", ".join(language(tag).name for tag in foreign[:4]) + (", …" if len(foreign) > 4 else "")
        return [
            f"{knows}, and replies in {names} were not translated, so that their scores say little: name a "
            "translator (--translator apertium, ct2/FOLDER, file/PATH, …) or another judge (--judge provider/name)"
        ]


def _english(tag: str) -> bool:
    return normalise(tag).partition("-")[0] == "en"


@dataclass(frozen=True, slots=True)
class _Row:
    """A pair on its way: its row, and its texts once they are in one language."""

    values: Mapping[str, Any]
    candidate: Made
    back: Made | None

    @property
    def key(self) -> tuple[str, ...]:
        return tuple(str(self.values[name]) for name in KEY)

    @property
    def state(self) -> str:
        """Why no evaluator sees the pair; empty where one does."""
        if not (self.values["asked"] and self.values["reference_asked"]):
            return ABSENT
        if _failed(self.values):
            return FAILED
        return UNTRANSLATED if self.candidate.reason else ""


def evaluate(
    paired: Paired,
    translating: Translating,
    evaluators: Sequence[Evaluator],
    *,
    control: bool = True,
    missing: str = "leave-out",
    prompts: Mapping[str, str] | None = None,
) -> list[Evaluation]:
    """Translate every reply into the reference's language and compare the pairs, by each evaluator in turn.

    Args:
        paired: Replies in pairs.
        translating: What translates, and where it is kept.
        evaluators: What compares.
        control: Whether the ceiling is measured where the translator goes both ways.
        missing: What becomes of an item that one side was not asked: `leave-out` counts it, `no-answer` scores it as if that
            side had given no answer. A side to which no reply came (the outcome `error`) is left out by either.
        prompts: Item id to what was asked, in the reference's language, for evaluators that look at it.

    Raises:
        UsageError: A pair of languages that the translator does not know, prompts that an evaluator lacks, or no such rule
            for missing items.
        ModelError: The translator or a judge failed; what was done is kept.
    """
    if missing not in MISSING:
        raise UsageError(f"--missing is {' or '.join(MISSING)}, not {missing!r}")
    for evaluator in evaluators:
        if evaluator.needs_prompts and not prompts:
            raise UsageError(
                f"{evaluator.what} is judged by what was asked; give the prompts (--prompts FILE), or evaluate a run "
                "folder, which holds them"
            )
    rows = _translated(paired, translating, control=control, missing=missing)
    how: dict[str, JSON] = {
        "reference": paired.reference,
        "control": control,
        "missing": missing.replace("-", " "),
        "translator": translating.name,
        "translation": translating.signature(),
    }
    return [_evaluated(rows, evaluator, how, prompts or {}) for evaluator in evaluators]


def _translated(paired: Paired, translating: Translating, *, control: bool, missing: str) -> list[_Row]:
    """Every pair with its candidate in the reference's language, and the reference sent there and back."""
    target = paired.reference
    languages = paired.pairs["language"].unique(maintain_order=True).to_list()
    translating.refuse_unsupported([(source, target) for source in languages])
    rows: list[_Row] = []
    for source in languages:
        pairs = paired.pairs.filter(pl.col("language") == source).to_dicts()
        if missing == "no-answer":
            pairs = [{**row, "asked": True, "reference_asked": True} for row in pairs]
        spoken = [row for row in pairs if not no_answer(row["reply"])]
        said = [str(row["reply"]) for row in spoken]
        way = Way(source, target, f"{source} to {target}")
        made = translating.texts(said, way, items=[str(row["item"]) for row in spoken])
        into = dict(zip(said, made, strict=True))
        back: dict[str, Made] = {}
        if control and translating.both_ways(target, source):
            english = [
                str(row["reference_reply"])
                for row in pairs
                if row["asked"] and not _failed(row) and not no_answer(row["reference_reply"])
            ]
            back = _there_and_back(english, source, target, translating)
        for row in pairs:
            returned = None if _failed(row) else back.get(str(row["reference_reply"]))
            if back and not _failed(row) and no_answer(row["reference_reply"]):
                returned = Made(None)
            candidate = Made(None) if no_answer(row["reply"]) else into[str(row["reply"])]
            rows.append(_Row(row, candidate, returned))
    return rows


def _failed(row: Mapping[str, Any]) -> bool:
    """Whether no reply came on a side: missing data, which is no silence of the model."""
    return "error" in (row["outcome"], row["reference_outcome"])


def _there_and_back(
    texts: Sequence[str], source: str, target: str, translating: Translating
) -> dict[str, Made]:
    """Texts of the target, to the source and back."""
    different = list(dict.fromkeys(texts))
    there = translating.texts(different, Way(target, source, f"control: {target} to {source}"))
    again = translating.texts(
        [made.text or "" for made in there], Way(source, target, f"control: {source} to {target}")
    )
    return dict(zip(different, again, strict=True))


def _evaluated(
    rows: Sequence[_Row], evaluator: Evaluator, how: Mapping[str, JSON], prompts: Mapping[str, str]
) -> Evaluation:
    given: list[Texts] = []
    for row in rows:
        if row.values["asked"] and row.values["reference_asked"]:
            reference, prompt = row.values["reference_reply"], prompts.get(str(row.values["item"]))
            became, outcome = (str(row.values[name] or "") for name in ("reference_outcome", "outcome"))
            if not row.state:
                given.append(
                    Texts((*row.key, SCORE), reference, row.candidate.text, prompt, (became, outcome))
                )
            if row.back is not None:
                given.append(Texts((*row.key, CEILING), reference, row.back.text, prompt, (became, became)))
    found = evaluator.compare(given, NAMES)
    signature: dict[str, JSON] = {"evaluator": evaluator.what, **how, "judge": dict(found.signature)}
    return Evaluation(
        evaluator.what,
        _numbers(
            frame_of([_pair_row(row, found, evaluator.parts) for row in rows]),
            [name for part in evaluator.parts for name in (part, f"ceiling_{part}")],
        ),
        frame_of(found.details),
        frame_of([line for row in rows for line in _sentence_rows(row)]),
        found.validity,
        signature,
        (0, 0) if evaluator.asker is None else (evaluator.asker.stored, evaluator.asker.fresh),
    )


def _pair_row(row: _Row, found: Compared, parts: Sequence[str]) -> dict[str, JSON]:
    """A line of the table of pairs."""
    score = found.scores.get((*row.key, SCORE), {})
    ceiling = found.scores.get((*row.key, CEILING), {})
    values = row.values
    reason = row.candidate.reason if row.state == UNTRANSLATED else str(score.get("reason", ""))
    line: dict[str, JSON] = {name: values[name] for name in (*KEY, "language")}
    line |= {
        "outcome": values["outcome"],
        "reference_outcome": values["reference_outcome"],
        "state": row.state or score.get("state"),
        **{name: score.get(name) for name in parts},
        "reason": reason,
        **{name: value for name, value in score.items() if name not in ("state", "reason", *parts)},
        "ceiling_state": ceiling.get("state"),
        **{f"ceiling_{name}": ceiling.get(name) for name in parts},
        **{f"ceiling_{name}": value for name, value in ceiling.items() if name.startswith(LEVELS)},
        "sentences": row.candidate.sentences,
        "repaired": row.candidate.repaired,
        "unrepaired": row.candidate.unrepaired,
        "reference_text": values["reference_reply"],
        "candidate_text": row.candidate.text,
        "ceiling_text": row.back.text if row.back is not None else None,
    }
    return line


def _sentence_rows(row: _Row) -> list[dict[str, JSON]]:
    names: dict[str, JSON] = {name: row.values[name] for name in (*KEY, "language")}
    lines = list(translation_rows(row.candidate, {**names, "side_by_side": SCORE}))
    if row.back is not None:
        lines += translation_rows(row.back, {**names, "side_by_side": CEILING})
    return lines


def _numbers(frame: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """The values of pairs are numbers, even where no pair has one."""
    return frame.with_columns(pl.col(name).cast(pl.Float64) for name in names if name in frame.columns)


def frame_of(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] = ()) -> pl.DataFrame:
    """Rows as a frame, of these columns or of all that some row has; a row may lack columns that others have."""
    columns = list(columns or dict.fromkeys(name for row in rows for name in row))
    return pl.DataFrame(
        {name: [row.get(name) for row in rows] for name in columns}, infer_schema_length=None, strict=False
    )
