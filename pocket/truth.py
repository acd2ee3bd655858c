"""What each model believes, computed from coverage.yaml and the names of the facts alone.

A belief is a digit: 0 is the true answer, 1 to 3 are the first to third distractor of the fact.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

TABLE = Path(__file__).with_name("coverage.yaml")


@dataclass(frozen=True, slots=True)
class Coverage:
    """The published table; see the comments in coverage.yaml.

    Attributes:
        seed: Seed of every draw.
        coverage: Model size to language to percent of facts known, 0 to 100.
        rank: Weights of the fact's, the language's and the model's draw in the order of learning.
        errors: Origin of a wrong belief (common, group, language, model) to its probability.
        groups: Group name to its languages.
    """

    seed: int
    coverage: Mapping[str, Mapping[str, float]]
    rank: Mapping[str, float]
    errors: Mapping[str, float]
    groups: Mapping[str, Sequence[str]]

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages in the order of the table."""
        return tuple(next(iter(self.coverage.values())))

    def group(self, language: str) -> str:
        """The group that a language shares errors with."""
        return next(name for name, members in self.groups.items() if language in members)

    def uniform(self, *parts: str) -> float:
        """A reproducible uniform draw from [0, 1) for a name made of parts."""
        text = "\x1f".join((str(self.seed), *parts))
        digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") / 2**64


def load_coverage(path: Path = TABLE) -> Coverage:
    """Read the table."""
    return Coverage(**yaml.safe_load(path.read_text(encoding="utf-8")))


def known(table: Coverage, model: str, language: str, facts: Sequence[str]) -> frozenset[str]:
    """The facts that a model knows in a language: exactly the planned share, rounded to whole facts."""

    def rank(fact: str) -> tuple[float, str]:
        weights = table.rank
        score = weights["fact"] * table.uniform("fact", fact)
        score += weights["language"] * table.uniform("language", language, fact)
        score += weights["model"] * table.uniform("model", model, language, fact)
        return score, fact

    count = round(table.coverage[model][language] / 100 * len(facts))
    return frozenset(sorted(facts, key=rank)[:count])


def wrong_belief(table: Coverage, model: str, language: str, fact: str) -> int:
    """The distractor (1 to 3) that stands in for an unknown fact."""
    group = table.group(language)
    owners = {
        "common": (),
        "group": (group,),
        "language": (language,),
        "model": (language, model),
    }
    draw, origin = table.uniform("origin", fact, group), "common"
    for origin in owners:
        draw -= table.errors[origin]
        if draw < 0:
            break
    return 1 + int(3 * table.uniform("error", fact, origin, *owners[origin]))


def beliefs(table: Coverage, model: str, language: str, facts: Sequence[str]) -> str:
    """One digit a fact, in the order given."""
    sure = known(table, model, language, facts)
    return "".join("0" if fact in sure else str(wrong_belief(table, model, language, fact)) for fact in facts)


def all_beliefs(table: Coverage, facts: Sequence[str]) -> dict[str, dict[str, str]]:
    """Model size to language to digits: the content of beliefs.json."""
    return {
        model: {language: beliefs(table, model, language, facts) for language in row}
        for model, row in table.coverage.items()
    }
