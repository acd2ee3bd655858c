"""Studies: which there are, and what each ends with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from hesperus import plugins
from hesperus.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from hesperus.analysis.table import Table
    from hesperus.api.tables_of_records import Held
    from hesperus.studies.asked.declaring import Declared
    from hesperus.studies.asked.settings import Setting


def measured(run: Held, name: str) -> Table:
    """A table of a run that is a measure of it."""
    from hesperus.api.measuring import measure

    return measure(name, run)


@dataclass(frozen=True, slots=True)
class StudyKind:
    """A study, as the command and the library see it.

    Attributes:
        name: What is under `study` in a study file.
        declaration: Its declaration, or where that is: module and class.
        tables: Names of its tables; the first is the usual one.
        next: Commands that go on from a run folder, with {run} in its place.
        table: Makes one of them, where it is no measure.
        overview: The table that a person is shown first; None: the usual one.
        help: What it does, in a sentence that goes on from its name.
    """

    name: str
    declaration: str | type[Declared]
    tables: tuple[str, ...]
    next: tuple[str, ...] = ("hesperus report {run}",)
    table: Callable[[Held, str], Table] = measured
    overview: Callable[[Held], Table] | None = None
    help: str = ""

    def summary(self, run: Held) -> Table:
        """The table that a person is shown first."""
        return self.table(run, self.tables[0]) if self.overview is None else self.overview(run)

    @property
    def model(self) -> type[Declared]:
        """The declaration of the study; its fields are the settings.

        Raises:
            UsageError: It cannot be loaded.
        """
        if not isinstance(self.declaration, str):
            return self.declaration
        try:
            declaration: type[Declared] = resolve_name(self.declaration)
        except (ImportError, AttributeError, ValueError) as error:
            raise UsageError(
                f"the declaration {self.declaration!r} of the study {self.name!r} cannot be loaded: {error}"
            ) from error
        return declaration

    def settings(self) -> tuple[Setting, ...]:
        """Every setting of the study."""
        from hesperus.studies.asked.settings import settings_of

        return settings_of(self.model)


def study_names() -> tuple[str, ...]:
    """Names of all studies: the built-in ones in their order, then those of plug-ins."""
    return tuple(dict.fromkeys((*STUDIES, *plugins.names("hesperus.studies", STUDIES))))


def study_kind(name: str) -> StudyKind:
    """The study of that name."""
    found = plugins.maker("hesperus.studies", name, STUDIES)
    if found is None:
        raise unknown_study(name)
    return found


def unknown_study(name: str) -> UnknownNameError:
    """The error of a name that is no study's."""
    hint = "or the path of a study file ending in .yaml; --plugin FILE adds one"
    return UnknownNameError("study", name, study_names(), hint)


def _tax(run: Held, name: str) -> Table:
    if name != "checklist":
        return measured(run, name)
    from hesperus.api.audit_inputs import AuditInputs
    from hesperus.api.tax_evidence import evidence_of
    from hesperus.reports.tax.checklist import checklist_of

    return checklist_of(evidence_of(AuditInputs([run.folder]))).table


def _tax_overview(run: Held) -> Table:
    from hesperus.api.tax_evidence import run_overview

    return run_overview(run.folder)


STUDIES: Mapping[str, StudyKind] = {
    kind.name: kind
    for kind in (
        StudyKind(
            "multisense",
            "hesperus.studies.multisense.multisense_study:MultisenseStudy",
            ("consistency", "accuracy", "agreement", "decomposition", "directions", "labels", "outcomes", "all_languages", "validity"),
            help="asks a task in several senses that the model makes itself, and measures how consistent it is.",
        ),
        StudyKind(
            "similarity",
            "hesperus.studies.similarity.similarity_study:SimilarityStudy",
            ("means", "similarity", "contrasts", "correlations", "all_languages", "scoring"),
            ("hesperus measure contrasts {run}", "hesperus report {run}"),
            help="asks models in several languages (or takes the records of earlier runs and of imported logs), and measures "
            "which of these runs make the same mistakes.",
        ),
        StudyKind(
            "translate_then_evaluate",
            "hesperus.studies.translate_then_evaluate.open_study:OpenAnswersStudy",
            ("scores", "groups", "counts", "prompts", "readability"),
            ("hesperus report {run}", "hesperus evaluate information {run} --judge openai/gpt-4o-mini"),
            help="asks for open answers in several languages, puts them into English and evaluates them there.",
        ),
        StudyKind(
            "translation_tax",
            "hesperus.studies.translation_tax.tax_study:TaxStudy",
            ("back_translation", "native_control", "naturalisation", "parsers", "bounds", "checklist"),
            ("hesperus report {run}", "hesperus tax checklist {run}"),
            _tax,
            _tax_overview,
            "asks a translated benchmark, its way back to English and its naturalised form.",
        ),
    )
}  # fmt: skip
"""Every built-in study by its name; a study joins by one entry, those of plug-ins by study_kind."""
