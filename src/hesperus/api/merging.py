"""A study that several machines ask, by shards or by files of requests: what they asked, in one store."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hesperus.asking.keyed_store import KeyedStore
from hesperus.asking.merging import Merged
from hesperus.asking.shards import ShardNote
from hesperus.asking.sources import StoreKind, kind_of
from hesperus.asking.store import REPLIES, ReplyStore
from hesperus.errors import UsageError
from hesperus.records.files import write_content
from hesperus.studies.evaluating.translation_store import TRANSLATIONS, TranslationStore

if TYPE_CHECKING:
    from hesperus.api.declared import DeclaredStudy
    from hesperus.api.results import RunResult


_FILES = ("replies.sqlite", "translations.sqlite")
"""Stores of a folder, by name."""

SHARDS = ".shards"
"""Ending of the folder that holds the stores of all shards of a run folder."""


@dataclass(frozen=True, slots=True)
class MergeResult:
    """What a merge did.

    Attributes:
        store: The reply store that holds everything now; translations are in `translations.sqlite` next to it.
        merged: What became of each store.
        shards: What the stores say of themselves, where they are of shards.
        missing: Numbers of the shards that were not given.
        conflicts: File with the replies that were kept aside, or None if absent.
    """

    store: Path
    merged: tuple[Merged, ...]
    shards: tuple[ShardNote, ...] = ()
    missing: tuple[int, ...] = ()
    conflicts: Path | None = None

    @property
    def is_whole(self) -> bool:
        """Whether every shard is there and finished, and no two stores say different things."""
        unfinished = any(not note.is_finished for note in self.shards)
        return not (self.missing or unfinished or any(one.conflicts or one.damaged for one in self.merged))

    def notes(self) -> Iterator[str]:
        """What to know next to the count of each store, each as one line for people."""
        for note in self.shards:
            if not note.is_finished:
                yield (
                    f"shard {note.shard} is not finished: run it again and merge again, or let the next run ask what is left"
                )
            elif note.failed:
                yield f"shard {note.shard}: {note.failed:,} questions got no reply; the next run asks them again"
        count = self.shards[0].shard.count if self.shards else 0
        for number in self.missing:
            yield f"shard {number}/{count} is missing: merge it too, or let the next run ask its items"
        for shard, times in Counter(str(note.shard) for note in self.shards).items():
            if times > 1:
                yield f"shard {shard} comes {times} times; each reply is taken once"
        if self.conflicts is not None:
            yield f"replies in conflict: the first is kept, the others are in {self.conflicts}"

    def __repr__(self) -> str:
        return "\n".join([*map(str, self.merged), *self.notes(), f"merged into {self.store}"])


def merge(
    places: Sequence[Path | str] | Path | str,
    *,
    into: Path | str | None = None,
    progress: Callable[[Merged], None] | None = None,
) -> MergeResult:
    """Take the replies and translations of several stores into one; a second call with the same changes nothing.

    Where two stores hold different replies to one request, the first is kept (what `into` holds, then the places in their
    order), and the others are kept aside in `NAME.conflicts.jsonl` next to the store. The places are only read.

    Args:
        places: The .shards folder next to a run folder, folders of single shards, or reply stores.
        into: Reply store that takes them in (default: replies.sqlite next to the run folder).
        progress: Called with what became of each store, as soon as it is taken in.

    Raises:
        UsageError: A place holds no store, shards of different studies, or no `into` can be guessed.
        StoreError: A store cannot be read, or is of another version or program; before anything is taken in.
    """
    given = [Path(place) for place in ([places] if isinstance(places, str | Path) else places)]
    stores = list(dict.fromkeys(store for place in given for store in _stores_in(place)))
    target = Path(into) if into is not None else _usual_target(stores)
    kinds = {store: kind_of(store, (REPLIES, TRANSLATIONS)) for store in stores}
    beside = {REPLIES: target, TRANSLATIONS: target.with_name(_FILES[1])}
    for store in stores:
        if any(path.exists() and path.samefile(store) for path in beside.values()):
            raise UsageError(f"{store} is what is merged into; give only the others")
    notes = _shards_of(kinds)
    with ExitStack() as open_stores:
        opened: dict[StoreKind, ReplyStore | TranslationStore] = {
            REPLIES: open_stores.enter_context(ReplyStore(target))
        }
        if TRANSLATIONS in kinds.values() or beside[TRANSLATIONS].exists():
            opened[TRANSLATIONS] = open_stores.enter_context(TranslationStore(beside[TRANSLATIONS]))
        merged = []
        for store, kind in kinds.items():
            merged.append(opened[kind].merge(store))
            if progress is not None:
                progress(merged[-1])
        aside = _written(tuple(opened.values()), target)
    return MergeResult(target, tuple(merged), tuple(notes.values()), _missing(tuple(notes.values())), aside)


def _stores_in(place: Path) -> list[Path]:
    if place.is_file():
        return [place]
    if not place.is_dir():
        raise UsageError(f"{place}: no such store or folder")
    folders = [place, *sorted((one for one in place.iterdir() if one.is_dir()), key=_by_number)]
    found = [folder / name for folder in folders for name in _FILES if (folder / name).is_file()]
    if not found:
        raise UsageError(f"{place} holds neither {' nor '.join(_FILES)}, nor folders that do")
    return found


def _by_number(folder: Path) -> tuple[int, str]:
    first = folder.name.partition("-")[0]
    return (int(first) if first.isdecimal() else 0, folder.name)


def _usual_target(stores: Sequence[Path]) -> Path:
    """The store from which a run folder next to its shards is made."""
    homes = {store.absolute().parent.parent for store in stores}
    if len(homes) == 1 and (home := homes.pop()).name.endswith(SHARDS):
        given = stores[0].parent.parent  # as the user wrote it, if it names the folder
        return (given if given.name == home.name else home).parent / _FILES[0]
    raise UsageError("name the store that takes them in, such as --into runs/replies.sqlite")


def _shards_of(kinds: dict[Path, StoreKind]) -> dict[Path, ShardNote]:
    """What each store says of the shard that it is of; every store is opened, so that what cannot be read is found first."""
    found: dict[Path, ShardNote] = {}
    for store, kind in kinds.items():
        with KeyedStore(kind, store, is_source=True) as source:
            notes = map(ShardNote.from_json, source.notes().values())
        note = next((note for note in notes if note is not None and not note.shard.is_common), None)
        if note is None:
            continue
        for path, other in found.items():
            if (note.study, note.shard.count) != (other.study, other.shard.count):
                raise UsageError(
                    f"{store} is shard {note.shard} of {note.name}, {path} is shard {other.shard} of {other.name}: "
                    + (
                        "split differently"
                        if note.study == other.study
                        else "another study, or the same one declared otherwise"
                    )
                    + "; merge them apart, and with --into. Nothing was merged"
                )
        found[store] = note
    return found


def _missing(notes: Sequence[ShardNote]) -> tuple[int, ...]:
    there = {note.shard.number for note in notes}
    return tuple(set(range(1, notes[0].shard.count + 1)) - there) if notes else ()


def _written(stores: Sequence[ReplyStore | TranslationStore], target: Path) -> Path | None:
    """The file of what was kept aside in all merges, or None if nothing was."""
    path = target.with_name(f"{target.stem}.conflicts.jsonl")
    lines = [json.dumps(one, ensure_ascii=False) for store in stores for one in store.conflicts()]
    if not lines:
        return None
    write_content(path, "\n".join([*lines, ""]))
    return path


def run_by_files(declared: DeclaredStudy, *, out: Path | None = None, store: Path | None = None) -> RunResult:
    """Run a study with the replies that were taken in.

    Raises:
        PendingError: Some are missing: their requests are written, and the message names the files.
    """
    from hesperus.api.results import run_declared

    by_files = declared.study.model_copy(update={"batch": "export"})
    return run_declared(replace(declared, study=by_files), out=out, store=store, progress=False)


def take_replies(
    declared: DeclaredStudy, files: Iterable[Path], *, out: Path | None = None, store: Path | None = None
) -> Path:
    """Copy files of replies to where the next run of a study reads them. Gives the folder."""
    from hesperus.asking.batch_files import batches_folder
    from hesperus.studies.asked.keeping import default_store

    given = list(files)
    for path in given:
        if not path.is_file():
            raise UsageError(f"{path}: no such file of replies")
    place = batches_folder(store or default_store(out or declared.folder())) / "replies"
    place.mkdir(parents=True, exist_ok=True)
    held = len(list(place.glob("*.jsonl")))
    for number, path in enumerate(given, start=held + 1):
        shutil.copyfile(path, place / f"{number:04}-{path.stem}.jsonl")
    return place
