"""Studies: which there are, what each ends with, and how one is planned and run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, chdir, nullcontext
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hesperus.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from hesperus.reports.table import Table
    from hesperus.studies.asked import StudyRun


@dataclass(frozen=True, slots=True)
class StudyKind:
    """A study, as the command and the library see it.

    Attributes:
        name: What stands under `study` in a study file.
        home: Package of the study: it has `study_from_mapping`, `default_folder`, `plan_study` and `run_study`.
        tables: Names of its tables; the first is the usual one.
        table: Makes one of them.
        summary: The table that a person is shown first.
    """

    name: str
    home: str
    tables: tuple[str, ...]
    table: Callable[[StudyRun, str], Table]
    summary: Callable[[StudyRun], Table]

    def study(self, values: Mapping[str, Any], file: str | None = None) -> Any:
        """The validated study.

        Raises:
            UnknownNameError: A key, task, language or model that does not exist.
            DataError: A value of the wrong kind.
        """
        return import_module(self.home).study_from_mapping(values, file=file)

    def call(self, function: str, *given: Any, **named: Any) -> Any:
        """Call a function of the study's package."""
        return getattr(import_module(self.home), function)(*given, **named)


def study_kind(name: str) -> StudyKind:
    """The study of that name.

    Raises:
        UnknownNameError: There is none.
    """
    if name not in STUDIES:
        raise UnknownNameError("study", name, STUDIES, "or give the path of a study file ending in .yaml")
    return STUDIES[name]


def plan(study: str | Path | Mapping[str, Any], *, store: Path | str | None = None, **settings: Any) -> Table:
    """What a run would ask and cost; sends nothing.

    Args:
        study: As in run.
        store: Reply store: what it holds is not asked again.
        settings: As in run.

    Returns:
        A row for each model, stage and condition, and one `total` for each model: requests, those that would be sent,
        and ranges of tokens and price.

    Raises:
        UnknownNameError: As in run.
        DataError: As in run.
    """
    from hesperus.reports.table import Table

    kind, declared, home = declared_study(study, settings)
    kept = None if store is None else Path(store).absolute()
    with home:
        made = kind.call("plan_study", declared, store=kept)
        return Table("plan", made.columns, made.rows, made.signature)


def declared_study(
    study: str | Path | Mapping[str, Any], settings: Mapping[str, Any]
) -> tuple[StudyKind, Any, AbstractContextManager[None]]:
    """The kind of a study, its validated declaration, and the folder from which the paths in its file start."""
    from hesperus.studies.asked import home_of, read_mapping

    if isinstance(study, Mapping):
        values, file = dict(study), None
    elif str(study) in STUDIES:
        values, file = {"study": str(study)}, None
    else:
        file = _file_of(Path(study))
        values = read_mapping(file)
    values |= settings
    home = None if file is None else home_of(values, file)
    inside: AbstractContextManager[None] = nullcontext() if home is None else chdir(home)
    kind = study_kind(str(values.get("study", "multisense")))
    with nullcontext() if home is None else chdir(home):
        return kind, kind.study(values, None if file is None else str(file)), inside


def _file_of(path: Path) -> Path:
    inside = path / "study.yaml"
    if inside.is_file():
        return inside
    if path.is_file():
        return path
    if path.suffix in (".yaml", ".yml"):
        raise UsageError(f"{path}: no such study file")
    raise UnknownNameError("study", str(path), STUDIES, "or give the path of a study file ending in .yaml")


def _measured(run: StudyRun, name: str) -> Table:
    from hesperus.reports.measured import Described, measure_table

    return measure_table(name, run.records, described=Described(run.run.study, run.run.signature, run.folder))


def _consistency(run: StudyRun) -> Table:
    from hesperus.reports.summary import consistency_summary

    whole = _measured(run, "consistency")
    found = consistency_summary(whole)
    # Without a made sense there is no line to lay out; what repeats and other originals say stands in the table itself.
    return found if found.rows else whole


def _similarity(run: StudyRun) -> Table:
    from hesperus.reports.measured.similarity_named import similarity_summary

    return similarity_summary(_measured(run, "designs"), _measured(run, "tests"))


def _open_answers(run: StudyRun, name: str) -> Table:
    from hesperus.reports.open_answers import run_table

    return run_table(run.folder, name, run.run.study)


def _open_summary(run: StudyRun) -> Table:
    from hesperus.reports.open_answers import run_summary

    return run_summary(run.folder, run.run.study)


def _tax(run: StudyRun, name: str) -> Table:
    from hesperus.api.tax_tables import run_table

    return run_table(run.folder, name)


def _tax_summary(run: StudyRun) -> Table:
    from hesperus.api.tax_tables import run_summary

    return run_summary(run.folder)


STUDIES: Mapping[str, StudyKind] = {
    kind.name: kind
    for kind in (
        StudyKind(
            "multisense",
            "hesperus.studies.multisense",
            ("consistency", "accuracy", "agreement", "decomposition", "directions", "labels", "outcomes", "together", "validity"),
            _measured,
            _consistency,
        ),
        StudyKind(
            "similarity",
            "hesperus.studies.similarity",
            ("designs", "similarity", "tests", "relations", "together", "scoring"),
            _measured,
            _similarity,
        ),
        StudyKind(
            "translate_then_evaluate",
            "hesperus.studies.translate_then_evaluate",
            ("scores", "groups", "counts", "prompts", "readability"),
            _open_answers,
            _open_summary,
        ),
        StudyKind(
            "translation_tax",
            "hesperus.studies.translation_tax",
            ("e1", "e3", "e4", "validity", "bounds", "checklist"),
            _tax,
            _tax_summary,
        ),
    )
}  # fmt: skip
"""Every study by its name; a study joins by one entry."""
