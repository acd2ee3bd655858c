"""Open answers to be read: the prompts that lose most, and the translations that were made again or given up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from hesperus.analysis.families import family_key
from hesperus.analysis.item_texts import Text, texts_of
from hesperus.analysis.open_answers.open_findings import Cell, OpenFindings
from hesperus.analysis.open_answers.pair_scores import (
    claims_of,
    details_of,
    losing_answers,
    losing_prompts,
    pairs_with_loss,
)
from hesperus.records import KEY
from hesperus.reports.blocks import Block, Fold, Item, Side, Verdict, note
from hesperus.reports.columns import Column
from hesperus.reports.grid import Grid
from hesperus.reports.open_answers.open_wording import FAULT_WORDS, RUNG_WORDS
from hesperus.reports.tabulated import tabulated
from hesperus.rounding import cell
from hesperus.untrusted import shortened
from hesperus.wording import MISSING, language_label, property_names

MOST_LISTED, MOST_PROMPTS, MOST_ANSWERS, MOST_CLAIMS = 20, 8, 3, 40
"""Prompts in the table and below it to be read, answers of each, claims of a text."""
_LONGEST_CELL = 90


def losses_blocks(
    found: OpenFindings, replies: pl.DataFrame | None, items: pl.DataFrame | None
) -> Iterator[Block]:
    """What loses most, among pairs in which both sides answer: a table of prompts, and the first of them to be read.

    The loss of a pair is its ceiling less its score, or 1 less its score if there is no ceiling; that of a prompt is
    the mean over its pairs. Ties go by id, so that the same run shows the same.
    """
    pairs = pairs_with_loss(found.evaluated.pairs)
    by_item = losing_prompts(pairs)
    if by_item.is_empty():
        yield note("Where both sides answer, no pair falls below its ceiling.")
        return
    asked = _asked(items, found.reference)
    listed = by_item.head(MOST_LISTED).to_dicts()
    table = _grid(listed, asked, total=by_item.height)
    assert table is not None
    yield table
    prompts = [_prompt(row, found, pairs, replies, asked) for row in listed[:MOST_PROMPTS]]
    claims = ", and the claims of both, each with what the other is to it" if _has_claims(prompts) else ""
    yield note(
        f"The first {len(prompts)} to read: the {found.reference_name} answer, the answer in the other language and its "
        f"translation{claims}. Control characters are written as their codes."
    )
    yield from prompts


def _has_claims(prompts: Sequence[Fold]) -> bool:
    shown = [block for block in prompts[0].blocks if isinstance(block, Item)]
    return any(held for side in shown[0].sides for _, held in side.verdicts)


def _asked(items: pl.DataFrame | None, reference: str) -> Mapping[str, tuple[tuple[str, Text], ...]]:
    """Item id to what was asked in the reference language, as far as the run keeps it."""
    if items is None or not {"item", "language"} <= set(items.columns):
        return {}
    held = items.filter(pl.col("language") == reference)
    if "model" in held.columns:
        held = held.filter(pl.col("model").is_null())
    return {str(row["item"]): texts_of(row, reference)[0] for row in held.to_dicts()}


def _grid(
    listed: Sequence[Mapping[str, Any]], asked: Mapping[str, tuple[tuple[str, Text], ...]], *, total: int
) -> Grid | None:
    rows = [
        {
            **row,
            "prompt": shortened(" ".join(text.text for _, text in asked.get(row["item"], ())), _LONGEST_CELL),
            "losing": f"{row['losing']:,} of {row['pairs']:,}",
        }
        for row in listed
    ]
    return tabulated(
        f"The prompts that lose most, {len(listed)} of {total:,} that lose anything: mean over models and languages of the "
        "ceiling (1 where there is none) less the score, where both sides answer.",
        rows,
        (),
        "losses",
        folds=None,
    )


def _prompt(
    row: Mapping[str, Any],
    found: OpenFindings,
    pairs: pl.DataFrame,
    replies: pl.DataFrame | None,
    asked: Mapping[str, tuple[tuple[str, Text], ...]],
) -> Fold:
    worst = losing_answers(pairs, row["task"], row["item"])
    told = f"{cell(row['loss'], 'share')} lost, in {row['losing']:,} of {row['pairs']:,} answers"
    prompt = asked.get(str(row["item"]), ())
    shown = tuple(_answer(pair, found, replies) for pair in worst.head(MOST_ANSWERS).to_dicts())
    texts = (Item("Prompt", (Side("", texts=prompt),)),) if prompt else ()
    return Fold(f"{row['item']}: {told}", (*texts, *shown))


def _answer(pair: Mapping[str, Any], found: OpenFindings, replies: pl.DataFrame | None) -> Item:
    """One answer next to the reference's."""
    cell: Cell = (pair["model"], pair["task"], pair["language"], pair["instruction"], pair["input"])
    again = f", repeat {pair['repeat']}" if pair["repeat"] != 1 else ""
    where = found.labels.get(cell, str(pair["language"])) + again
    held = details_of(found.evaluated.details, pair)
    ours, theirs = (
        tuple(Verdict(one.text, one.words, one.is_supported) for one in claims_of(held, side))
        for side in ("candidate", "reference")
    )
    unshown = sum(max(0, len(claims) - MOST_CLAIMS) for claims in (ours, theirs))
    name, given = found.reference_name, _reply(pair, replies)
    compared = Text(str(pair["candidate_text"]), found.reference)
    texts = (
        (("the answer, as it was compared", compared),)
        if given is None
        else (("the answer", given), ("its translation", compared))
    )
    reference = Side(
        "",
        texts=((f"{name} answer", Text(str(pair["reference_text"]), found.reference)),),
        verdicts=(("Its claims: does the other answer support them?", theirs[:MOST_CLAIMS]),),
    )
    other = Side(
        "",
        texts=texts,
        verdicts=((f"Its claims: does the {name} answer support them?", ours[:MOST_CLAIMS]),),
    )
    more = f"{unshown:,} more claims are not shown; details.parquet of the run has them."
    return Item(
        f"{pair['model']}, {where}: {_scores(pair, found)}",
        (reference, other),
        (more,) if unshown else (),
        _levels(held, found.properties, name),
    )


def _scores(pair: Mapping[str, Any], found: OpenFindings) -> str:
    if found.is_information:
        told = f"precision {cell(pair['precision'], 'share')}, recall {cell(pair['recall'], 'share')}"
    elif found.properties:
        told = "same profile" if pair["agreement"] == 1 else "another profile"
    else:
        told = f"equivalence {cell(pair['agreement'], 'share')}"
    return told + ("" if pair["ceiling"] is None else f"; ceiling {cell(pair['ceiling'], 'share')}")


def _levels(held: pl.DataFrame, properties: Sequence[str], reference: str) -> tuple[Verdict, ...]:
    """Each property's level in both answers."""
    if held.is_empty():
        return ()
    row = held.row(0, named=True)
    levels = {
        name: [str(row.get(f"{side}.{name}") or MISSING) for side in ("reference", "candidate")]
        for name in properties
    }
    return tuple(
        Verdict(f"{theirs} in {reference}, {ours} here", property_names(name), theirs == ours)
        for name, (theirs, ours) in levels.items()
    )


def _reply(pair: Mapping[str, Any], replies: pl.DataFrame | None) -> Text | None:
    """The answer as it was given; None if it is not kept, or needed no translation."""
    if replies is None or "reply" not in replies.columns:
        return None
    same = [pl.col(name) == pair[name] for name in KEY]
    held = replies.filter(pl.all_horizontal(same))["reply"].to_list()
    if not held or held[0] is None or held[0] == pair["candidate_text"]:
        return None
    return Text(str(held[0]), str(pair["language"]))


MOST_SHOWN = 12
"""Sentences that are shown of those given up."""

_FIRST = "first"


def repairs_grid(sentences: pl.DataFrame) -> Grid | None:
    """A line for each language: sentences, repairs by rung, what was given up, and the faults; None without sentences."""
    if sentences.is_empty():
        return None
    rungs = [rung for rung in RUNG_WORDS if rung != _FIRST and (sentences["rung"] == rung).any()]
    rungs += [str(rung) for rung in sentences["rung"].unique().sort() if rung not in RUNG_WORDS]
    rows = []
    for side, said in (("score", "the answers"), ("ceiling", "the control, its way back")):
        here = sentences.filter(pl.col("side_by_side") == side)
        for tag in sorted(here["language"].unique(), key=family_key):
            held = here.filter(pl.col("language") == tag)
            kept = held.filter(pl.col("faults") != "")
            rows.append(
                {
                    "language": tag,
                    "of": said,
                    "sentences": held.height,
                    **{f"rung.{rung}": held.filter(pl.col("rung") == rung).height for rung in rungs},
                    "kept": f"{kept.height:,} ({cell(kept.height / held.height, 'share')})",
                    "found": _kinds(held["faults_before"].to_list()),
                    "stayed": _kinds(kept["faults"].to_list()),
                }
            )
    heads = [Column("sentences", "Sentences", "count")]
    heads += [Column(f"rung.{rung}", f"Repaired {RUNG_WORDS.get(rung, rung)}", "count") for rung in rungs]
    heads += [
        Column("kept", "Given up", "range"),
        Column("found", "Faults found"),
        Column("stayed", "Faults that stayed"),
    ]
    return tabulated(
        "Translated sentences. A sentence whose translation degenerates (repeats itself, stays as it was, turns into another "
        "language, loses numbers) is made again in other ways until one has no fault; where none has, the best is kept and "
        "counts as given up. Equal sentences of several answers are counted each time.",
        rows,
        ("language", Column("of", "Of")),
        heads,
    )


def _kinds(texts: Sequence[str]) -> str:
    """Kinds of faults with their numbers, the most frequent first: ``3 numbers lost or added, 1 empty``."""
    kinds = (fault.partition(":")[0] for text in texts for fault in text.split("; "))
    counts = Counter(kind for kind in kinds if kind in FAULT_WORDS)
    told = (
        f"{count:,} {FAULT_WORDS[kind]}"
        for kind, count in sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    )
    return ", ".join(told) or "none"


def given_up(sentences: pl.DataFrame, reference: str) -> tuple[list[Item], int]:
    """Some sentences of the answers that were given up, each source once, languages in turn; and how many there are."""
    if sentences.is_empty():
        return [], 0
    kept = sentences.filter((pl.col("side_by_side") == "score") & (pl.col("faults") != ""))
    turns = (
        kept.unique(["language", "source"], keep="first", maintain_order=True)
        .with_columns(turn=pl.int_range(pl.len()).over("language"))
        .sort("turn", "language", maintain_order=True)
    )
    return [_given_up(row, reference) for row in turns.head(MOST_SHOWN).to_dicts()], kept.height


def _given_up(row: Mapping[str, object], reference: str) -> Item:
    where = f"{row['model']}, {language_label(str(row['language']))}, item {row['item']}"
    source = Text(str(row["source"]), str(row["language"]))
    translation = Text(str(row["translation"]), reference)
    sides = (
        Side("", texts=(("sentence", source),)),
        Side("", texts=(("translation that was kept", translation),)),
    )
    return Item(f"{where}: {row['faults']}", sides)
