"""A study that several processes or machines ask: where each keeps its replies, and what it says of itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from hesperus.asking import ReplyStore
from hesperus.asking.shards import Shard, ShardNote, ShardResult
from hesperus.errors import StoreError, UsageError
from hesperus.records import SCHEMA, Run
from hesperus.studies.asked.keeping import StudyRun, decided, default_store

REPLIES, TRANSLATIONS = "replies.sqlite", "translations.sqlite"


@dataclass(frozen=True, slots=True)
class Stores:
    """Where a run keeps what it pays for. A shard but the common one writes a store of its own and reads the main one.

    Attributes:
        main: The main reply store.
        folder: Run folder of the whole study.
        note: Which shard of which study this is, or None if one process asks all.
    """

    main: Path
    folder: Path
    note: ShardNote | None = None

    @property
    def replies(self) -> Path:
        """The reply store that is written."""
        if self.note is None or self.note.shard.is_common:
            return self.main
        shard = self.note.shard
        return self.shards / f"{shard.number}-of-{shard.count}" / REPLIES

    @property
    def translations(self) -> Path:
        """The store of translations that is written."""
        return self.replies.with_name(TRANSLATIONS)

    @property
    def base(self) -> Path | None:
        """The main reply store where a shard reads it."""
        return self._below(self.main)

    @property
    def base_translations(self) -> Path | None:
        """The main store of translations where a shard reads it."""
        return self._below(self.main.with_name(TRANSLATIONS))

    @property
    def shards(self) -> Path:
        """Folder of the stores of all shards."""
        return self.folder.with_name(f"{self.folder.name}.shards")

    @property
    def is_shard(self) -> bool:
        """Whether only a part of the study is asked."""
        return self.note is not None

    @property
    def is_common(self) -> bool:
        """Whether only what all shards need is asked."""
        return self.note is not None and self.note.shard.is_common

    def _below(self, path: Path) -> Path | None:
        return path if self.replies != self.main and path.is_file() else None

    def begin(self, store: ReplyStore, *, makes: bool) -> None:
        """Write into a shard's store which shard it is of, before anything is asked.

        Args:
            store: The open store.
            makes: Whether the study makes texts anew, some of which several shards need.

        Raises:
            StoreError: The store is of another shard.
            UsageError: What the shards have in common was not asked yet.
        """
        note = self.note
        if note is None:
            return
        notes = store.notes()
        kept = [one for one in map(ShardNote.from_json, notes.values()) if one is not None]
        if not note.shard.is_common:
            other = next((one for one in kept if not one.shard.is_common and one.key != note.key), None)
            if other is not None:
                raise StoreError(
                    f"{self.replies} holds shard {other.shard} of another study, or of this one declared otherwise; give "
                    "--out another folder"
                )
            common = ShardNote(note.study, note.name, Shard(0, note.shard.count))
            if makes and not any(one.key == common.key and one.is_finished for one in kept):
                raise UsageError(
                    f"shard {note.shard} needs what all shards have in common, and {self.main} does not have it: run this once "
                    f"with --shard {common.shard} first, and have its store here (--store)"
                )
        store.note(note.key, note.to_json())

    def ended(self, store: ReplyStore, failed: int, faults: Sequence[str]) -> StudyRun:
        """Write into the store that the shard is asked to its end.

        Args:
            store: The open store.
            failed: Requests that got no reply; the common shard is finished once it has every one.
            faults: What could not be asked, each as one line for people.
        """
        assert self.note is not None
        done = self.note.finished(failed)
        if done.shard.is_common and failed:
            done = replace(done, is_finished=False)
        store.note(done.key, done.to_json())
        run = Run(pl.DataFrame(schema=SCHEMA), None, {}, {})
        unsaid = (f"{failed:,} requests got no reply",) if failed and not faults else ()
        return StudyRun(
            run, self.folder, (*faults, *unsaid), shard=ShardResult(done, self.replies, self.shards)
        )


def stores_of(study: Any, folder: Path, store: Path | None) -> Stores:
    """Where the replies of a study go.

    Args:
        study: The study; `shard` says which part is asked.
        folder: Run folder of the whole study.
        store: The main reply store; `replies.sqlite` next to the folder where None.
    """
    note = None if study.shard is None else ShardNote(decided(study), folder.name, Shard.parse(study.shard))
    return Stores(store or default_store(folder), folder, note)
