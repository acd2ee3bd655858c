"""Batches that fit: so many tokens at a time, and fewer once memory has run out."""

from __future__ import annotations

import warnings
from bisect import bisect_right
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from hesperus.errors import HesperusWarning, PermanentError

torch: Any = import_module("torch")


def is_out_of_memory(error: BaseException) -> bool:
    """Whether a device, or the machine, had no memory left."""
    if isinstance(error, torch.OutOfMemoryError):
        return True
    said = str(error).lower()
    return isinstance(error, RuntimeError) and ("out of memory" in said or "can't allocate memory" in said)


class Room:
    """How many tokens are computed together. It learns: what did not fit once is not tried again.

    Args:
        tokens: Of a pass, to begin with, padding included.
        rows: Most replies that are written at a time, to begin with.
        name: Of the model, for messages.
    """

    def __init__(self, tokens: int, rows: int, name: str) -> None:
        self.tokens, self.rows = tokens, rows
        self._name = name

    def run(
        self,
        waiting: Sequence[int],
        cost: Callable[[Sequence[int]], int],
        compute: Callable[[Sequence[int]], None],
        *,
        most: int | None = None,
        alike: Sequence[int] | None = None,
    ) -> None:
        """Compute every row, in batches; a batch that does not fit is halved.

        Args:
            waiting: Places of the rows, in the order in which they are computed.
            cost: Tokens of a batch; grows with the rows.
            compute: Computes the rows of the given places.
            most: Most tokens of a batch.
            alike: A number for each row, where only rows of one number may be together.

        Raises:
            PermanentError: A single row does not fit (kind ``out_of_memory``).
        """
        waiting = list(waiting)
        while waiting:
            there = waiting if alike is None else [p for p in waiting if alike[p] == alike[waiting[0]]]
            limit = self.tokens if most is None else min(self.tokens, most)
            count = bisect_right(range(2, len(there) + 1), limit, key=lambda rows: cost(there[:rows]))  # noqa: B023
            batch = there[: 1 + count]
            if self.fits(lambda: compute(batch)):  # noqa: B023
                taken = set(batch)
                waiting = [place for place in waiting if place not in taken]
            elif len(batch) > 1:
                self.tokens = cost(batch[: len(batch) // 2])
                self.tell(f"{self.tokens} tokens are computed together")
            else:
                raise self.full(cost(batch))

    def tell(self, change: str) -> None:
        """Warn that memory ran out, and of what is done otherwise from then on."""
        warnings.warn(f"{self._name}: memory ran out; from here on {change}", HesperusWarning, stacklevel=2)

    def full(self, tokens: int) -> PermanentError:
        """What is raised if a text does not fit by itself."""
        return PermanentError(
            f"{self._name}: a text of {tokens} tokens does not fit into memory by itself; take a smaller dtype, "
            "another device or shorter texts",
            kind="out_of_memory",
        )

    @staticmethod
    def fits(compute: Callable[[], None]) -> bool:
        """Compute something; False if there was no memory for it."""
        try:
            compute()
        except RuntimeError as error:
            if not is_out_of_memory(error):
                raise
        else:
            return True
        # Only here, where the error and with it the tensors of its frames are gone.
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        return False


def padded(
    lengths: Sequence[int], tokens_of_a_row: int = 0
) -> tuple[list[int], Callable[[Sequence[int]], int]]:
    """The order and the cost of rows that are padded to the longest of their batch.

    Args:
        lengths: Tokens of each row.
        tokens_of_a_row: What a row costs at least.
    """

    def cost(batch: Sequence[int]) -> int:
        return len(batch) * max(1, tokens_of_a_row, *(lengths[place] for place in batch[:1]))

    return sorted(range(len(lengths)), key=lambda place: -lengths[place]), cost
