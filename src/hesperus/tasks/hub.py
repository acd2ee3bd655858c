"""Data sets of the Hugging Face hub, or of its cache on this machine, through the hub's own libraries.

Their switches hold here: ``HF_HOME`` says where the cache is, ``HF_HUB_OFFLINE=1`` and ``HF_DATASETS_OFFLINE=1`` keep
them from the network.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from hesperus.errors import DataError, MissingExtraError, first_line
from hesperus.tasks.configurations import with_configuration
from hesperus.tasks.readers import read_rows
from hesperus.tasks.rows import Rows, joined
from hesperus.tasks.task_parts import Source


def read_hub(source: Source, code: str) -> Rows:
    """Read one language of a hub data set at its pinned revision.

    Args:
        source: Data set, revision, and configuration and split, or file; ``{language}`` represents the code.
        code: The benchmark's own code of the language.

    Raises:
        MissingExtraError: The libraries are not installed.
        DataError: The hub (or, offline, the cache) does not have it.
    """
    assert source.hub is not None
    if source.files is not None:
        return read_rows(_file(source, source.files.replace("{language}", code)), source)
    if source.is_configured:
        return joined(
            [with_configuration(_data_set(source, code, name), source, name) for name in source.config]
        )
    return _data_set(source, code, next(iter(source.config), None))


def _data_set(source: Source, code: str, name: str | None) -> Rows:
    try:
        datasets = import_module("datasets")
    except ImportError:
        raise MissingExtraError(
            "datasets", "datasets", f"reading {source.hub} from the Hugging Face hub"
        ) from None
    config = name.replace("{language}", code) if name else None
    split = source.split.replace("{language}", code) if source.split else None
    place = ", ".join(part for part in (source.hub, config, split) if part)
    try:
        found = datasets.load_dataset(source.hub, config, split=split, revision=source.revision)
    except (OSError, ValueError) as error:
        raise _absent(place, error) from None
    if isinstance(found, dict):
        raise DataError(f"has the splits {', '.join(map(str, found))}; the task must name one", file=place)
    return Rows(place, found.with_format(None)[:])


def _file(source: Source, name: str) -> Path:
    try:
        hub = import_module("huggingface_hub")
    except ImportError:
        raise MissingExtraError("huggingface_hub", "datasets", f"reading {source.hub} from the hub") from None
    assert source.hub is not None
    try:
        return Path(hub.hf_hub_download(source.hub, name, repo_type="dataset", revision=source.revision))
    except (OSError, ValueError) as error:
        raise _absent(f"{source.hub}, {name}", error) from None


def _absent(place: str, error: Exception) -> DataError:
    return DataError(
        f"the hub could not give it: {first_line(error)}. Without a network, put the files into a folder and name it "
        "(--data FOLDER), or bring the cache of another machine (HF_HOME) and set HF_HUB_OFFLINE=1",
        file=place,
    )
