"""How an audit is made: which senses are which condition, groups of models, the quality threshold, how intervals are drawn."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from hesperus.analysis.settings import GivenSettings, resolve, resolve_bootstrap
from hesperus.errors import UnknownNameError, UsageError
from hesperus.measures import Bootstrap
from hesperus.types import Sense
from hesperus.wording import language_name, parsed

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
        by: Columns of the records to group the items by.
    """

    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    bootstrap: Bootstrap = Bootstrap(10_000, 42)
    min_valid: float = 0.9
    exact: bool = False
    by: tuple[str, ...] = ()

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

    def named_groups(self, models: Sequence[str]) -> dict[str, list[int]]:
        """As grouped, if groups were named; else empty."""
        return self.grouped(models) if self.groups else {}

    def with_groups(self, models: Sequence[str]) -> Iterator[tuple[int, str, str]]:
        """Place and name of each model, and its named group ("" without one)."""
        group_of = {row: group for group, rows in self.named_groups(models).items() for row in rows}
        for row, model in enumerate(models):
            yield row, model, group_of.get(row, "")


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


@dataclass(frozen=True, slots=True)
class Senses:
    """Which sense codes represent which condition; None if a condition was not asked.

    Attributes:
        original: The source language's own items.
        translated: The translated items.
        back: What came back.
        natural: The rewritten items.
    """

    original: str | None = None
    translated: str | None = None
    back: str | None = None
    natural: str | None = None

    def check(self, codes: Collection[str]) -> Senses:
        """Refuse a sense that no record has.

        Raises:
            UnknownNameError: There is one.
        """
        for name in ("original", "translated", "back", "natural"):
            code = getattr(self, name)
            if code is not None and code not in codes:
                raise UnknownNameError(f"{name} sense of the records", code, codes)
        return self


@dataclass(frozen=True, slots=True)
class AuditInputs:
    """All that an audit of a translated benchmark rests on, and how it is counted; its flags are these.

    Attributes:
        runs: Further run folder or records file of the audited benchmark.
        tasks: Only this task.
        audit: What `hesperus audit … --format json` printed (default: audit.json of the run).
        ratings: Ratings of cues by people: a long table (default: ratings.csv of the run).
        scale: Lowest and highest rating of cues, LOW:HIGH; others are refused.
        checks: Checks of rewritten items by people: a long table, as `hesperus annotate export` writes it.
        native: Records of the native benchmark, where they are others.
        native_task: Task of the native items.
        strata: File of `hesperus tax strata` (default: strata.json of the run).
        verdicts: Verdicts of the verifying model (default: verdicts.parquet of the run).
        repeat: Repeat of the translated items, at least 1 (default: one that the strata did not look at).
        parsers: Also read the replies with this parser: default, strict, ohmer2023.
        parser_task: Task with the labels that --parser reads (default: each row's own).
        original: Sense of the original items, such as en.
        translated: Sense of the translated items, such as zh.
        back: Sense of the back-translations, such as en_from_zh@apertium.
        natural: Sense of the rewritten items, such as zh~natural.
        groups: NAME=MODEL,MODEL: the first is the source-centric group (default: those of the run's study).
        scores: Item scores of the back-translations (default: scores.parquet of the runs).
        metric: Score of the quality threshold, bleu or chrf (default: bleu, or the study's).
        threshold: Back-translations below it are excluded (default: 20, or the study's).
        min_valid: Share of valid answers below which a model is parser-sensitive (default: 0.9).
        exact: The exact sign test in place of the Bayesian one, as the paper prints it.
        exclude: Leave these items out: a list that `hesperus audit --out` wrote.
    """

    runs: Sequence[Path] = ()
    tasks: Sequence[str] = ()
    audit: Path | None = None
    ratings: Path | None = None
    scale: str = "1:5"
    checks: Sequence[Path] = ()
    native: Path | None = None
    native_task: str | None = None
    strata: Path | None = None
    verdicts: Path | None = None
    repeat: int | None = None
    parsers: Sequence[str] = ()
    parser_task: str | None = None
    original: str | None = None
    translated: str | None = None
    back: str | None = None
    natural: str | None = None
    groups: Sequence[str] = ()
    scores: Path | None = None
    metric: str | None = None
    threshold: float | None = None
    min_valid: float | None = None
    exact: bool = False
    exclude: Path | None = None

    def __post_init__(self) -> None:
        """Refuse a repeat that no record has."""
        if self.repeat is not None and self.repeat < 1:
            raise UsageError(f"--repeat is a number from 1, not {self.repeat}")

    @property
    def senses(self) -> Senses:
        """The senses that were named."""
        return Senses(self.original, self.translated, self.back, self.natural)

    def settings(self, study: Mapping[str, Any], given: GivenSettings | None = None) -> TaxSettings:
        """Groups, bootstrap and least share of valid answers: as given, else as the run's study says, else the defaults."""
        default = TaxSettings()
        groups = parse_groups(self.groups)
        if not groups:
            groups = {str(name): tuple(models) for name, models in study.get("groups", {}).items()}
        drawn = resolve_bootstrap(given, study, default.bootstrap)
        least = resolve(self.min_valid, study.get("min_valid"), default.min_valid)
        by = () if given is None or given.by is None else given.by
        return TaxSettings(groups, drawn, least, self.exact, by)

    def quality(self, study: Mapping[str, Any], given: GivenSettings | None = None) -> QualityThreshold:
        """Which back-translations are good enough: as given, here or with the settings of a measure, else as the run's study says."""
        said, default = study.get("quality", {}), QualityThreshold()
        asked = resolve(self.threshold, None if given is None else given.threshold, None)
        return QualityThreshold(
            resolve(self.metric, said.get("metric"), default.metric),  # type: ignore[arg-type]  # checked by the quality threshold itself
            resolve(asked, said.get("threshold"), default.threshold),
        )


def refuse_mere_translation(original: str, back: str) -> None:
    """A back-translation is in the language of the original; what is in another is a translation of it.

    Raises:
        UsageError: The two senses are in different languages, or one and the same.
    """
    first, second = parsed(original), parsed(back)
    if original == back:
        raise UsageError(f"{back!r} is the original itself, and no back-translation of it")
    if first is None or second is None or _same_language(first, second):
        return
    raise UsageError(
        f"{back!r} is in {language_name(second.language)} and the original {original!r} in "
        f"{language_name(first.language)}: that is a translation, and E1 needs what came back into "
        f"{language_name(first.language)}, such as {first.language}_from_{second.language}, as --back"
    )


def _same_language(first: Sense, second: Sense) -> bool:
    """Script and region apart: an original in zh-Hant may come back in zh-Hans."""
    return first.language.partition("-")[0].lower() == second.language.partition("-")[0].lower()


def _refuse_mixed(found: Senses) -> None:
    if found.original is not None and found.back is not None:
        refuse_mere_translation(found.original, found.back)
    natural, translated = (
        parsed(code) if code is not None else None for code in (found.natural, found.translated)
    )
    if natural is not None and translated is not None and not _same_language(natural, translated):
        raise UsageError(
            f"the rewritten items {found.natural!r} are in {language_name(natural.language)} and the translated "
            f"{found.translated!r} in {language_name(translated.language)}; E4 compares two of one language"
        )


def conditions_of(
    codes: Iterable[str], given: Senses | None = None, *, needed: Collection[str] = ("back", "natural")
) -> Senses:
    """Find the conditions among the senses of the inputs.

    The back-translation is the one sense that came into an original's language (``en_from_zh``, ``en_via_zh``); original
    and translated are what it says, or what several alike say; the natural one is a rewording ``~natural`` of the translated.

    Args:
        codes: Sense codes of the inputs that occur.
        given: What a user names; it decides.
        needed: Conditions of which there must not be several; of the others, several are none.

    Raises:
        UnknownNameError: A given sense does not occur.
        UsageError: Several could be meant, or what is named as a back-translation or rewriting is in another language.
    """
    given = given or Senses()
    known = sorted(set(codes))
    given.check(known)
    senses = {code: sense for code in known if (sense := parsed(code)) is not None}
    originals = {code for code, sense in senses.items() if sense.is_original}
    backs = [given.back] if given.back else [c for c, s in senses.items() if _came_back(s, originals, given)]
    back = _one("back", backs, strict="back" in needed)
    ways = [senses[code] for code in backs if code in senses]
    came_into = _same(way.language for way in ways)
    original = given.original or (came_into if came_into in originals else None)
    reworded = [
        c for c, s in senses.items() if (s.variant or "").startswith("natural") and s.language != original
    ]
    naturals = [given.natural] if given.natural else reworded
    natural = _one("natural", naturals, strict="natural" in needed)
    middle = _same(way.source or way.via for way in ways)
    rewritten = _same(senses[code].language for code in naturals if code in senses)
    first = next((code for code in (middle, rewritten) if code in originals), None)
    translated = given.translated or first or _one("translated", sorted(originals - {original}), strict=False)
    result = Senses(original, translated, back, natural)
    _refuse_mixed(result)
    return result


def _same(values: Iterable[str | None]) -> str | None:
    """What all say alike; None if they do not."""
    different = set(values)
    return different.pop() if len(different) == 1 else None


def _came_back(sense: Sense, originals: Collection[str], given: Senses) -> bool:
    """Whether a sense may be the way back: made of another original, in the language of one."""
    if not (sense.source or sense.via) or sense.variant or sense.language not in originals:
        return False
    fits = given.original in (None, sense.language) and given.translated in (None, sense.source, sense.via)
    return fits and (sense.via is not None or sense.source in originals)


def _one(name: str, found: list[str], *, strict: bool = True) -> str | None:
    if len(found) > 1 and strict:
        raise UsageError(
            f"{len(found)} senses could be the {name} one: {', '.join(found)}; name it with --{name}"
        )
    return found[0] if len(found) == 1 else None
