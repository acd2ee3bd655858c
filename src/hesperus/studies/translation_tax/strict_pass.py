"""When a rewriting passes strictly: its least grades, as a study declares them."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from hesperus.studies.asked.declaring import Part

GRADED = ("semantic", "difficulty", "cue_removal", "excess")
PASSED = ("key", "order")
STRICT = ("semantic", "difficulty", "key", "order", "excess")
"""The dimensions that a strict pass looks at; removal of cues is what is hoped for, not what is required."""

GRADES = ("1", "2", "3", "4", "5")


class StrictPass(Part):
    """When a rewriting passes strictly."""

    semantic: int = Field(default=4, ge=1, le=5)
    """Least grade for the meaning."""
    difficulty: int = Field(default=4, ge=1, le=5)
    """Least grade for the difficulty."""
    excess: int = Field(default=2, ge=1, le=5)
    """Highest grade for needless rewriting."""

    def holds(self, verdict: Mapping[str, object]) -> bool:
        """Whether a verdict passes; one that lacks a dimension does not.

        A dimension has a grade of 1 to 5, or true or false (``pass`` or ``fail``).
        """
        return all(self._one(name, verdict.get(name)) for name in STRICT)

    def _one(self, name: str, said: object) -> bool:
        text = str(said).strip().lower()
        if text in ("true", "pass"):
            return True
        if text not in GRADES:
            return False
        grade = int(text)
        return (
            grade <= self.excess if name == "excess" else name in GRADED and grade >= int(getattr(self, name))
        )
