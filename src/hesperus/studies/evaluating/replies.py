"""Ready answers: the replies of a records file or run folder, what became of each, and each next to that in the reference language.

An open answer has no label, so of the columns of the contract only who answered, what, and the reply itself are needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import polars as pl

from hesperus.answers.reader import reader_for
from hesperus.answers.reading import ANOTHER_LANGUAGE
from hesperus.answers.refusals import says_no
from hesperus.answers.reply_text import Text
from hesperus.answers.reply_words import wording_for
from hesperus.errors import DataError, UnknownNameError, UsageError, refuse_unknown
from hesperus.languages import compared_reply, language, normalise, text_language
from hesperus.languages.letters import scripts_for, share_in
from hesperus.normalization import clean, peel, without_thoughts
from hesperus.records import KEY, conform
from hesperus.records.reading import records_file
from hesperus.tables import read_table
from hesperus.types import Answer, Reply, Sense

NEEDED = ("model", "item", "input", "reply")
"""Columns that a file of replies must have."""

SILENT = ("empty", "refused", "blocked", "error")
"""Outcomes of replies that give no answer: what they may hold is not read as one."""

COLUMNS = (*KEY, "language", "outcome", "reply")


def read_replies(path: Path) -> pl.DataFrame:
    """The replies of a run folder or of a file (Parquet, CSV, TSV, JSON lines).

    Of the file, `model`, `item`, `input` (a sense code or a language) and `reply` are needed. Where they are absent,
    `task` is the name of the file, `instruction` the input, `repeat` 1; `outcome` is then `answered`, or `empty` where
    the reply is.

    Returns:
        The columns of the key, `language` (that of the input), `outcome`, and `reply`: null if there is no answer.

    Raises:
        UsageError: There is no such file.
        DataError: It cannot be read, lacks a column, or breaks the contract; the message names the row.
    """
    file = records_file(path)
    return replies_of(read_table(file), file=file)


def replies_of(records: pl.DataFrame, *, file: Path | None = None) -> pl.DataFrame:
    """The replies of a table; see read_replies."""
    absent = [name for name in NEEDED if name not in records.columns]
    if absent:
        raise DataError(
            f"no column {' and no column '.join(map(repr, absent))}; open answers need {', '.join(NEEDED)}, this table "
            f"has {', '.join(records.columns) or 'none'}; `hesperus import` makes a run of tables with other columns",
            file=file,
        )
    if records["reply"].dtype not in (pl.String(), pl.Null()):
        raise DataError(f"expected text, found {records['reply'].dtype}", file=file, field="reply")
    given = records.select(name for name in (*KEY, "outcome", "reply", "answer") if name in records.columns)
    given = given.with_columns(pl.col("reply").cast(pl.String()))
    defaults = {
        "task": pl.lit(file.stem if file is not None else "open"),
        "instruction": pl.col("input"),
        "outcome": pl.lit(None, pl.String()),
    }
    given = given.with_columns(
        default.alias(name) for name, default in defaults.items() if name not in given.columns
    )
    read = _is_whole(given)
    # What names no language is said first: such rows are one key, and would pass for doubled ones.
    languages_of(given["input"].cast(pl.String(), strict=False), file)
    frame = conform(_as_answers(given, file), file=file, header=1 if _has_header(file) else 0)
    frame = frame.with_columns(languages_of(frame["input"], file).alias("language"))
    frame = frame.with_columns(pl.Series("outcome", _outcomes(frame, read), dtype=pl.String()))
    said = pl.when(pl.col("outcome").is_in(SILENT)).then(None).otherwise(pl.col("reply"))
    return frame.with_columns(said.alias("reply")).select(COLUMNS)


def read_prompts(path: Path, reference: str, *, named: bool = True) -> dict[str, str]:
    """What was asked, by item id, in the reference's language.

    They are in a table with `item` and `prompt`, or in the items of a run folder, whose fields together are the
    prompt. A place that nobody `named` may hold none.
    """
    file = path / "items.parquet" if path.is_dir() else path
    if not named and not (path.is_dir() and file.is_file()):
        return {}
    table = read_table(file)
    fields = [name for name in table.columns if name == "prompt" or name.startswith("field:")]
    if "item" not in table.columns or not fields:
        raise DataError(
            f"prompts are in the columns item and prompt; this has {', '.join(table.columns)}", file=file
        )
    if "language" in table.columns:
        table = table.filter(pl.col("language") == reference)
    if "model" in table.columns:
        table = table.filter(pl.col("model").is_null())
    held = table.select("item", *fields).rows()
    return {str(item): "\n\n".join(str(text) for text in texts if text) for item, *texts in held}


def chosen(replies: pl.DataFrame, column: str, values: Sequence[str]) -> pl.DataFrame:
    """The replies with a column that has one of the values; all if absent."""
    known = replies[column].unique().sort().to_list()
    refuse_unknown(f"{column} of the replies", values, known)
    return replies.filter(pl.col(column).is_in(list(values))) if values else replies


def _as_answers(given: pl.DataFrame, file: Path | None) -> pl.DataFrame:
    """Outcomes if absent; and an answer for the contract if there is one, since the reply is the answer."""
    if given["outcome"].dtype not in (pl.String(), pl.Null()):
        raise DataError(f"expected text, found {given['outcome'].dtype}", file=file, field="outcome")
    outcome = pl.col("outcome").cast(pl.String()).replace("", None)
    blank = pl.col("reply").fill_null("").str.strip_chars() == ""
    derived = pl.when(blank).then(pl.lit("empty")).otherwise(pl.lit("answered"))
    # `answered` without any text is what other tools write for a missing reply; it is empty, whatever they call it.
    named = pl.when(blank & (outcome.fill_null("answered") == "answered")).then(pl.lit("empty"))
    settled = named.otherwise(pl.coalesce(outcome, derived)).alias("outcome")
    answer = pl.when(pl.col("outcome") == "answered").then(pl.col("reply")).otherwise(None)
    return given.with_columns(settled).with_columns(answer.alias("answer"))


def _is_whole(given: pl.DataFrame) -> list[bool]:
    """Whether each reply is its own answer; a label was read out of it by somebody, refusals included."""
    if "answer" not in given.columns:
        return [True] * given.height
    answer, reply = (pl.col(name).cast(pl.String()).str.strip_chars() for name in ("answer", "reply"))
    return given.select((answer.is_null() | (answer == reply)).fill_null(False)).to_series().to_list()


def _outcomes(frame: pl.DataFrame, whole: Sequence[bool]) -> list[str]:
    """Outcomes, whoever wrote the file: a refusal in words, a reply in another language than the one asked for."""

    def outcome(known: str, reply: str, tag: str, is_whole: bool) -> str:
        if known != "answered":
            return known
        if is_whole and _refuses(clean(reply), tag):
            return "refused"
        return "wrong_language" if compared_reply(reply, tag).is_other else known

    replies = frame["reply"].fill_null("")
    return list(map(outcome, frame["outcome"], replies, frame["language"], whole))


def languages_of(codes: pl.Series, file: Path | None) -> pl.Series:
    """The language of each sense code or language of a column, as a normal tag; one that is neither is refused by its row and column."""
    known: dict[str | None, str | None] = {None: None}
    for row, code in enumerate(codes.to_list(), start=2 if _has_header(file) else 1):
        if code in known:
            continue
        try:
            known[code] = normalise(Sense.parse(code).language)
        except (ValueError, TypeError, UnknownNameError):
            try:
                known[code] = normalise(code)
            except UnknownNameError as error:
                raise DataError(
                    f"{error}; write a language or a sense code such as 'de' or 'de_from_en'",
                    file=file,
                    line=row,
                    field=codes.name,
                ) from None
    return pl.Series(codes.name, [known[code] for code in codes.to_list()], pl.String())


def _has_header(file: Path | None) -> bool:
    return file is not None and file.suffix.lower() in (".csv", ".tsv")


REFUSAL_LENGTH = 400
"""Characters up to which a reply with a refusing phrase is a refusal; a longer one goes on to say something."""

_OTHER_SCRIPT = 0.2

WHOLE_TEXT = "whole text"
"""The rule of a reply that is its own answer; `hesperus reread` leaves such answers alone."""


def read_open(reply: Reply, language: str) -> Answer:
    """Read an open reply: `answered` with its own text, or why it is no answer.

    A reply that was cut off at its limit is `truncated`, one of which most is in another script or at least a third in
    another language `wrong_language`; both keep their text, which is evaluated. `refused`, `blocked` and `empty` replies
    give no answer. Refusals in words are seen where the language has a pack.
    """
    if reply.finish == "filter":
        return Answer("blocked", rule="content filter")
    said = without_thoughts(reply.text)
    text = clean(said or "")
    if not peel(text):
        cut = reply.finish == "length" or (said is None and reply.text.strip())
        return Answer("truncated" if cut else "empty", rule="cut off before the answer" if cut else "no text")
    if _refuses(text, language):
        return Answer("refused", rule="refusal phrase")
    if reply.finish == "length":
        return Answer("truncated", rule="cut off")
    share = share_in(text, _scripts(language))
    if share is not None and share < _OTHER_SCRIPT:
        return Answer("wrong_language", rule="another script")
    if text_language(said or "", language).is_other:
        return Answer("wrong_language", rule=ANOTHER_LANGUAGE)
    return Answer("answered", (said or "").strip(), WHOLE_TEXT)


def _refuses(text: str, language: str) -> bool:
    """Whether a text declines, by the words of its language's pack or of English."""
    return len(text) <= REFUSAL_LENGTH and says_no(Text.of(text, reader_for("text", language, answers={})))


@cache
def _scripts(language: str) -> tuple[str, ...]:
    return scripts_for(wording_for(language).script)


CELL = ("model", "task", "instruction", "input")
"""What a column of answers belongs to."""


@dataclass(frozen=True, slots=True)
class Paired:
    """Replies in pairs.

    Attributes:
        reference: The language with which the others are compared.
        pairs: The columns of the key, `language`, `outcome`, `reply`, `reference_outcome`, `reference_reply`; `asked` and
            `reference_asked` say whether the item is in the file at all.
    """

    reference: str
    pairs: pl.DataFrame


def paired(replies: pl.DataFrame, reference: str, languages: Sequence[str] = ()) -> Paired:
    """Put each reply next to the same model's reply to the same item, and repeat, in the reference language.

    Args:
        replies: From read_replies.
        reference: Language of the replies that the others are compared with.
        languages: Only these others; all where empty.

    Raises:
        UnknownNameError: No reply is in one of the languages.
        UsageError: A language is the reference itself.
        DataError: There is no reply in another language, or the reference was put in several ways.
    """
    wanted = normalise(reference)
    known = replies["language"].unique().sort().to_list()
    if wanted not in known:
        raise UnknownNameError(
            "reference language of the replies", wanted, known, "--reference names another"
        )
    others = [normalise(tag) for tag in languages]
    for tag in others:
        if tag == wanted:
            raise UsageError(f"{tag} is the reference itself; name other languages")
        if tag not in known:
            raise UnknownNameError("language of the replies", tag, known)
    held = _reference_rows(replies.filter(pl.col("language") == wanted))
    candidates = replies.filter(pl.col("language") != wanted)
    if others:
        candidates = candidates.filter(pl.col("language").is_in(others))
    if candidates.is_empty():
        raise DataError(
            f"nothing to compare: all replies are in {language(wanted).name} ({wanted}), and consistency needs another "
            "language"
        )
    return Paired(wanted, _joined(candidates, held))


def _reference_rows(replies: pl.DataFrame) -> pl.DataFrame:
    """One reference for each model and task: the original if there are several ways of putting it."""
    cells = replies.select(CELL).unique(maintain_order=True)
    chosen = []
    for (model, task), ways in cells.group_by("model", "task", maintain_order=True):
        originals = ways.filter(
            (pl.col("instruction") == pl.col("input")) & ~pl.col("input").str.contains("[_~@]")
        )
        found = ways if ways.height == 1 else originals
        if found.height != 1:
            shown = "; ".join(f"instruction={row[2]},input={row[3]}" for row in ways.head(6).iter_rows())
            raise DataError(
                f"{model} answered {task} in the reference language in {ways.height} ways ({shown}); leave one"
            )
        chosen.append(found)
    return replies.join(pl.concat(chosen), on=list(CELL), how="semi", maintain_order="left")


def _joined(candidates: pl.DataFrame, held: pl.DataFrame) -> pl.DataFrame:
    """Pairs by model, task, item and repeat; an item that only one side was asked is there with half a pair."""
    on = ["model", "task", "item", "repeat"]
    theirs = held.select(
        *on,
        pl.col("outcome").alias("reference_outcome"),
        pl.col("reply").alias("reference_reply"),
        pl.lit(True).alias("reference_asked"),
    )
    cells = candidates.select(*CELL, "language").unique(maintain_order=True)
    # A repeat that only the reference was asked for is no item that is missing.
    put = candidates.select(*CELL, "language", "repeat").unique(maintain_order=True)
    wanted = put.join(theirs.select(on), on=["model", "task", "repeat"], how="inner", maintain_order="left")
    ours = candidates.with_columns(pl.lit(True).alias("asked"))
    keys = [*KEY, "language"]
    every = pl.concat([ours.select(keys), wanted.select(keys)]).unique(maintain_order=True, keep="first")
    joined = every.join(ours, on=keys, how="left", maintain_order="left").join(
        theirs, on=on, how="left", maintain_order="left"
    )
    order = {cell: place for place, cell in enumerate(cells.select(CELL).iter_rows())}
    ranks = pl.Series("rank", [order[row] for row in joined.select(CELL).iter_rows()])
    return (
        joined.with_columns(pl.col("asked", "reference_asked").fill_null(False), ranks)
        .sort("rank", maintain_order=True)
        .drop("rank")
    )
