"""What a property evaluator is, and what it gives: a level of each property of each text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

import numpy as np
import numpy.typing as npt

from hesperus.errors import UsageError
from hesperus.fingerprint import JSON
from hesperus.measures import UNCLASSIFIED
from hesperus.version import __version__

Levels = npt.NDArray[np.int32]

PRESENCE = ("absent", "present")
"""The two levels of a property that a text has or has not."""

LEFT_OUT: Mapping[str, int] = MappingProxyType({})
"""The rule of most properties for replies without an answer: silence has no property, so such replies are left out."""

EMPTY = "empty text"
NO_CONTEXT = "empty context"


@dataclass(frozen=True, slots=True)
class Profiles:
    """Profiles of texts.

    Attributes:
        values: Level of each property, [texts, properties]; UNCLASSIFIED if absent.
        reasons: Why a text has no profile, one for each text; empty where it has.
        truncated: Texts of which only the beginning was read.
    """

    values: Levels
    reasons: tuple[str, ...]
    truncated: int = 0


class PropertyEvaluator(Protocol):
    """Finds properties of a text by itself."""

    @property
    def name(self) -> str:
        """Its name, as in property_evaluator, or that of its folder."""
        ...

    @property
    def properties(self) -> tuple[str, ...]:
        """Names of the properties, the columns of a profile."""
        ...

    @property
    def levels(self) -> Mapping[str, tuple[str, ...]]:
        """What the levels 0, 1, … of each property mean."""
        ...

    @property
    def needs_context(self) -> bool:
        """Whether a text is read next to what it answers."""
        ...

    @property
    def missing(self) -> Mapping[str, int]:
        """What a reply without an answer counts as: its outcome to the level of every property; all others are left out."""
        ...

    def signature(self) -> dict[str, JSON]:
        """Everything that decides a profile."""
        ...

    def profiles(self, texts: Sequence[str], contexts: Sequence[str] | None = None) -> Profiles:
        """The profile of each text.

        Args:
            texts: Texts in the evaluator's language, mostly English.
            contexts: What each text answers (a seeker's post, a prompt), in the same language; needed where
                `needs_context` says so, else ignored.

        Raises:
            UsageError: Contexts are needed and not given, or there are not as many as texts.
        """
        ...


Classify = Callable[[Sequence[str], Sequence[str]], tuple[npt.ArrayLike, int]]
"""Texts with what each answers (or a stroke) to their levels, [texts, properties], and how many of them were cut."""


@dataclass(frozen=True, slots=True, eq=False)
class Classifier:
    """A property evaluator made of a function that finds the levels of texts; those that are empty it never sees.

    Attributes:
        name: See PropertyEvaluator, as for levels, needs_context and missing.
        levels: What the levels of each property mean.
        identity: What decides a profile besides the version of hesperus.
        classify: Finds the levels.
        needs_context: Whether a text is read next to what it answers.
        missing: What replies without an answer count as.
    """

    name: str
    levels: Mapping[str, tuple[str, ...]]
    identity: Mapping[str, JSON]
    classify: Classify
    needs_context: bool = False
    missing: Mapping[str, int] = field(default_factory=lambda: LEFT_OUT)

    @property
    def properties(self) -> tuple[str, ...]:
        """Names of the properties."""
        return tuple(self.levels)

    def signature(self) -> dict[str, JSON]:
        """The version of hesperus, and its identity."""
        return {"hesperus": __version__, **self.identity}

    def profiles(self, texts: Sequence[str], contexts: Sequence[str] | None = None) -> Profiles:
        """The profile of each text; none of one that is empty, or has an empty context."""
        around = ["-"] * len(texts)
        if self.needs_context:
            if contexts is None:
                raise UsageError(
                    f"{self.name} reads each text beside what it answers: give the prompt of each text as its context"
                )
            if len(contexts) != len(texts):
                raise UsageError(
                    f"{self.name}: {len(texts)} texts need as many contexts, not {len(contexts)}"
                )
            around = list(contexts)
        reasons = [
            EMPTY if not text.strip() else NO_CONTEXT if not context.strip() else ""
            for text, context in zip(texts, around, strict=True)
        ]
        readable = [place for place, reason in enumerate(reasons) if not reason]
        found, cut = self.classify(
            [texts[place] for place in readable], [around[place] for place in readable]
        )
        values = np.full((len(texts), len(self.levels)), UNCLASSIFIED, dtype=np.int32)
        if readable:
            values[readable] = np.reshape(np.asarray(found, dtype=np.int32), (len(readable), -1))
        return Profiles(values, tuple(reasons), cut)
