"""A study in parts that are asked apart, by several processes or machines: which part, of what, and is it done.

Items are dealt to shards, not requests: whatever is made of an item, asked about it and judged of its replies then falls
to one shard, and one round is enough. What several shards would ask (the made instruction, texts that are in items of
several shards) is asked first and once, by the common shard, which has the number 0.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Self

from hesperus.errors import UsageError
from hesperus.fingerprint import JSON

_WRITTEN = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")


@dataclass(frozen=True, slots=True)
class Shard:
    """One part of a study.

    Attributes:
        number: From 1 to ``count``; 0 is the common shard.
        count: Number of shards that the items are dealt to.
    """

    number: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """A shard from ``I/N``.

        Raises:
            UsageError: It is written otherwise, or I is beyond N.
        """
        written = _WRITTEN.fullmatch(text.strip())
        shard = cls(*map(int, written.groups())) if written else None
        if shard is None or not 0 <= shard.number <= shard.count or not shard.count:
            raise UsageError(
                f"shard {text!r}: write I/N, such as 2/4 for the second of four; 0/4 is what all four have in common"
            )
        return shard

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    @property
    def is_common(self) -> bool:
        """Whether it asks what all others need, instead of items of its own."""
        return self.number == 0

    def items(self, texts: Mapping[str, Sequence[str]]) -> frozenset[str]:
        """The items of this shard; of the common shard those of which a text also is in an item of another shard.

        Items are ordered by a hash of their longest text and cut into parts of one size. So items on one passage or
        premise fall together, and whatever order a benchmark has (by subject, by length) is spread over all shards.

        Args:
            texts: Item id to its texts that a model may rephrase.

        Raises:
            UsageError: There are fewer items than shards.
        """
        if len(texts) < self.count:
            raise UsageError(
                f"{len(texts)} items cannot be dealt to {self.count} shards; ask for at most {len(texts)}"
            )
        order = sorted((_hash(max(many, key=len, default=item)), item) for item, many in texts.items())
        dealt = {item: place * self.count // len(order) + 1 for place, (_, item) in enumerate(order)}
        if not self.is_common:
            return frozenset(item for item, number in dealt.items() if number == self.number)
        shards: dict[str, set[int]] = {}
        for item, many in texts.items():
            for text in many:
                shards.setdefault(text, set()).add(dealt[item])
        return frozenset(item for item, many in texts.items() if any(len(shards[text]) > 1 for text in many))

    def share(self, limit: int) -> int:
        """What one shard may spend of a whole number; the common shard has a share as all others have."""
        parts = self.count + 1
        return limit * (self.number + 1) // parts - limit * self.number // parts


@dataclass(frozen=True, slots=True)
class ShardNote:
    """What the store of a shard says of itself.

    Attributes:
        study: Fingerprint of the study.
        name: Name of the study's run folder, for people.
        shard: Which part.
        is_finished: Whether everything was asked; false while it is asked and after a kill.
        failed: Questions that got no reply.
    """

    study: str
    name: str
    shard: Shard
    is_finished: bool = False
    failed: int = 0

    @property
    def key(self) -> str:
        """Name under which a store keeps it; a main store has those of the common shards of many studies."""
        return f"shard {self.shard.number} of {self.shard.count} of {self.study}"

    def finished(self, failed: int) -> ShardNote:
        """The same once everything was asked."""
        return replace(self, is_finished=True, failed=failed)

    def to_json(self) -> JSON:
        """As a store keeps it."""
        return {**asdict(self), "shard": str(self.shard)}

    @classmethod
    def from_json(cls, value: object) -> ShardNote | None:
        """The note, or None if the value is not a note."""
        if not isinstance(value, Mapping) or not isinstance(value.get("shard"), str):
            return None
        try:
            shard = Shard.parse(value["shard"])
        except UsageError:
            return None
        is_finished, failed = value.get("is_finished") is True, value.get("failed")
        return cls(
            str(value.get("study")),
            str(value.get("name")),
            shard,
            is_finished,
            failed if isinstance(failed, int) else 0,
        )


@dataclass(frozen=True, slots=True)
class ShardResult:
    """A shard that was asked.

    Attributes:
        note: Which, and whether it is finished.
        store: Where its replies are.
        shards: Folder of the stores of all shards.
    """

    note: ShardNote
    store: Path
    shards: Path

    def __str__(self) -> str:
        """One line for people: what is where, and what comes next."""
        shard = self.note.shard
        if shard.is_common and self.note.is_finished:
            return (
                f"what the {shard.count} shards have in common is in {self.store}   next: --shard 1/{shard.count} to "
                f"{shard.count}/{shard.count}, at the same time and on any machine that has this file"
            )
        if shard.is_common:
            return (
                f"shard {shard}: {self.note.failed:,} requests got no reply; run it again before the others"
            )
        return f"shard {shard} is in {self.store}   next, once all are there: hesperus merge {shlex.quote(str(self.shards))}"


def _hash(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
