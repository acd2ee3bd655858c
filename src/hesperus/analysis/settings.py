"""What decides a table, and who decides it: the person who asks, else the run's own study, else the default.

"Not given" is None, never a value that happens to equal the default: a flag that is given always wins, also with the value of the default.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.fingerprint import JSON, signature
from hesperus.measures import INTERVAL_METHODS, INVALID_RULES, Bootstrap, IntervalMethod, InvalidRule
from hesperus.records import Selection

T = TypeVar("T")

_RESAMPLING = tuple(field.name for field in fields(Bootstrap))


def _check(invalid: object, a: Selection | None, b: Selection | None) -> None:
    if invalid is not None and invalid not in INVALID_RULES:
        raise UnknownNameError("rule for invalid answers", str(invalid), INVALID_RULES)
    if b is not None and a is None:
        raise UsageError("b says what to compare with a; give a as well")


@dataclass(frozen=True, slots=True)
class MeasureSettings:
    """Settings of a table, all decided; every field is in its signature.

    Attributes:
        a: Source cell of a comparison, None for what the design implies.
        b: Other cell of a comparison.
        by: Columns of the records to group by.
        invalid: How answers without a label compare.
        bootstrap: How intervals are made.
        threshold: Score above which translations count as good, for scores from 0 to 100 such as BLEU; ROUGE, from 0 to 1,
            takes a hundredth of it (only for the table of scores).
        comet_threshold: The same for COMET, with scores between 0 and 1.
    """

    a: Selection | None = None
    b: Selection | None = None
    by: tuple[str, ...] = ()
    invalid: InvalidRule = "disagree"
    bootstrap: Bootstrap = Bootstrap()
    threshold: float | None = None
    comet_threshold: float | None = None

    def __post_init__(self) -> None:
        _check(self.invalid, self.a, self.b)

    def signed(self) -> dict[str, JSON]:
        """The signature of a table made with these settings."""
        return signature(self)


DEFAULT_BOOTSTRAP = Bootstrap()
DEFAULT = MeasureSettings()
"""What holds where neither a person nor a study says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenSettings:
    """What somebody asked for: the flags of a command, keyword arguments, or a study file. None: not given.

    Attributes:
        a: Source of a comparison: instruction=…,input=…[,repeat=…][,model=…], or one code for both.
        b: What to compare it with, likewise.
        by: Column of the records to group by.
        invalid: How invalid answers compare: disagree, agree or drop (default: the study's, else disagree).
        resamples: Resamples of the items; 0: no intervals (default: the study's, else 2000; 10,000 in an audit of a
            translated benchmark).
        seed: Seed of the resamples, at least 0 (default: the study's, else 0; 42 in an audit of a translated benchmark).
        level: Coverage of the intervals, in (0, 1).
        interval: How intervals are made: bayesian, which holds where all items are alike, or percentile, as papers print it
            (default: the study's, else bayesian).
        threshold: For translation: scores from 0 to 100 strictly above it count as good; ROUGE takes a hundredth
            (default: 50). Of an audit: back-translations below it are excluded (default: 20, or the study's).
        comet_threshold: For translation: the same for COMET, with scores between 0 and 1 (default: 0.8).
    """

    a: Selection | None = None
    b: Selection | None = None
    by: tuple[str, ...] | None = None
    invalid: InvalidRule | None = None
    resamples: int | None = None
    seed: int | None = None
    level: float | None = None
    interval: IntervalMethod | None = None
    threshold: float | None = None
    comet_threshold: float | None = None

    def __post_init__(self) -> None:
        _check(self.invalid, self.a, self.b)
        if self.interval is not None and self.interval not in INTERVAL_METHODS:
            raise UnknownNameError("kind of interval", str(self.interval), INTERVAL_METHODS)

    @classmethod
    def of(cls, **values: Any) -> GivenSettings:
        """The same from looser values: cells as text (see Selection.parse), one column without a list around it.

        Raises:
            UnknownNameError: There is no such setting.
            UsageError: A value that cannot be used.
        """
        known = [field.name for field in fields(cls)]
        for name in values:
            if name not in known:
                raise UnknownNameError("setting of a measure", name, known)
        for name in ("a", "b"):
            if isinstance(values.get(name), str):
                values[name] = Selection.parse(values[name])
        by = values.get("by")
        if by is not None:
            values["by"] = (by,) if isinstance(by, str) else tuple(by)
        return cls(**values)

    def of_whole(self) -> GivenSettings:
        """The same without what picks parts of a run: a pair of cells, columns to group by."""
        return replace(self, a=None, b=None, by=None)


NOTHING_GIVEN = GivenSettings()


def resolve(given: T | None, study: T | None, default: T) -> T:
    """The value that holds: what was given, else what the study says, else the default."""
    if given is not None:
        return given
    return default if study is None else study


def resolve_settings(
    given: GivenSettings | None, study: Mapping[str, object], takes: Collection[str] | None = None
) -> MeasureSettings:
    """Decide every setting of a table, or those that its measure takes next to how intervals are made: the others are the defaults.

    Raises:
        UsageError: The study's own settings cannot be used.
    """
    asked, said = given or NOTHING_GIVEN, study_settings(study)
    decided: dict[str, Any] = {
        field.name: resolve(
            getattr(asked, field.name), getattr(said, field.name), getattr(DEFAULT, field.name)
        )
        for field in fields(MeasureSettings)
        if field.name != "bootstrap" and (takes is None or field.name in takes)
    }
    return MeasureSettings(bootstrap=resolve_bootstrap(asked, study, DEFAULT.bootstrap), **decided)


def resolve_bootstrap(
    given: GivenSettings | None, study: Mapping[str, object], default: Bootstrap
) -> Bootstrap:
    """Decide how intervals are made, each of its settings by itself (see resolve_settings).

    Raises:
        UsageError: A number out of its range.
    """
    asked, said = given or NOTHING_GIVEN, study_settings(study)
    values = {
        name: resolve(getattr(asked, name), getattr(said, name), getattr(default, name))
        for name in _RESAMPLING
    }
    try:
        return Bootstrap(**values)
    except (TypeError, ValueError) as error:
        raise UsageError(f"intervals cannot be made so: {error}") from None


def study_settings(study: Mapping[str, object]) -> GivenSettings:
    """What a study says of the tables of its runs: under `comparison` (similarity), or by itself (open answers).

    Columns to group by are no part of it: a similarity study wants them for some of its tables only.

    Raises:
        DataError: A value that cannot be used.
    """
    found: dict[str, Any] = {}
    comparison = study.get("comparison")
    for place, part in (("comparison", comparison), ("", study)):
        if not isinstance(part, Mapping):
            continue
        found |= {"invalid": part["invalid"]} if part.get("invalid") is not None else {}
        drawn = part.get("bootstrap")
        if drawn is None:
            continue
        where = f"{place}.bootstrap".lstrip(".")
        if not isinstance(drawn, Mapping) or (unknown := [key for key in drawn if key not in _RESAMPLING]):
            said = (
                f"expected a mapping, found {drawn!r}"
                if not isinstance(drawn, Mapping)
                else f"no such setting: {unknown[0]}"
            )
            raise DataError(f"{said}; it takes {', '.join(_RESAMPLING)}", file="study.yaml", field=where)
        try:
            Bootstrap(**drawn)
        except (TypeError, ValueError) as error:
            raise DataError(f"cannot be used: {error}", file="study.yaml", field=where) from None
        found |= drawn
    try:
        return GivenSettings(**found)
    except (UnknownNameError, TypeError) as error:
        raise DataError(str(error), file="study.yaml") from None


def agreed_settings(given: GivenSettings | None, studies: Sequence[Mapping[str, object]]) -> MeasureSettings:
    """Decide the settings of a comparison of runs (see agreed_given)."""
    return resolve_settings(agreed_given(given, studies), {})


def agreed_given(given: GivenSettings | None, studies: Sequence[Mapping[str, object]]) -> GivenSettings:
    """What was given, and what the studies of runs that are compared say. A study that says nothing agrees with any other.

    Raises:
        UsageError: Two studies want different settings, and none was given.
    """
    asked = given or NOTHING_GIVEN
    said = [study_settings(study) for study in studies]
    agreed: dict[str, Any] = {}
    for name in ("invalid", *_RESAMPLING):
        wanted = dict.fromkeys(value for one in said if (value := getattr(one, name)) is not None)
        if len(wanted) > 1 and getattr(asked, name) is None:
            raise UsageError(
                f"the studies of the runs disagree about {name}: {' and '.join(map(repr, wanted))}; say which holds "
                f"with --{name}"
            )
        agreed[name] = next(iter(wanted), None)
    values = {
        field.name: resolve(getattr(asked, field.name), agreed.get(field.name), None)
        for field in fields(GivenSettings)
    }
    return GivenSettings(**values)
