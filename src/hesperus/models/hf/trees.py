"""Rows of tokens as a tree: what rows begin with in common is computed once, whatever prompts or options it belongs to.

The tokens of a tree are in one row, branch after branch, each with the position that it has in its own text; a mask lets
each see its own beginning alone. So nothing is padding, and a batch changes a number by rounding only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Tokens = tuple[int, ...]


def common(a: Sequence[int], b: Sequence[int]) -> int:
    """How many tokens two rows begin with in common."""
    most = min(len(a), len(b))
    if a[:most] == b[:most]:
        return most
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle
    return low


def in_order(rows: Sequence[Tokens], after: Tokens) -> tuple[list[int], list[int]]:
    """The order in which rows share the most with the row before, and how many tokens of each are new there.

    Args:
        rows: The rows.
        after: The row that was computed last.

    Returns:
        Places of the rows in that order; for each place, its tokens that the row before does not begin with.
    """
    keys = [(-common(after, row), row) for row in rows]
    order = sorted(range(len(rows)), key=keys.__getitem__)
    new = [0] * len(rows)
    for place in order:
        new[place] = len(rows[place]) - common(after, rows[place])
        after = rows[place]
    return order, new


@dataclass(frozen=True, slots=True)
class Tree:
    """Rows as one row of the tokens that are not known yet, behind known ones.

    Attributes:
        ids: New tokens, [new].
        positions: Places of known and new tokens in their texts, [known + new].
        ends: For known and new tokens the number of the first token behind what follows from it, [known + new].
        paths: For each row the numbers of its tokens among known and new ones.
    """

    ids: Integers
    positions: Integers
    ends: Integers
    paths: list[Integers]

    def seen(self, window: int | None = None) -> NDArray[np.bool_]:
        """What each new token sees of known and new ones, [new, known + new]; no further back than a window."""
        numbers = np.arange(len(self.ends))
        rows = numbers[len(numbers) - len(self.ids) :, None]
        seen = (numbers <= rows) & (rows < self.ends)
        if window is not None:
            seen &= self.positions[rows] - self.positions < window
        return np.asarray(seen)


def tree(known: Tokens, rows: Sequence[Tokens]) -> Tree:
    """The tree of rows.

    Args:
        known: Tokens that are computed; the first row begins with all of them.
        rows: In the order of `in_order`.
    """
    before, path = known, np.arange(len(known))
    ids: list[Integers] = []
    positions = [path]
    ends = np.zeros(len(known) + sum(map(len, rows)), np.int64)
    count, paths = len(known), []
    for row in rows:
        kept = common(before, row)
        # What the row before had beyond the common beginning has no further continuations.
        ends[path[kept:]] = count
        fresh = np.arange(count, count + len(row) - kept)
        ids.append(np.array(row[kept:], np.int64))
        positions.append(np.arange(kept, len(row)))
        path = np.concatenate([path[:kept], fresh])
        before, count = row, count + len(fresh)
        paths.append(path)
    ends[path] = count
    return Tree(np.concatenate(ids), np.concatenate(positions), ends[:count], paths)
