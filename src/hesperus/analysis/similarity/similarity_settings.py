"""What decides the tables of a similarity study: which pairs, what is next to them, how sure one wants to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import log
from typing import Any, Literal

import polars as pl

from hesperus.analysis.settings import GivenSettings, resolve_settings
from hesperus.errors import UsageError
from hesperus.fingerprint import JSON, signature
from hesperus.measures import Bootstrap, InvalidRule, PairStatistic
from hesperus.records import Run

Answers = Literal["auto", "hard", "soft"]
"""What is compared: labels, probabilities, or probabilities where every record has them."""


@dataclass(frozen=True, slots=True)
class Covariate:
    """One number per language, to set similarity against.

    Attributes:
        values: Language tag to number.
        source: Where the numbers come from.
        date: When they were taken.
        logarithm: Use the natural logarithm.
    """

    values: Mapping[str, float]
    source: str
    date: str
    logarithm: bool = False

    def of(self, language: str) -> float | None:
        """The number of a language, or None if absent.

        Raises:
            UsageError: A logarithm of a number that is not above 0.
        """
        value = self.values.get(language)
        if value is None or not self.logarithm:
            return value
        if value <= 0:
            raise UsageError(
                f"the number of {language!r} is {value:g}, which has no logarithm ({self.source})"
            )
        return log(value)


@dataclass(frozen=True, slots=True)
class SimilaritySettings:
    """Settings of the tables.

    Attributes:
        statistic: The measure that groups, tests and relations are made of.
        answers: What is compared.
        pivot: Language of which the pairs with every other are a design of their own.
        families: Model to family, for the partner of nearest size in another family.
        sizes: Model to number of parameters.
        covariates: Name to numbers by language.
        exclude: Ids of items to leave out.
        subsets: Numbers of languages of which the joint consistency is measured.
        macro: Column that splits the items; κ_p is also averaged over its values, besides the value over all items together.
        invalid: How invalid answers compare.
        bootstrap: How intervals are made.
        permutations: Permutations of Mantel's test.
    """

    statistic: PairStatistic = "kappa_p"
    answers: Answers = "auto"
    pivot: str = "en"
    families: Mapping[str, str] = field(default_factory=dict)
    sizes: Mapping[str, float] = field(default_factory=dict)
    covariates: Mapping[str, Covariate] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    subsets: tuple[int, ...] = (2, 3)
    macro: str | None = None
    invalid: InvalidRule = "disagree"
    bootstrap: Bootstrap = Bootstrap()
    permutations: int = 9999

    def signed(self, **more: JSON) -> dict[str, JSON]:
        """The signature of a table made with these settings."""
        return {**signature(self), **more}


def settings_of(study: Mapping[str, Any], given: GivenSettings | None = None) -> SimilaritySettings:
    """The settings that are in the `study.yaml` of a run, under `comparison`; defaults if absent.

    What is given wins over the study.

    Raises:
        DataError: The study's way to make intervals cannot be used.
        UsageError: The study has a comparison that is not known.
    """
    values = _comparison(study)
    try:
        tables: Mapping[str, Mapping[str, Any]] = values.pop("languages", {})
        covariates = {
            name: Covariate(held["values"], held["source"], held["date"], held.get("log", False))
            for name, held in tables.items()
        }
        values |= {"subsets": tuple(values["subsets"])} if "subsets" in values else {}
        for name in ("by", "bootstrap", "invalid"):
            values.pop(name, None)
        decided = resolve_settings(given, study)
        return SimilaritySettings(
            covariates=covariates, bootstrap=decided.bootstrap, invalid=decided.invalid, **values
        )
    except KeyError as error:
        raise UsageError(
            f"the study's comparison cannot be used: numbers of languages need {error}"
        ) from None
    except (TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"the study's comparison cannot be used: {error}") from None


def columns_of(study: Mapping[str, Any]) -> tuple[str, ...]:
    """The columns of the records that the `study.yaml` of a run measures by, those of means of groups included.

    Raises:
        UsageError: The study has a comparison that is not known.
    """
    macro = _comparison(study).get("macro")
    return tuple(dict.fromkeys([*groups_of(study), *([str(macro)] if macro else [])]))


def groups_of(study: Mapping[str, Any]) -> tuple[str, ...]:
    """Columns of the records: the `study.yaml` of a run wants everything measured for each of their values too.

    Raises:
        UsageError: The study has a comparison that is not known.
    """
    by = _comparison(study).get("by") or ()
    return (by,) if isinstance(by, str) else tuple(map(str, by))


def _comparison(study: Mapping[str, Any]) -> dict[str, Any]:
    found = study.get("comparison") or {}
    if not isinstance(found, Mapping):
        raise UsageError(f"the study's comparison cannot be used: expected keys, found {found!r}")
    return dict(found)


def similarity_settings(run: Run, given: GivenSettings | None = None) -> SimilaritySettings:
    """The comparison of a run's study; of agreement beyond chance where a right answer is known, else of agreement.

    What is given wins over the study.

    Raises:
        UsageError: The study's comparison cannot be used.
    """
    settings = settings_of(run.study, given)
    if not run.study.get("comparison") and not run.records.select(pl.col("gold").is_not_null().any()).item():
        settings = replace(settings, statistic="raw")
    return settings
