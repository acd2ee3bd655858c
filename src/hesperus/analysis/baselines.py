"""How far one gets without knowledge: accuracy of each baseline of the items, and agreement of a model with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

import numpy as np
import polars as pl

from hesperus.analysis.settings import DEFAULT_BOOTSTRAP
from hesperus.analysis.table import ESTIMATE_COLUMNS, Table, estimate_cells, table
from hesperus.audits import BASELINES, Guesses
from hesperus.measures import Bootstrap, Statistic, cohen_statistic
from hesperus.measures.statistic import SHARE, estimate, ratio

COLUMNS = ("statistic", "baseline", "language", "model", "instruction", "chance", *ESTIMATE_COLUMNS)


def baselines_table(
    guesses: Sequence[Guesses],
    *,
    records: pl.DataFrame | None = None,
    bootstrap: Bootstrap | None = None,
    audited: str = "",
) -> Table:
    """Accuracy of each baseline in each language, and Cohen's κ of each model with each baseline.

    Args:
        guesses: What the baselines guess.
        records: Answers to the same items; of these count those to the originals (input in the item's own language),
            first repeats only. None for no κ.
        bootstrap: How intervals are made; items are resampled. None for the default.
        audited: Named in the signature.

    Returns:
        Rows by `statistic`, those over all languages (``all``, if there are several) first: ``accuracy`` in [0, 1], a guess that is shared among k options counting 1/k, next to
        `chance`, the mean of 1 over the number of labels; ``cohen_kappa``, at most 1, over the items on which the
        baseline decides and the model's answer could be read. The majority label, which never varies, has no κ.
    """
    bootstrap = bootstrap or DEFAULT_BOOTSTRAP
    measured = [*_overall(guesses), *((_accuracy_row(each), _accuracy(each)) for each in guesses)]
    if records is not None:
        measured += list(_kappas(guesses, records))
    # One by one: languages may hold different items.
    rows = [{**row, **estimate_cells(estimate(statistic, bootstrap))} for row, statistic in measured]
    signed = {
        "audited": audited,
        "baselines": dict(BASELINES),
        "bootstrap": asdict(bootstrap),
    }
    return table("baselines", COLUMNS, rows=rows, signature=signed)


def _overall(guesses: Sequence[Guesses]) -> Iterator[tuple[dict[str, object], Statistic]]:
    """Each baseline over all languages: an item counts by the mean of its languages, and is resampled as one."""
    for baseline in BASELINES:
        parts = [each for each in guesses if each.baseline == baseline]
        if len(parts) < 2:
            continue
        places = {
            item: place for place, item in enumerate(dict.fromkeys(i for each in parts for i in each.items))
        }
        right, chance, times = np.zeros((3, len(places)))
        for each in parts:
            here = [places[item] for item in each.items]
            np.add.at(right, here, [float(share) for share in each.right])
            np.add.at(chance, here, [float(share) for share in each.chance])
            np.add.at(times, here, 1.0)
        row = {**_accuracy_row(parts[0]), "language": "all", "chance": float((chance / times).mean())}
        yield row, Statistic((right / times, np.ones(len(places))), ratio, SHARE, len(places))


def _accuracy_row(guesses: Guesses) -> dict[str, object]:
    return {
        "statistic": "accuracy",
        "baseline": guesses.baseline,
        "language": guesses.language,
        "model": None,
        "instruction": None,
        "chance": float(sum(guesses.chance) / len(guesses.chance)),
    }


def _accuracy(guesses: Guesses) -> Statistic:
    right = np.array([float(share) for share in guesses.right])
    return Statistic((right, np.ones(len(right))), ratio, SHARE, len(right))


def _kappas(
    guesses: Sequence[Guesses], records: pl.DataFrame
) -> Iterator[tuple[dict[str, object], Statistic]]:
    originals = records.filter(pl.col("input").is_in([each.language for each in guesses]))
    answered = originals.filter(pl.col("repeat") == pl.col("repeat").min())
    cells = answered.select("model", "instruction", "input").unique().sort("model", "instruction", "input")
    for model, instruction, language in cells.iter_rows():
        mine = answered.filter(
            (pl.col("model") == model)
            & (pl.col("instruction") == instruction)
            & (pl.col("input") == language)
        )
        said = dict(zip(mine["item"], mine["answer"], strict=True))
        for each in guesses:
            if each.language == language and each.baseline != "majority_label":
                row = {**_accuracy_row(each), "statistic": "cohen_kappa", "chance": None}
                yield {**row, "model": model, "instruction": instruction}, _kappa(each, said)


def _kappa(guesses: Guesses, said: dict[str, str | None]) -> Statistic:
    labels = sorted({label for tied in guesses.labels for label in tied} | {x for x in said.values() if x})
    code = {label: float(place) for place, label in enumerate(labels)}
    guessed = [code[tied[0]] if len(tied) == 1 else np.nan for tied in guesses.labels]
    given = [code.get(said.get(item) or "", np.nan) for item in guesses.items]
    return cohen_statistic(np.array(guessed), np.array(given))
