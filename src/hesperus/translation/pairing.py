"""From the items of a run to the pairs that can be scored: a made text, its source, the benchmark's own wording."""

from __future__ import annotations

import polars as pl

from hesperus.errors import DataError
from hesperus.translation.quality import PAIR_COLUMNS
from hesperus.types import Sense

_FIELD = "field:"


def sense_pairs(items: pl.DataFrame, *, task: str) -> pl.DataFrame:
    """Pair every translated field with the benchmark's own wording in that language.

    Args:
        items: The items of a run: ``item``, ``language``, ``input`` (sense code), ``model`` (null for originals), and
            a column ``field:NAME`` for each field.
        task: Name of the task, for the table.

    Returns:
        PAIR_COLUMNS and ``source``. Translations and back-translations whose language the run has originals of; an
        item that a model did not translate has a null hypothesis, so that it is counted. Empty where nothing can be
        scored: ask for the originals in the target languages as well.

    Raises:
        DataError: A column is missing.
    """
    fields = [name for name in items.columns if name.startswith(_FIELD)]
    absent = [name for name in ("item", "language", "input", "model") if name not in items.columns]
    if absent or not fields:
        raise DataError(f"the items lack columns: {', '.join(absent or ['field:NAME'])}")
    texts = items.unpivot(
        fields, index=["item", "input", "model"], variable_name="field", value_name="text"
    ).with_columns(pl.col("field").str.strip_prefix(_FIELD))
    originals = texts.filter(pl.col("model").is_null() & pl.col("text").is_not_null()).drop("model")
    made = texts.filter(pl.col("model").is_not_null())
    parts = []
    for (model, code), part in made.sort("model", "input").group_by(["model", "input"], maintain_order=True):
        sense = _translated(str(code))
        if sense is not None:
            parts.append(_paired(part, originals, sense).with_columns(pl.lit(model).alias("model")))
    wanted = [*PAIR_COLUMNS, "source"]
    if not parts:
        return pl.DataFrame(schema=dict.fromkeys(wanted, pl.String()))
    return pl.concat(parts).with_columns(pl.lit(task).alias("task")).select(wanted)


def _translated(code: str) -> Sense | None:
    """The sense of a code where it is a translation or a back-translation and nothing else."""
    try:
        sense = Sense.parse(code)
    except ValueError:
        return None
    return sense if (sense.source or sense.via) and not sense.variant else None


def _paired(made: pl.DataFrame, originals: pl.DataFrame, sense: Sense) -> pl.DataFrame:
    key = ["item", "field"]
    references = originals.filter(pl.col("input") == sense.language).select(*key, reference="text")
    sources = originals.filter(pl.col("input") == sense.origin).select(*key, source="text")
    return (
        references.join(sources, on=key)
        .join(made.select(*key, hypothesis="text"), on=key, how="left", maintain_order="left")
        .with_columns(pl.lit(sense.code).alias("sense"))
    )
