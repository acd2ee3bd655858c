"""What raters judge: units, the sheet of all units under one scheme, and the order in which each rater sees them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from hesperus.annotation.scheme import Scheme
from hesperus.errors import DataError, UsageError
from hesperus.fingerprint import fingerprint

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Text:
    """A text that raters see.

    Attributes:
        name: Which of the scheme's shown texts it is.
        text: As it came; untrusted.
        language: BCP-47 tag, or None if it is not known.
    """

    name: str
    text: str
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Unit:
    """One thing to judge.

    Attributes:
        id: Unique within the sheet. Raters never see it: ids often tell the model or the stratum.
        texts: What is shown, in the scheme's order.
        labels: Answers of its own, for questions with ``labels``.
        columns: What is known of it; kept for exports, never sent to a rater.
    """

    id: str
    texts: tuple[Text, ...]
    labels: tuple[str, ...] = ()
    columns: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True)
class Sheet:
    """All units under one scheme.

    Attributes:
        scheme: What is shown and asked.
        units: In the order of their source.
        seed: Decides every rater's order.
    """

    scheme: Scheme
    units: tuple[Unit, ...]
    seed: int = 0

    def __post_init__(self) -> None:
        """Check that the units fit the scheme."""
        if not self.units:
            raise UsageError("there is nothing to judge: no unit is left")
        seen: set[str] = set()
        for unit in self.units:
            if unit.id in seen:
                raise DataError("two units have this id", item=unit.id)
            seen.add(unit.id)
            for question in self.scheme.questions:
                values = question.values(unit.labels)
                if len(set(values)) != len(values):
                    raise DataError(
                        "a label occurs twice or is also a fixed choice of the scheme",
                        field=question.name,
                        item=unit.id,
                    )
                if not values:
                    raise DataError("no labels to choose from", field=question.name, item=unit.id)

    @cached_property
    def fingerprint(self) -> str:
        """Identifies the sheet: the same scheme, units and seed give the same."""
        return fingerprint(
            {"scheme": self.scheme.model_dump(mode="json"), "units": list(self.units), "seed": self.seed}
        )

    def code(self, unit: Unit) -> str:
        """What a unit is called before raters: 16 hexadecimal digits that tell nothing."""
        return fingerprint([self.fingerprint, unit.id])[:16]

    @cached_property
    def by_code(self) -> Mapping[str, Unit]:
        """Code to unit."""
        return {self.code(unit): unit for unit in self.units}

    @cached_property
    def by_id(self) -> Mapping[str, str]:
        """Id to code."""
        return {unit.id: code for code, unit in self.by_code.items()}

    def order(self, rater: str, codes: Sequence[str]) -> list[str]:
        """Codes in the order in which a rater sees them: shuffled by the seed and the rater's name."""
        shuffled = list(codes)
        random.Random(fingerprint([self.seed, rater])).shuffle(shuffled)
        return shuffled

    def shares(self, raters: Sequence[str], per_unit: int | None = None) -> dict[str, list[str]]:
        """Share units out.

        By rater, in that rater's order; they differ by one unit at most. Without `per_unit` all judge every unit.
        """
        wanted = len(raters) if per_unit is None else per_unit
        if not 1 <= wanted <= len(raters):
            raise UsageError(f"{per_unit} raters for each unit, but {len(raters)} raters; name more of them")
        shared: dict[str, list[str]] = {name: [] for name in raters}
        turn = 0
        for code in self.order("", list(self.by_code)):
            for _ in range(wanted):
                shared[raters[turn % len(raters)]].append(code)
                turn += 1
        return {name: self.order(name, sorted(codes)) for name, codes in shared.items()}
