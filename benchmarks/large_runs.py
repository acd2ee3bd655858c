"""What measuring a large run takes: processor and peak memory of each command, each in a process of its own.

The run folder is made up here, never kept: models that know an item or guess, in every language, written as Parquet one
model at a time. `senses` is a study of one language and of its translations (consistency), `languages` one of the
benchmark's own versions in each language (similarity, agreement).

    python benchmarks/large_runs.py [--models 20] [--languages 20] [--items 25000] [--only consistency …] [--keep FOLDER]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl
from command_usage import usage_of
from result_rows import keep

from hesperus.records.schema import SCHEMA, SCHEMA_VERSION, VERSION_KEY

Design = Literal["senses", "languages"]
OPTIONS = tuple("ABCD")
TASK = "made-up"
CPU_CEILING, MEMORY_CEILING = 60.0, 2000.0
SUBJECTS = 57


@dataclass(frozen=True)
class Command:
    """One measurement: the words of the command, and the run that it is about."""

    name: str
    design: Design
    words: tuple[str, ...]


COMMANDS = (
    Command("accuracy", "senses", ("measure", "accuracy", "{run}", "--format", "json")),
    Command("consistency", "senses", ("measure", "consistency", "{run}", "--format", "json")),
    Command("agreement", "languages", ("measure", "agreement", "{run}", "--format", "json")),
    Command("similarity", "languages", ("measure", "similarity", "{run}", "--format", "json")),
    Command("check", "senses", ("check", "{run}", "--require", "consistency >= 0", "--require", "accuracy >= 0")),
    Command("report", "senses", ("report", "{run}")),
    Command("report_languages", "languages", ("report", "{run}")),
)  # fmt: skip


def senses(design: Design, languages: int) -> list[str]:
    """Codes of the senses: English and what was made from it, or as many languages."""
    others = [first + second for first in "abcdfghijk" for second in "abcdfghklm"][: languages - 1]
    return ["en", *(f"{code}_from_en" if design == "senses" else code for code in others)]


def write_large_run(folder: Path, design: Design, *, models: int, languages: int, items: int) -> None:
    """Write a run folder of `models` × `languages` × `items` records.

    Args:
        folder: Where to; made.
        design: What the senses are.
        models: Number of models.
        languages: Number of languages.
        items: Number of items.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    gold, ease = rng.integers(0, len(OPTIONS), items), rng.random(items)
    names = [f"subject_{place % SUBJECTS:02}/test/{place:06}" for place in range(items)]
    codes = senses(design, languages)
    parts = []
    for model in range(models):
        parts.append(folder / f"part-{model:03}.parquet")
        of_one_model(f"hf/model-{model:03}", rng, gold, ease, names, codes).write_parquet(parts[-1])
    pl.scan_parquet(parts).sink_parquet(
        folder / "records.parquet",
        compression="zstd",
        compression_level=3,
        row_group_size=1 << 17,
        metadata={VERSION_KEY: str(SCHEMA_VERSION)},
    )
    for part in parts:
        part.unlink()
    write_items(folder, gold, names, codes if design == "languages" else ["en"])
    study = {"study": "multisense" if design == "senses" else "similarity", "task": TASK}
    (folder / "study.yaml").write_text(json.dumps(study))
    (folder / "signature.json").write_text(json.dumps({"task": TASK}))


def of_one_model(
    model: str,
    rng: np.random.Generator,
    gold: np.ndarray,
    ease: np.ndarray,
    names: Sequence[str],
    codes: Sequence[str],
) -> pl.DataFrame:
    """The records of a model, in the order of their key."""
    shape = (len(names), len(codes))
    known = rng.random(shape) < 0.4 + 0.6 * ease[:, None] * rng.random(len(codes))
    answers = np.where(known, gold[:, None], rng.integers(0, len(OPTIONS), shape))
    answers = np.where(rng.random(shape) < 0.01, -1, answers)
    order = np.argsort(codes)
    letters = pl.Series(OPTIONS, dtype=pl.String)
    chosen = letters.gather(pl.Series(answers[:, order].ravel()).replace(-1, None))
    frame = pl.DataFrame({"item": names, "gold": letters.gather(gold)}).sort("item")
    frame = frame.select(pl.all().repeat_by(len(codes)).explode())
    sense = pl.Series(np.tile(np.array(codes)[order], len(names)))
    frame = frame.with_columns(
        model=pl.lit(model), task=pl.lit(TASK), instruction=sense, input=sense,
        repeat=pl.lit(1, dtype=pl.Int32), answer=chosen, probs=pl.lit(None, dtype=SCHEMA["probs"]),
        options=pl.lit(pl.Series([list(OPTIONS)], dtype=SCHEMA["options"])).first(),
    )  # fmt: skip
    return frame.with_columns(
        outcome=pl.when(pl.col("answer").is_null()).then(pl.lit("invalid")).otherwise(pl.lit("answered")),
        reply="The answer to this is " + pl.col("answer").fill_null("hard to tell") + ".",
    ).select(
        *SCHEMA,
        pl.col("item").str.head(10).alias("subject"),
        tokens_in=pl.lit(120, dtype=pl.Int64),
        tokens_out=pl.lit(6, dtype=pl.Int64),
    )


def write_items(folder: Path, gold: np.ndarray, names: Sequence[str], languages: Sequence[str]) -> None:
    """What was asked, in each language."""
    letters = pl.Series(OPTIONS, dtype=pl.String)
    frames = [
        pl.DataFrame({"item": names, "gold": letters.gather(gold)}).select(
            "item",
            pl.lit(language).alias("language"),
            "gold",
            pl.lit(pl.Series([["one", "two", "three", "four"]], dtype=SCHEMA["options"])).first().alias("options"),
            ("What is asked of " + pl.col("item") + "?").alias("field:question"),
            pl.col("item").str.head(10).alias("group:subject"),
            pl.lit(language).alias("input"),
            pl.lit(None, dtype=pl.String).alias("model"),
        )
        for language in languages
    ]  # fmt: skip
    pl.concat(frames).write_parquet(folder / "items.parquet", row_group_size=1 << 17)


def taken(words: Sequence[str]) -> tuple[float, float]:
    """Seconds of the processor and peak memory in MB of a command of hesperus.

    Raises:
        SystemExit: The command failed.
    """
    used = usage_of([sys.executable, "-m", "hesperus", *words], {"OPENBLAS_NUM_THREADS": "1"})
    if used.code:
        raise SystemExit(f"hesperus {' '.join(words)} ended with {used.code}")
    return used.processor, used.memory / (1 << 20)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", type=int, default=20)
    parser.add_argument("--languages", type=int, default=20)
    parser.add_argument("--items", type=int, default=25_000)
    parser.add_argument("--only", nargs="*", default=[command.name for command in COMMANDS])
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    failed, records = False, given.models * given.languages * given.items
    with tempfile.TemporaryDirectory() as made:
        home = given.keep or Path(made)
        for command in (one for one in COMMANDS if one.name in given.only):
            folder = home / f"{command.design}-{given.models}-{given.languages}-{given.items}"
            if not (folder / "signature.json").is_file():
                write_large_run(
                    folder, command.design, models=given.models, languages=given.languages, items=given.items
                )
            processor, memory = taken([word.format(run=folder) for word in command.words])
            failed |= processor > CPU_CEILING or memory > MEMORY_CEILING
            keep(f"{command.name}, {records:,} records", processor, "s CPU")
            keep(f"{command.name}, {records:,} records, peak memory", memory, "MB")
            print(f"{command.name}: {processor:.1f} s of the processor, {memory:.0f} MB", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
