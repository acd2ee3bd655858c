"""How a study file is read: where its paths start, and what is passed on of it.

A run folder is passed on, so its files hold a fingerprint in place of an address that is no provider's own. The address
itself is kept in `endpoints.json` besides the run folder, as the reply store is, where a later run of that folder finds it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import orjson

from hesperus.errors import DataError, UsageError
from hesperus.fingerprint import fingerprint
from hesperus.models import PROVIDERS
from hesperus.models.providers import is_loopback
from hesperus.text_files import read_json
from hesperus.types import Failure, Reply

if TYPE_CHECKING:
    from hesperus.strict_yaml import Document

ENDPOINTS_FILE = "endpoints.json"
_MASK = "address-"


def masked(address: str) -> str:
    """A fingerprint, by which two runs at the same endpoint can be known as such; a provider's own address stays."""
    public = {provider.base_url for provider in PROVIDERS.values()}
    if address.startswith(_MASK) or (address in public and not is_loopback(address)):
        return address
    return f"{_MASK}{fingerprint(address)[:12]}"


def with_masked_endpoint(values: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a study without the address of its endpoint."""
    address = values.get("base_url")
    return {**values, "base_url": masked(address)} if isinstance(address, str) else dict(values)


def without_endpoint(reply: Reply | Failure, address: str | None) -> Reply | Failure:
    """A failure as the records tell it: they are passed on, so it names the model and not the host."""
    if not isinstance(reply, Failure) or address is None or masked(address) == address:
        return reply
    host = urlsplit(address).netloc
    return replace(reply, message=reply.message.replace(f" at {host}", "").replace(host, "the endpoint"))


def keep_endpoint(address: str | None, folder: Path) -> None:
    """Keep an address that a run folder does not hold, next to that folder.

    Raises:
        DataError: The file that is there already cannot be read.
        UsageError: The file cannot be written.
    """
    if address is None or masked(address) == address:
        return
    path = folder.absolute().parent / ENDPOINTS_FILE
    known = _known(path)
    if known.get(masked(address)) != address:
        from hesperus.records.files import write_content

        write_content(path, orjson.dumps({**known, masked(address): address}, option=orjson.OPT_INDENT_2))


def with_known_endpoint(values: Mapping[str, Any], file: Path) -> dict[str, Any]:
    """The keys of a study with its address put back, where `endpoints.json` besides the run folder has it.

    Args:
        values: Keys as in the file, not yet validated.
        file: The `study.yaml` of a run folder, or any study file.

    Raises:
        DataError: `endpoints.json` cannot be read.
    """
    address = values.get("base_url")
    if not (isinstance(address, str) and address.startswith(_MASK)):
        return dict(values)
    return {**values, "base_url": _known(file.absolute().parents[1] / ENDPOINTS_FILE).get(address, address)}


def check_known(address: str | None) -> None:
    """Refuse to ask an endpoint of which only the fingerprint is known.

    Raises:
        UsageError: The address is a fingerprint.
    """
    if address is not None and address.startswith(_MASK):
        raise UsageError(
            f"the run folder does not tell its endpoint ({address}), as it may have been passed on, and no "
            f"{ENDPOINTS_FILE} beside it does: give --base-url"
        )


def _known(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    found = read_json(path, "addresses of endpoints")
    if not (isinstance(found, dict) and all(isinstance(one, str) for one in found.values())):
        raise DataError("expected fingerprints with their addresses", file=path)
    return found


def read_study_file(path: Path) -> tuple[dict[str, Any], Document]:
    """The keys of a study file, not yet validated, and where they are; that of a run has its endpoint put back.

    Raises:
        UsageError: No such file.
        DataError: No valid YAML, or no mapping.
    """
    from hesperus.strict_yaml import read_yaml_file

    document = read_yaml_file(path, "study")
    if not isinstance(document.value, dict):
        raise DataError("a study is a mapping of keys, such as `task: paws-x`", file=path)
    return with_known_endpoint(document.value, path), document


_FILES = ("data", "records", "exclude", "prices", "plugins")
_LISTS = ("records", "plugins")
_NAMES_OR_FILES = ("task", "grouping")
"""Keys that hold a name, or a file whose name ends in one of _ENDINGS."""
_ENDINGS = (".yaml", ".yml")
_PARTS = ("native",)
"""Parts of a study file that name files of their own."""


def home_of(values: Mapping[str, Any], file: Path) -> Path | None:
    """The folder from which the files that a study names are found, where that is not the working directory.

    A run folder lies below the folder from which its study was run, and a study that somebody wrote lies next to its
    files: the nearest folder at or above the study file that has everything it names is taken.

    Args:
        values: Keys as in the file, not yet validated.
        file: The study file.

    Returns:
        None if everything is found from the working directory, or some file is found nowhere.
    """
    named = [path for path in _named(values) if not Path(path).is_absolute()]
    if all(_is_there(Path(), path) for path in named):
        return None
    # The path as it was given: a linked run folder belongs where its link lies.
    for folder in Path(os.path.abspath(file)).parents:  # noqa: PTH100
        if all(_is_there(folder, path) for path in named):
            return folder
    return None


def with_relative_files(values: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The keys of a study as they are kept in its run folder, which is passed on: no file by its absolute path.

    Where some file is named by an absolute path, all files are named from the run folder, where `home_of` looks first.

    Args:
        values: Keys of a validated study, as plain values.
        folder: The run folder.
    """
    if not any(Path(path).is_absolute() for path in _named(values)):
        return dict(values)
    return _placed(values, lambda path: Path(os.path.relpath(path, folder)).as_posix())


def with_found_files(values: Mapping[str, Any], file: Path) -> dict[str, Any]:
    """The keys of a study file that name files, which are found from the working directory."""
    home = home_of(values, file)
    return (
        dict(values)
        if home is None
        else _placed(values, lambda path: os.path.normpath(home.absolute() / path))
    )


def _placed(values: Mapping[str, Any], place: Callable[[str], str]) -> dict[str, Any]:
    def placed(key: str, value: Any) -> Any:
        is_file = key in _FILES or (key in _NAMES_OR_FILES and str(value).endswith(_ENDINGS))
        return place(value) if is_file and isinstance(value, str) and value else value

    kept: dict[str, Any] = {}
    for key, value in values.items():
        if key in _PARTS and isinstance(value, Mapping):
            kept[key] = _placed(value, place)
        elif key in _LISTS and isinstance(value, list | tuple):
            kept[key] = [placed(key, one) for one in value]
        else:
            kept[key] = placed(key, value)
    return kept


def _named(values: Mapping[str, Any]) -> list[str]:
    """Every file that a study names."""
    found: list[str] = []

    def note(path: str) -> str:
        found.append(path)
        return path

    _placed(values, note)
    return found


def _is_there(folder: Path, path: str) -> bool:
    """Whether a file or folder is there; of a pattern with {language}, the folder before the language."""
    before, language, _ = path.partition("{language}")
    place = folder / (before.rpartition("/")[0] if language else path)
    try:
        return place.exists()
    except (OSError, ValueError):
        return False
