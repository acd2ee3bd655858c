"""Studies: which there are, and the tables that each ends with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from hesperus import plugins
from hesperus.declared_studies import declared_studies
from hesperus.errors import UnknownNameError

if TYPE_CHECKING:
    from hesperus.analysis.table import Table
    from hesperus.api.measured_run import Held
    from hesperus.studies.asked.declaring import Declared


def study_names() -> tuple[str, ...]:
    """Names of all studies: the built-in ones in their order, then those of plug-ins."""
    own = declared_studies()
    return tuple(dict.fromkeys((*own, *plugins.names("hesperus.studies", own))))


def study_declaration(name: str) -> type[Declared]:
    """The declaration of the study of that name; its fields are the settings.

    Raises:
        UnknownNameError: There is no such study.
        UsageError: A plug-in offers something else under the name.
    """
    found: str | type[Declared] | None = plugins.maker("hesperus.studies", name, declared_studies())
    if found is None:
        raise unknown_study(name)
    declaration: type[Declared] = resolve_name(found) if isinstance(found, str) else found
    return declaration


def unknown_study(name: str) -> UnknownNameError:
    """The error of a name that is no study's."""
    hint = "or the path of a study file ending in .yaml; --plugin FILE adds one"
    return UnknownNameError("study", name, study_names(), hint)


def study_table(run: Held, name: str) -> Table:
    """A table of a run that its study names: a measure of it, or one of _TABLES."""
    from hesperus.api.measuring import measure

    return _TABLES[name](run) if name in _TABLES else measure(name, run)


def usual_table(run: Held, study: str) -> Table:
    """The table of a run that a person is shown first, by the name of its study."""
    declared = study_declaration(study)
    return study_table(run, declared.shown_first or declared.tables[0])


def _checklist(run: Held) -> Table:
    from hesperus.analysis.tax.tax_settings import AuditInputs
    from hesperus.api.tax_evidence import evidence_of
    from hesperus.reports.tax.checklist import checklist_of

    return checklist_of(evidence_of(AuditInputs([run.folder]))).table


def _audit(run: Held) -> Table:
    from hesperus.api.tax_evidence import run_overview

    return run_overview(run.folder)


_TABLES: Mapping[str, Callable[[Held], Table]] = {"audit": _audit, "checklist": _checklist}
"""Tables that are no measures, as they need more than a run."""
