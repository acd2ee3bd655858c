"""Batches that fit: so many tokens at a time, and fewer once memory has run out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from hesperus.errors import PermanentError

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
        tokens: To begin with, padding included.
        name: Of the model, for messages.
    """

    def __init__(self, tokens: int, name: str) -> None:
        self.tokens = tokens
        self._name = name

    def run(
        self,
        lengths: Sequence[int],
        compute: Callable[[Sequence[int]], None],
        *,
        width: int = 1,
        rows: int | None = None,
        alike: Sequence[int] | None = None,
    ) -> None:
        """Compute every row, in batches of rows of like length; a batch that does not fit is halved.

        Args:
            lengths: Tokens of each row.
            compute: Computes the rows of the given places.
            width: What a token of this work takes, in tokens of a plain pass.
            rows: Most rows of a batch; None sets no end.
            alike: A number for each row, where only rows of one number may be together.

        Raises:
            PermanentError: A single row does not fit (kind ``out_of_memory``).
        """
        waiting = sorted(range(len(lengths)), key=lambda place: -lengths[place])
        while waiting:
            longest = max(1, lengths[waiting[0]])
            count = max(1, self.tokens // (longest * width))
            count = count if rows is None else min(count, rows)
            batch = waiting[:count]
            if alike is not None:
                batch = [place for place in batch if alike[place] == alike[batch[0]]]
            if self._fits(batch, compute):
                taken = set(batch)
                waiting = [place for place in waiting if place not in taken]
            elif len(batch) > 1:
                self.tokens = longest * width * (len(batch) // 2)
            else:
                raise PermanentError(
                    f"{self._name}: a text of {longest} tokens does not fit into memory by itself; take a smaller dtype, "
                    "another device or shorter texts",
                    kind="out_of_memory",
                )

    @staticmethod
    def _fits(batch: Sequence[int], compute: Callable[[Sequence[int]], None]) -> bool:
        try:
            compute(batch)
        except RuntimeError as error:
            if not is_out_of_memory(error):
                raise
        else:
            return True
        # Only here, where the error and with it the tensors of its frames are gone.
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        return False
