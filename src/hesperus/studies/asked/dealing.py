"""What falls to one shard of a study: which items, and how much of the budget."""

from __future__ import annotations

from dataclasses import replace

from hesperus.asking import Budget
from hesperus.asking.shards import Shard
from hesperus.senses import item_texts
from hesperus.tasks import ItemSet


def of_shard(items: ItemSet, shard: str | None) -> ItemSet:
    """The items of one shard; all if absent.

    Raises:
        UsageError: There are fewer items than shards.
    """
    if shard is None:
        return items
    texts: dict[str, list[str]] = {}
    for language, many in items.items():
        for item in many:
            texts.setdefault(item.id, []).extend(f"{language} {text}" for text in item_texts(item))
    kept = Shard.parse(shard).items(texts)
    chosen = {language: tuple(item for item in many if item.id in kept) for language, many in items.items()}
    return replace(items, by_language=chosen)


def budget_of(shard: str | None, budget: Budget) -> Budget:
    """What one shard may spend: equal parts for all, the common one included; all of it if there is no shard."""
    if shard is None:
        return budget
    part = Shard.parse(shard)
    return replace(
        budget,
        requests=None if budget.requests is None else part.share(budget.requests),
        tokens=None if budget.tokens is None else part.share(budget.tokens),
        money=None if budget.money is None else budget.money / (part.count + 1),
    )
