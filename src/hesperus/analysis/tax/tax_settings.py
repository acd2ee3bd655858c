"""How the tables of the audit are made: groups of models, the quality threshold, when a model is parser-sensitive, how intervals are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from hesperus.errors import UnknownNameError, UsageError
from hesperus.measures import Bootstrap

Metric = Literal["bleu", "chrf"]
METRICS: tuple[Metric, ...] = get_args(Metric)
EVERYONE = "all"
"""Name of the group of models that no group names."""

ALIGNMENT_FILE, RATINGS_FILE, CHECKS_FILE = "audit.json", "ratings.csv", "checks.csv"
"""Files that an audit finds in a run folder, next to its records."""


@dataclass(frozen=True, slots=True)
class QualityThreshold:
    """Which back-translations are near enough to their original.

    Attributes:
        metric: Score of an item against its original.
        threshold: Items below it are left out; 0 to 100.
    """

    metric: Metric = "bleu"
    threshold: float = 20.0

    def __post_init__(self) -> None:
        if self.metric not in METRICS:
            raise UnknownNameError("score of the quality threshold", self.metric, METRICS)
        if not 0 <= self.threshold <= 100:
            raise UsageError(f"the quality threshold lies between 0 and 100, not {self.threshold}")


@dataclass(frozen=True, slots=True)
class TaxSettings:
    """What all tables of the audit share; every field is in their signature.

    Attributes:
        groups: Group to its models, in the order in which groups are compared; the first is the source-centric one.
            Models that no group names are one group, `all` if there is no other and `others` if there is.
        bootstrap: How intervals are made; the default is the paper's, 10,000 resamples and seed 42.
        min_valid: Share of valid answers on each side below which a model is parser-sensitive, in [0, 1].
        exact: The exact sign test on discordant pairs in place of the Bayesian one, as the paper prints it.
    """

    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    bootstrap: Bootstrap = Bootstrap(10_000, 42)
    min_valid: float = 0.9
    exact: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.min_valid <= 1:
            raise UsageError(f"the least share of valid answers lies between 0 and 1, not {self.min_valid}")
        seen: dict[str, str] = {}
        for group, models in self.groups.items():
            for model in models:
                if model in seen:
                    raise UsageError(f"model {model!r} stands in the groups {seen[model]!r} and {group!r}")
                seen[model] = group

    def grouped(self, models: Sequence[str]) -> dict[str, list[int]]:
        """Group to the places of its models; a group without any of the models is left out.

        Raises:
            UnknownNameError: A group names a model that no table has; only checked where no model of the group is there.
        """
        place = {model: row for row, model in enumerate(models)}
        for group, named in self.groups.items():
            if not any(model in place for model in named):
                raise UnknownNameError(f"model of the group {group!r}", ", ".join(named), models)
        found = {group: [place[m] for m in named if m in place] for group, named in self.groups.items()}
        rest = [
            row for model, row in place.items() if all(model not in named for named in self.groups.values())
        ]
        if rest:
            found["others" if self.groups else EVERYONE] = rest
        return found


def parse_groups(given: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Groups from `NAME=MODEL[,MODEL…]`; a name that is twice gets the models of both.

    Raises:
        UsageError: A part is missing.
    """
    found: dict[str, tuple[str, ...]] = {}
    for text in given:
        name, sign, models = (part.strip() for part in text.partition("="))
        named = tuple(model.strip() for model in models.split(",") if model.strip())
        if not name or not sign or not named:
            raise UsageError(
                f"--group {text}: write NAME=MODEL,MODEL, as in english=openai/gpt-4o,openai/gpt-4o-mini"
            )
        found[name] = (*found.get(name, ()), *named)
    return found
