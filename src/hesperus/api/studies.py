"""Studies: which there are, and what each ends with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from hesperus import plugins
from hesperus.errors import UnknownNameError

if TYPE_CHECKING:
    from hesperus.analysis.table import Table
    from hesperus.api.measuring import Held
    from hesperus.studies.asked.declaring import Declared
    from hesperus.studies.asked.settings import Setting


@dataclass(frozen=True, slots=True)
class StudyKind:
    """A study, as the command and the library see it.

    Attributes:
        name: What is under `study` in a study file.
        declaration: Its declaration, or where that is: module and class.
        tables: Names of its tables; the first is the usual one.
        table: Makes one of them.
        summary: The table that a person is shown first.
        next: Commands that go on from a run folder, with {run} in its place.
    """

    name: str
    declaration: str | type[Declared]
    tables: tuple[str, ...]
    table: Callable[[Held, str], Table]
    summary: Callable[[Held], Table]
    next: tuple[str, ...]

    @property
    def model(self) -> type[Declared]:
        """The declaration of the study; its fields are the settings."""
        if not isinstance(self.declaration, str):
            return self.declaration
        declaration: type[Declared] = resolve_name(self.declaration)
        return declaration

    def settings(self) -> tuple[Setting, ...]:
        """Every setting of the study."""
        from hesperus.studies.asked.settings import settings_of

        return settings_of(self.model)


def study_names() -> tuple[str, ...]:
    """Names of all studies: the built-in ones in their order, then those of plug-ins."""
    return tuple(dict.fromkeys((*STUDIES, *plugins.names("hesperus.studies", STUDIES))))


def study_kind(name: str) -> StudyKind:
    """The study of that name.

    Raises:
        UnknownNameError: Nothing found.
    """
    found = plugins.maker("hesperus.studies", name, STUDIES)
    if found is None:
        raise UnknownNameError(
            "study", name, study_names(), "or give the path of a study file ending in .yaml"
        )
    return found


def _measured(run: Held, name: str) -> Table:
    from hesperus.analysis.description import Described
    from hesperus.analysis.registry import measure_table

    described = Described(run.run.study, run.run.signature, run.folder)
    return _signed(measure_table(name, run.run.records, described=described), name)


def _signed(table: Table, measure: str) -> Table:
    """With the line from which `hesperus measure` makes the same table again."""
    from hesperus.analysis.settings import GivenSettings
    from hesperus.analysis.short_signature import with_short

    return with_short(table, GivenSettings(), measure)


def _consistency(run: Held) -> Table:
    return _measured(run, "consistency")


def _similarity(run: Held) -> Table:
    return _measured(run, "means")


def _open_answers(run: Held, name: str) -> Table:
    from hesperus.analysis.open_answers.run_tables import run_table

    return _signed(run_table(run.folder, name, run.run.study), name)


def _open_summary(run: Held) -> Table:
    return _open_answers(run, "scores")


def _tax(run: Held, name: str) -> Table:
    from hesperus.analysis.measure_names import TAX_MEASURES
    from hesperus.api.tax_evidence import run_table

    made = run_table(run.folder, name)
    return _signed(made, name) if name in TAX_MEASURES else made


def _tax_summary(run: Held) -> Table:
    from hesperus.api.tax_evidence import run_summary

    return run_summary(run.folder)


STUDIES: Mapping[str, StudyKind] = {
    kind.name: kind
    for kind in (
        StudyKind(
            "multisense",
            "hesperus.studies.multisense.multisense_study:MultisenseStudy",
            ("consistency", "accuracy", "agreement", "decomposition", "directions", "labels", "outcomes", "all_languages", "validity"),
            _measured,
            _consistency,
            ("hesperus report {run}",),
        ),
        StudyKind(
            "similarity",
            "hesperus.studies.similarity.similarity_study:SimilarityStudy",
            ("means", "similarity", "contrasts", "correlations", "all_languages", "scoring"),
            _measured,
            _similarity,
            ("hesperus measure contrasts {run}", "hesperus report {run}",),
        ),
        StudyKind(
            "translate_then_evaluate",
            "hesperus.studies.translate_then_evaluate.open_study:OpenAnswersStudy",
            ("scores", "groups", "counts", "prompts", "readability"),
            _open_answers,
            _open_summary,
            ("hesperus report {run}", "hesperus evaluate information {run} --judge MODEL",),
        ),
        StudyKind(
            "translation_tax",
            "hesperus.studies.translation_tax.tax_study:TaxStudy",
            ("back_translation", "native_control", "naturalisation", "validity", "bounds", "checklist"),
            _tax,
            _tax_summary,
            ("hesperus report {run}", "hesperus tax checklist {run}",),
        ),
    )
}  # fmt: skip
"""Every built-in study by its name; a study joins by one entry, those of plug-ins by study_kind."""
