"""Gold texts as labels, and the verdicts of the tools next to ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from hesperus.normalization import comparable
from hesperus.records.importers.import_settings import VERDICT, Log

_EXAMPLES = 3


def labelled(task: str, logs: Sequence[Log], notes: list[str]) -> list[Log]:
    """Give gold texts one label per item: English gold, or that of the first language that has the item.

    An answer gets the label of its item where it is the gold text of its own language (see `normalization.comparable`), or
    where the tool counted it as right. In the words of another item's gold in its language it has the label of that item,
    unless these words are the gold of items with different labels. Any other is its words in the form in which they are
    compared. So an answer is the same label in every language, right or wrong, though Rome and Rom are not the same words.

    Args:
        task: Its name, for the notes.
        logs: The logs of the task with text as gold.
        notes: Takes what a reader should know.
    """
    if not logs:
        return []
    ranked = sorted(logs, key=lambda log: (log.language != "en", log.language, log.model))
    canonical = pl.concat([log.rows.select("item", label="gold").drop_nulls() for log in ranked]).unique(
        "item", keep="first", maintain_order=True
    )
    words = {language: _words(logs, language, canonical) for language in {log.language for log in logs}}
    found, more, own = [], 0, 0
    for log in logs:
        rows, trusted, other = _labelled(log.rows, canonical, words[log.language])
        found.append(replace(log, rows=rows))
        more, own = more + trusted, own + other
    told = f"; {more:,} answers in other words are right by the tool's verdict" if more else ""
    if own and len(words) > 1:
        told += f"; {own:,} answers are no gold of their language: between languages their words are compared"
    notes.append(
        f"{task}: gold is text; an answer in the words of its language's gold has the label of the item whose gold it is{told}"
    )
    return found


def _words(logs: Sequence[Log], language: str, canonical: pl.DataFrame) -> pl.DataFrame:
    """Gold texts of a language in the form in which they are compared, each with its one label."""
    golds = pl.concat([log.rows.select("item", "gold") for log in logs if log.language == language])
    pairs = golds.drop_nulls().join(canonical, on="item").select("gold", "label").unique()
    forms = pairs.with_columns(form=pl.Series([comparable(text) for text in pairs["gold"]], dtype=pl.String))
    counted = forms.select("form", meant="label").unique()
    return counted.filter((pl.col("form") != "") & ~pl.col("form").is_duplicated())


def _labelled(
    rows: pl.DataFrame, canonical: pl.DataFrame, words: pl.DataFrame
) -> tuple[pl.DataFrame, int, int]:
    """Rows with labels; how many are right by the verdict alone, and how many answers are their own words."""
    forms = {
        text: comparable(text) for name in ("answer", "gold") for text in rows[name].drop_nulls().unique()
    }
    joined = rows.join(canonical, on="item", how="left", maintain_order="left")
    answer = pl.col("answer").replace_strict(forms, default=None, return_dtype=pl.String)
    gold = pl.col("gold").replace_strict(forms, default=None, return_dtype=pl.String)
    verdict = pl.col(VERDICT).fill_null(False) if VERDICT in rows.columns else pl.lit(False)
    joined = joined.with_columns(same=(answer == gold).fill_null(False), form=answer).with_columns(
        trusted=verdict & ~pl.col("same") & pl.col("answer").is_not_null() & pl.col("label").is_not_null()
    )
    joined = joined.join(words, on="form", how="left", maintain_order="left")
    right = pl.when(pl.col("same") | pl.col("trusted")).then(pl.col("label"))
    labels = pl.coalesce(right, pl.col("meant"), pl.col("form"))
    own = joined.filter(
        ~pl.col("same"), ~pl.col("trusted"), pl.col("meant").is_null(), pl.col("form").is_not_null()
    )
    done = joined.with_columns(
        answer=pl.when(labels == "").then(pl.col("answer")).otherwise(labels),
        gold=pl.when(pl.col("gold").is_not_null()).then(pl.col("label")),
    )
    return done.select(rows.columns), int(joined["trusted"].sum()), len(own)


def placed(log: Log, others: Sequence[Log], least: float) -> Log | None:
    """A log with options in the words of its own language gets the labels of the options in the same places elsewhere.

    Args:
        log: Its gold is not that of the other logs.
        others: Logs with the labels as options.
        least: Share of its items in which the right option must be in the same place: else the options are in another
            order, or the ids are of other items.

    Returns:
        None unless no option of it is one of theirs, and the right ones are in the same places.
    """
    known = {
        item: (options, gold)
        for other in others
        for item, options, gold in other.rows.select("item", "options", "gold").drop_nulls().iter_rows()
    }
    wanted = log.rows.select("item", "options", "answer", "gold")
    found, same, held = [], 0, 0
    for item, options, answer, gold in wanted.iter_rows():
        theirs, right = known.get(item, (None, None))
        if options is None or gold not in options or theirs is None or right not in theirs:
            found.append((options, answer, gold))
            continue
        if len(options) != len(theirs) or set(options) & set(theirs):
            return None
        labels = dict(zip(options, theirs, strict=True))
        held, same = held + 1, same + (labels[gold] == right)
        found.append((theirs, labels.get(answer, answer), labels[gold]))
    if held < 2 or same < least * held:
        return None
    columns = zip(("options", "answer", "gold"), zip(*found, strict=True), strict=True)
    mapped = [pl.Series(name, values, dtype=log.rows.schema[name]) for name, values in columns]
    return replace(log, rows=log.rows.with_columns(mapped))


def disagreements(task: str, logs: Sequence[Log]) -> list[str]:
    """Say in how many rows the tool's verdict is another than ours, with examples."""
    compared, differ = 0, 0
    examples: list[str] = []
    for log in logs:
        if VERDICT not in log.rows.columns:
            continue
        both = log.rows.filter(
            pl.col(VERDICT).is_not_null() & pl.col("gold").is_not_null() & (pl.col("outcome") != "error")
        )
        ours = (pl.col("answer") == pl.col("gold")).fill_null(False)
        other = both.filter(ours != pl.col(VERDICT))
        compared += len(both)
        differ += len(other)
        for row in other.head(_EXAMPLES - len(examples)).iter_rows(named=True):
            said = "right" if row[VERDICT] else "wrong"
            examples.append(
                f"{log.place}, item {row['item']!r}: answer {row['answer']!r}, gold {row['gold']!r}, {said} by the log"
            )
    if not differ:
        return []
    return [
        f"{task}: the log's verdict is another than ours in {differ:,} of {compared:,} rows: {'; '.join(examples)}"
    ]
