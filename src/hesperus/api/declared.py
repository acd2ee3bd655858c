"""A study as it was declared: by a file, a run folder, a name or a mapping, with settings laid over it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, chdir, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hesperus.api.studies import study_declaration, study_names, unknown_study
from hesperus.errors import DataError, HesperusWarning, UsageError
from hesperus.plugins import load_file

if TYPE_CHECKING:
    from hesperus.strict_yaml import Document
    from hesperus.studies.asked.declaring import Declared
    from hesperus.studies.asked.keeping import StudyRun
    from hesperus.studies.asked.planning import Plan
    from hesperus.studies.asked.session import ProgressCallback

Study = str | Path | Mapping[str, Any]
"""Name of a study, path of a study file or run folder, or the keys of a study file."""


@dataclass(frozen=True, slots=True)
class DeclaredStudy:
    """A study that was asked for.

    Attributes:
        study: Its validated declaration.
        file: The study file, or None if absent.
        home: Folder in which the relative paths of that file start, or None if that is the working directory.
        is_changed: Whether settings were laid over what the file says.
    """

    study: Declared
    file: Path | None = None
    home: Path | None = None
    is_changed: bool = False

    def plan(self, store: Path | None = None) -> Plan:
        """As hesperus.studies.asked.stages.plan_study, where the study's files are; a path given is one from here."""
        from hesperus.studies.asked.stages import plan_study

        kept = None if store is None else store.absolute()
        with _in(self.home):
            return plan_study(self.study, store=kept)

    def run(
        self, folder: Path, *, store: Path | None, progress: ProgressCallback | None, **more: Any
    ) -> StudyRun:
        """As hesperus.studies.asked.stages.run_study, where the study's files are; a path given is one from here."""
        from hesperus.studies.asked.stages import run_study

        place = folder if self.home is None else folder.absolute()
        kept = None if store is None else store.absolute()
        with _in(self.home):
            return run_study(self.study, place, store=kept, progress=progress, **more)

    @property
    def is_finished(self) -> bool:
        """Whether the study is that of a whole run folder, with nothing changed."""
        return self.file is not None and not self.is_changed and _is_whole(self.file.parent)

    def folder(self) -> Path:
        """The run folder: that of the study that is run again as it was, wherever that lies, or one under runs/."""
        from hesperus.studies.asked.stages import default_folder

        usual = default_folder(self.study)
        if self.file is None:
            return usual
        own = self.file.parent
        is_same = own.absolute().name == usual.name or (_is_whole(own) and not self.is_changed)
        return own if is_same else usual


def declared_study(study: Study, settings: Mapping[str, Any]) -> DeclaredStudy:
    """Read a study, lay settings over it, and validate it.

    A key of a part is written with a dot, as in `sample.n`, or as its flag is called, as in `limit`; one value is
    enough where a setting takes several.
    """
    values, found = _keys_of(study)
    file, document = (None, None) if found is None else found
    home = None if file is None else _home(values, settings, file)
    _load_plugins(
        {**values, **settings}.get("plugins"), home, named_by=None if "plugins" in settings else file
    )
    kind = study_declaration(str({**values, **settings}.get("study", "multisense")))
    given = _by_key(kind, settings)
    for path, value in given.items():
        _lay(values, path.split("."), _from_here(value, home))

    def lines(key: str) -> int | None:
        return None if document is None else document.line(key)

    try:
        with _in(home):
            declared = kind.from_mapping(values, file=file, lines=lines)
    except DataError as wrong:
        if file is None or wrong.file is not file or given_key(wrong, given) is None:
            raise
        # The file says nothing wrong: what was laid over it does.
        raise DataError(wrong.problem, field=wrong.field) from None
    return DeclaredStudy(declared, file, home, is_changed=bool(settings))


def given_key(wrong: DataError, given: Iterable[str]) -> str | None:
    """The key that was given of a value that is wrong, or of one that holds it; None if it was not given."""
    return next((key for key in given if f"{wrong.field}.".startswith(f"{key}.")), None)


def _by_key(kind: type[Declared], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings by the keys of a study file: `limit` is the flag of `sample.n`."""
    from hesperus.studies.asked.settings import settings_of

    known = settings_of(kind)
    flags = {one.flag.replace("-", "_"): one.key for one in known}
    several = {one.key for one in known if one.is_many}
    found: dict[str, Any] = {}
    for name, value in settings.items():
        key = name if name.partition(".")[0] in kind.model_fields else flags.get(name, name)
        if key in found:
            raise UsageError(f"{key} is given twice, also as {name}")
        found[key] = [value] if key in several and isinstance(value, str) else value
    return found


def kind_of(study: Study) -> type[Declared]:
    """Which study it is, before it is validated."""
    values, found = _keys_of(study)
    name = str(values.get("study", "multisense"))
    if found is not None and name not in study_names():
        _load_plugins(values.get("plugins"), _home(values, {}, found[0]), named_by=found[0])
    return study_declaration(name)


def _load_plugins(files: object, home: Path | None, *, named_by: Path | None) -> None:
    """Run the plug-in files that a study names, from the folder of its files; a person is told of those of a file."""
    for path in [files] if isinstance(files, str) else files if isinstance(files, list | tuple) else ():
        with _in(home):
            if load_file(str(path)) and named_by is not None:
                warnings.warn(
                    f"{named_by} names the plug-in {path}, which is run", HesperusWarning, stacklevel=2
                )


def _keys_of(study: Study) -> tuple[dict[str, Any], tuple[Path, Document] | None]:
    """The keys of a study, not yet validated, and the file that they are in."""
    if isinstance(study, Mapping):
        return dict(study), None
    if str(study) in study_names():
        return {"study": str(study)}, None
    from hesperus.studies.asked.study_files import read_study_file

    path = Path(study)
    inside = path / "study.yaml"
    if inside.is_file() or path.is_file():
        file = inside if inside.is_file() else path
        values, document = read_study_file(file)
        return values, (file, document)
    if path.suffix in (".yaml", ".yml"):
        raise UsageError(f"{path}: no such study file")
    raise unknown_study(str(path))


def _home(values: Mapping[str, Any], settings: Mapping[str, Any], file: Path) -> Path | None:
    """Where the paths in a study file start; those that settings replace need not be there."""
    from hesperus.studies.asked.study_files import home_of

    return home_of({key: value for key, value in values.items() if key not in settings}, file)


def _lay(values: dict[str, Any], path: list[str], value: Any) -> None:
    """Put a setting where the study file has its key; a size of a sample takes the place of another size."""
    place = values
    for step in path[:-1]:
        held = place.get(step)
        place[step] = dict(held) if isinstance(held, dict) else {}
        place = place[step]
    for other in _IN_PLACE_OF.get(".".join(path[-2:]), ()):
        place.pop(other, None)
    place[path[-1]] = str(value) if isinstance(value, Path) else value


_IN_PLACE_OF = {"sample.n": ("by", "per_group"), "sample.per_group": ("n",)}


def _from_here(value: Any, home: Path | None) -> Any:
    """A file that a setting names from the working directory, where the study's own files start elsewhere."""
    if home is None:
        return value
    if isinstance(value, list | tuple):
        return [_from_here(one, home) for one in value]
    is_file = isinstance(value, Path) or (isinstance(value, str) and Path(value).exists())
    return str(Path(value).absolute()) if is_file else value


def _is_whole(folder: Path) -> bool:
    from hesperus.records.runs import SIGNATURE_FILE

    return (folder / SIGNATURE_FILE).is_file()


def _in(folder: Path | None) -> AbstractContextManager[None]:
    return nullcontext() if folder is None else chdir(folder)
