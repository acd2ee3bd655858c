"""What decides a table of a measure; every field stands in its signature."""

from __future__ import annotations

from dataclasses import dataclass

from hesperus.errors import UsageError
from hesperus.fingerprint import JSON, signature
from hesperus.measures import INVALID_RULES, Bootstrap, InvalidRule
from hesperus.records import Selection

DEFAULT_BOOTSTRAP = Bootstrap()


@dataclass(frozen=True, slots=True)
class MeasureSettings:
    """Settings of a table.

    Attributes:
        a: Source cell of a comparison, None for what the design implies.
        b: Other cell of a comparison.
        by: Columns of the records to group by.
        invalid: How unreadable answers compare.
        bootstrap: How intervals are made.
        threshold: Score above which translations count as good (only for the table of scores).
    """

    a: Selection | None = None
    b: Selection | None = None
    by: tuple[str, ...] = ()
    invalid: InvalidRule = "disagree"
    bootstrap: Bootstrap = DEFAULT_BOOTSTRAP
    threshold: float | None = None

    def __post_init__(self) -> None:
        if self.invalid not in INVALID_RULES:
            raise UsageError(f"invalid is one of {', '.join(INVALID_RULES)}, not {self.invalid!r}")
        if self.b is not None and self.a is None:
            raise UsageError("b says what to compare with a; give a as well")

    def signed(self) -> dict[str, JSON]:
        """The signature of a table made with these settings."""
        return signature(self)


def selected(given: Selection | str | None) -> Selection | None:
    """A selection as it is, or read from its text (see Selection.parse)."""
    return Selection.parse(given) if isinstance(given, str) else given
