"""What a property evaluator is, and what it gives: a level of each property of each text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

import numpy as np
import numpy.typing as npt

from hesperus.errors import UsageError
from hesperus.fingerprint import JSON
from hesperus.measures import UNCLASSIFIED

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


Classify = Callable[[Sequence[int]], tuple[npt.ArrayLike, int]]
"""Places of texts to their levels, [places, properties], and how many of them were cut."""


def profiled(
    texts: Sequence[str], contexts: Sequence[str] | None, evaluator: PropertyEvaluator, classify: Classify
) -> Profiles:
    """The profiles of texts, of which those that are empty, or have an empty context, are left out.

    `classify` finds the levels of the others.
    """
    if contexts is not None and len(contexts) != len(texts):
        raise UsageError(f"{evaluator.name}: {len(texts)} texts need as many contexts, not {len(contexts)}")
    around = contexts if contexts is not None else ["-"] * len(texts)
    reasons = [
        EMPTY if not text.strip() else NO_CONTEXT if not context.strip() else ""
        for text, context in zip(texts, around, strict=True)
    ]
    readable = [place for place, reason in enumerate(reasons) if not reason]
    found, cut = classify(readable)
    values = np.full((len(texts), len(evaluator.properties)), UNCLASSIFIED, dtype=np.int32)
    if readable:
        values[readable] = np.reshape(np.asarray(found, dtype=np.int32), (len(readable), -1))
    return Profiles(values, tuple(reasons), cut)


def needed(contexts: Sequence[str] | None, *, evaluator: str) -> Sequence[str]:
    """The contexts of an evaluator that reads them."""
    if contexts is None:
        raise UsageError(
            f"{evaluator} reads each text beside what it answers: give the prompt of each text as its context"
        )
    return contexts
