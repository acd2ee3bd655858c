"""Whether the right answer of an item is the same in all runs: agreement beyond chance needs one."""

from __future__ import annotations

import numpy as np

from hesperus.measures import Codes

_NONE = np.iinfo(np.int32).max


def gold_range(gold: Codes) -> tuple[Codes, Codes]:
    """Highest and lowest code of the gold of each item over all runs that have one.

    Args:
        gold: Codes of the right answers, [runs, items], negative if absent.

    Returns:
        Two of [items]; they are equal where all runs that have gold have the same. Where none has, the highest is negative.
    """
    highest: Codes = gold.max(axis=0, initial=-1)
    lowest: Codes = np.where(gold >= 0, gold, _NONE).min(axis=0, initial=_NONE).astype(np.int32)
    return highest, lowest
