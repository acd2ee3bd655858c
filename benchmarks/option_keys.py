"""How checking a records table grows with its rows: labels that are options, other spellings of them, or without options.

Every item has options of its own, so that their number grows with the table, and 20 models answer it. The time is that of the
processor; the exponent is the slope between two sizes on logarithmic scales, 1 where time grows as the rows do.

    python benchmarks/option_keys.py [--rows 100000 1000000] [--exponent 1.0]
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import polars as pl
from result_rows import keep

from hesperus.records import conform

MODELS = 20
NOISE = 0.15
"""By which the exponent may miss on a busy machine: a third more time for ten times as many rows."""
KINDS: Mapping[str, pl.Expr] = {
    "options": pl.col("option"),
    "other spellings": pl.col("option").str.to_lowercase() + ".",
    "no options": pl.col("option"),
}


def table(rows: int, kind: str) -> pl.DataFrame:
    """A table of answers that are texts of options."""
    place = pl.DataFrame({"place": np.arange(rows // MODELS)})
    options = pl.concat_list([pl.format(f"Option {letter} of {{}}", "place") for letter in "abcd"])
    items = place.select(item=pl.format("i{}", "place"), options=options)
    rng = np.random.default_rng(0)
    every = pl.concat(
        items.with_columns(
            model=pl.lit(f"m{model}"),
            option=pl.col("options").list.get(pl.Series(rng.integers(0, 4, items.height))),
        )
        for model in range(MODELS)
    ).with_columns(answer=KINDS[kind], task=pl.lit("t"), instruction=pl.lit("en"), input=pl.lit("en"))
    listed = pl.lit(None, dtype=pl.List(pl.String)) if kind == "no options" else pl.col("options")
    return every.with_columns(gold="answer", options=listed).drop("option")


def seconds(rows: int, kind: str) -> float:
    """Time of the processor for one check."""
    made = table(rows, kind)
    begun = time.process_time()
    conform(made)
    return time.process_time() - begun


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--exponent", type=float, default=1.0)
    given = parser.parse_args()
    seconds(MODELS, "options")
    failed = False
    for kind in KINDS:
        taken = [seconds(rows, kind) for rows in given.rows]
        steps = pairwise(zip(given.rows, taken, strict=True))
        worst = max(math.log(b / a) / math.log(many / few) for (few, a), (many, b) in steps)
        told = ", ".join(f"{rows:,} rows {one:.2f} s" for rows, one in zip(given.rows, taken, strict=True))
        print(f"{kind}: {told}; exponent {worst:.2f}", flush=True)
        keep(f"checking {given.rows[-1]:,} rows, {kind}", taken[-1], "s CPU")
        keep(f"growth of checking, {kind}", worst, "exponent")
        failed |= worst > given.exponent + NOISE
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
