"""Where inconsistency comes from: the instruction, the input, both together, or mere sampling.

With the same items answered in four ways (source; both translated, T; instruction only, I; input only, X) and once more
in the source sense (the repeat), the share of inconsistent items splits exactly:

    1 − T = noise + instruction + input + interaction
    noise = 1 − R,   instruction = (1 − I) − noise,   input = (1 − X) − noise,   interaction = the rest

R is the consistency of the source with its own repeat: what no translation can get below. Without a repeat the noise
is unknown and counts as part of the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hesperus.measures.classes import INVALID, MISSING, Codes, InvalidRule, compare, unanswered
from hesperus.measures.resample import Floats
from hesperus.measures.statistic import Corners, Statistic, divide


@dataclass(frozen=True, slots=True, eq=False)
class SenseRuns:
    """The runs that a split needs, as class codes over the same items.

    Attributes:
        source: Instruction and input as the benchmark gives them.
        both: Instruction and input in the made sense (T).
        instruction: Only the instruction in the made sense (I, "interpretation").
        input: Only the input in the made sense (X, "execution").
        repeat: The source sense asked again, or None.
    """

    source: Codes
    both: Codes
    instruction: Codes
    input: Codes
    repeat: Codes | None = None


def decomposition_statistics(runs: SenseRuns, *, invalid: InvalidRule = "disagree") -> dict[str, Statistic]:
    """Split 1 − T over the items that all runs share.

    Args:
        runs: The runs.
        invalid: How invalid answers compare.

    Returns:
        ``total`` (1 − T), ``instruction``, ``input``, ``interaction``, ``noise`` (only with a repeat) and
        ``invalid`` (the part of ``total`` in which an answer could not be read), before they are reduced.
    """
    others = [runs.both, runs.instruction, runs.input] + ([] if runs.repeat is None else [runs.repeat])
    comparisons = [compare(runs.source, other, invalid=invalid) for other in others]
    counted = np.logical_and.reduce([c.counted for c in comparisons])
    if unanswered(counted, runs.source, *others):
        counted = np.zeros_like(counted)
    asked = np.logical_or.reduce([codes != MISSING for codes in (runs.source, *others)])
    moved = [counted & ~c.agree for c in comparisons]
    unread = moved[0] & ((runs.source == INVALID) | (runs.both == INVALID))
    noise = moved[3] if runs.repeat is not None else np.zeros_like(counted)
    columns = (counted, moved[0], moved[1], moved[2], noise, unread)
    excluded = int(asked.sum()) - int(counted.sum())
    reason = f"{excluded} without a reply or an answer that counts in one of the senses" if excluded else ""

    def part(share: Callable[[Floats], Floats], *places: int) -> Statistic:
        # An item that moves in none of the senses that the part rests on, and one that moves in each of them alone.
        alone = [tuple(float(at in (0, place)) for at in range(len(columns))) for place in places]
        corners: Corners = ((1.0,) + (0.0,) * (len(columns) - 1), *alone)
        return Statistic(
            columns,
            reduce=lambda sums: divide(share(sums), sums[..., 0]),
            corners=corners,
            n=int(counted.sum()),
            excluded=excluded,
            reason=reason,
            undefined="no item was answered in all the senses",
        )

    repeat = () if runs.repeat is None else (4,)
    found = {
        "total": part(lambda s: s[..., 1], 1),
        "instruction": part(lambda s: s[..., 2] - s[..., 4], 2, *repeat),
        "input": part(lambda s: s[..., 3] - s[..., 4], 3, *repeat),
        "interaction": part(lambda s: s[..., 1] - s[..., 2] - s[..., 3] + s[..., 4], 1, 2, 3, *repeat),
        "invalid": part(lambda s: s[..., 5], 5),
    }
    if runs.repeat is not None:
        found["noise"] = part(lambda s: s[..., 4], 4)
    return found
