"""What others offer besides what is built in, found by the name they bring: by a file that is named, or by entry point.

A file is Python and has a mapping ``HESPERUS`` of kind to name to what is offered::

    HESPERUS = {"senses": {"shout": SenseMaker("shout", None, lambda text, original: text.upper())}}

A file ending in .yaml is a language pack (docs/languages.md), offered by its file's name. A package offers the same things by entry points, one a name, of the groups ``hesperus.KIND``. The kinds are in KINDS.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING, TypeVar, cast

from hesperus.errors import DataError, UnknownNameError, UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Maker = TypeVar("Maker")

KINDS: Mapping[str, str] = {
    "evaluators": "a function without arguments that makes a hesperus.evaluators.PropertyEvaluator",
    "importers": "a hesperus.records.importers.Importer, or its function (source, settings) alone",
    "languages": "the path of a language pack; its name is the tag",
    "measures": "a hesperus.analysis.measure.Measure: a function (records, settings) under the decorator `measure`",
    "models": "a function (name, options) that makes a model; its name is the prefix of model names",
    "pages": "a function (inputs), a hesperus.reports.study_pages.MakePage, that makes the page of a study; its name is the study's",
    "senses": "a hesperus.senses.SenseMaker; its name is the variant of sense codes",
    "studies": "a class of fields, a hesperus.studies.asked.declaring.Declared",
    "tasks": "the path of a task file",
    "translators": "a function (name, options) that makes a translator; its name is the prefix of translators",
}
"""Kind of plug-in to what is offered."""

_IS: Mapping[str, Callable[[object], bool]] = {
    **dict.fromkeys(("evaluators", "measures", "models", "pages", "translators"), callable),
    **dict.fromkeys(
        ("languages", "tasks"), lambda thing: isinstance(thing, str) or hasattr(thing, "joinpath")
    ),
    "importers": lambda thing: callable(thing) or hasattr(thing, "reader"),
    "senses": lambda thing: hasattr(thing, "read"),
    "studies": lambda thing: hasattr(thing, "stages_in"),
}
"""Kind of plug-in to whether something can be one; what it does is seen when it is used."""

_OFFERS = "HESPERUS"
_PREFIX = "hesperus."
_SECTION = b"[hesperus."
"""How a group of ours begins in a file of entry points."""
_PACKS = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class _Offer:
    """Something that a file offers."""

    thing: object
    file: Path


_offered: dict[tuple[str, str], list[_Offer]] = {}
_loaded: set[Path] = set()


def load_file(path: Path | str) -> bool:
    """Run a plug-in file, and take what it offers, or take a language pack; a file that was loaded is passed over.

    Returns:
        Whether it was run or taken.

    Raises:
        UsageError: There is no such file, or it fails.
        UnknownNameError: It offers a kind that does not exist.
        DataError: It has no mapping of what it offers.
    """
    file = Path(path).absolute()
    if file in _loaded:
        return False
    if not file.is_file():
        raise UsageError(f"{path}: no such plug-in file")
    if file.suffix in _PACKS:
        _offered.setdefault((_PREFIX + "languages", file.stem), []).append(_Offer(file, file))
        _loaded.add(file)
        return True
    name = f"hesperus_plugin_{file.stem}_{len(_loaded)}"
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise UsageError(
            f"{path}: a plug-in is a Python file, ending in .py, or a language pack, ending in .yaml"
        )
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise UsageError(
            f"the plug-in file {path}{_line_of(error, file)} cannot be loaded: {_said(error)}"
        ) from error
    offers = getattr(module, _OFFERS, None)
    if not isinstance(offers, Mapping) or not all(isinstance(many, Mapping) for many in offers.values()):
        raise DataError(f"a plug-in file has {_OFFERS} = {{KIND: {{NAME: …}}}}", file=path)
    for kind, many in offers.items():
        if kind not in KINDS:
            raise UnknownNameError(f"kind of plug-in in {path}", str(kind), KINDS)
        for offered, thing in many.items():
            _offered.setdefault((_PREFIX + kind, str(offered)), []).append(_Offer(thing, file))
    _loaded.add(file)
    return True


def fault_of_file(error: BaseException) -> str | None:
    """What is said of an exception that the code of a plug-in file raised; None of any other."""
    calls = [one for one in extract_tb(error.__traceback__) if Path(one.filename) in _loaded]
    return (
        f"the plug-in file {calls[-1].filename}, line {calls[-1].lineno}: {_said(error)}" if calls else None
    )


def loaded() -> tuple[str, ...]:
    """Paths of the files that were loaded, sorted."""
    return tuple(sorted(map(str, _loaded)))


def names(group: str, built_in: Mapping[str, object]) -> tuple[str, ...]:
    """Names that there is something for, sorted.

    Args:
        group: Entry-point group, such as ``hesperus.models``.
        built_in: Name to what is built in.
    """
    files = (name for kind, name in _offered if kind == group)
    return tuple(sorted({*built_in, *files, *(point.name for point in _points(group, _folders()))}))


def maker(group: str, name: str, built_in: Mapping[str, Maker]) -> Maker | None:
    """What bears that name; None if nothing does.

    Raises:
        UsageError: Two plug-ins have the name, a file takes one that is built in, or a plug-in does not import or is of
            another kind.
    """
    offers = _offered.get((group, name), [])
    points = [] if name in built_in else [one for one in _points(group, _folders()) if one.name == name]
    places = [*(str(offer.file) for offer in offers), *dict.fromkeys(map(_place, points))]
    if name in built_in:
        places.insert(0, "hesperus itself")
    if len(places) > 1:
        raise UsageError(
            f"the name {name!r} of {group.removeprefix(_PREFIX)} is offered by {' and by '.join(places)}; rename one, or "
            "leave one out"
        )
    if name in built_in:
        return built_in[name]
    if not places:
        return None
    thing, kind = offers[0].thing if offers else _imported(points[0], group), group.removeprefix(_PREFIX)
    if kind in _IS and not _IS[kind](thing):
        raise UsageError(
            f"{kind}: {name!r} of {places[0]} is of the type {type(thing).__name__}; a plug-in offers {KINDS[kind]}"
        )
    return cast(Maker, thing)


@cache
def _points(group: str, folders: tuple[tuple[str, int], ...]) -> Sequence[EntryPoint]:
    """The entry points of a group; they are looked up where a package has some of ours: that takes longer than many a measure."""
    if not any(_offers(Path(place), changed) for place, changed in folders):
        return ()
    from importlib.metadata import entry_points

    return tuple(entry_points(group=group))


@cache
def _offers(folder: Path, changed: int) -> bool:
    """Whether a package in a folder has entry points of ours, by the text of the files that declare them; an archive may have some.

    `changed`: when the folder was last changed.
    """
    if not folder.is_dir():
        return True
    for about in folder.iterdir():
        if about.name.lower().endswith("-info"):
            with suppress(OSError):
                if _SECTION in (about / "entry_points.txt").read_bytes():
                    return True
    return False


def _folders() -> tuple[tuple[str, int], ...]:
    """Folders and archives of packages, and when each was changed: what is installed meanwhile is found."""
    places = (Path(place or ".") for place in sys.path)
    return tuple((str(place), place.stat().st_mtime_ns) for place in places if place.exists())


def _imported(point: EntryPoint, group: str) -> object:
    try:
        return point.load()
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"{group.removeprefix(_PREFIX)}: the plug-in {point.name!r} of {_place(point)} cannot be loaded: {_said(error)}"
        ) from error


def _place(point: EntryPoint) -> str:
    package = f"the package {point.dist.name}" if point.dist is not None else "a package"
    return f"{package} ({point.value})"


def _line_of(error: BaseException, file: Path) -> str:
    """The line of a file that failed, for messages; empty where it is not known."""
    lines = [one.lineno for one in extract_tb(error.__traceback__) if one.filename == str(file)]
    line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
    return "" if line is None else f", line {line},"


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {(str(error).splitlines() or ['no message'])[0][:200]}"
