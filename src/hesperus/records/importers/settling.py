"""Languages that no log tells alone: by the names of the logs next to it, by the text of its items; and those of replies.

A code in a name is no evidence by itself, since subjects, splits and metrics look like codes (``lsat_ar``, ``polemo2_in``).
It counts where the names of several logs of one model differ in nothing but registered codes and the logs share their
items, or where the text of the items bears it out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from hesperus.languages import language
from hesperus.languages.letters import script_of, scripts_for
from hesperus.records.importers.import_settings import Basis, LeftOut, Log
from hesperus.records.importers.log_names import cut_out, parts_of, slots
from hesperus.records.importers.tagging import NO_LANGUAGE, WORDS, base_of, explicit_tag

_MOST, _LONGEST = 24, 300
_FEWEST = 20
"""Letters from which the script of a text is believed."""

_MOSTLY = 0.7

_VOTES = 3
"""Texts whose language must be told, and be the same, before they alone say it."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What some texts say.

    Attributes:
        script: The script of most letters, or None if there are too few.
        language: The language of most of several texts, or None.
        likely: The language of all of them together: enough to bear out what a name says, but not alone.
    """

    script: str | None
    language: str | None = None
    likely: str | None = None

    def __str__(self) -> str:
        if self.script is None:
            return "too short to tell"
        named = self.language or self.likely
        return f"in {named}" if named else f"in {self.script} script"

    def is_written_as(self, tag: str) -> bool:
        """Whether a language is written in this script; True where nothing was heard."""
        return self.script is None or self.script in scripts_for(language(tag).script)

    @property
    def is_telling(self) -> bool:
        """Whether the script alone says much of the language: half of all languages are written in Latin script."""
        return self.script not in (None, "Latn")

    @property
    def own(self) -> str | None:
        """The language that the texts alone tell; None if it is one of several that are not told apart."""
        from hesperus.languages.identification import ALIKE

        return None if any(self.language in alike for alike in ALIKE) else self.language

    def is_in(self, tag: str) -> bool:
        """Whether this is the language, or one that is not told apart from it."""
        from hesperus.languages.identification import are_alike

        return any(are_alike(one, tag) for one in (self.language, self.likely) if one is not None)

    def rules_out(self, tag: str) -> bool:
        """Whether this cannot be the language."""
        from hesperus.languages.identification import are_alike, is_identified

        if not self.is_written_as(tag):
            return True
        return self.language is not None and is_identified(tag) and not are_alike(self.language, tag)


def samples(documents: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The longest text of each of some items: of its fields that is most likely the question."""
    found = []
    for document in documents[:_MOST]:
        texts = [value for value in document.values() if isinstance(value, str)]
        if texts:
            found.append(max(texts, key=len)[:_LONGEST])
    return tuple(found)


def heard(texts: Sequence[str]) -> Heard:
    """The script and the language of some texts."""
    scripts: Counter[str] = Counter()
    for character, many in Counter("".join(texts)).items():
        if character.isalpha():
            scripts[script_of(character) or ""] += many
    if kana := scripts.pop("Hira", 0) + scripts.pop("Kana", 0):
        # Han characters next to them are Japanese, too.
        scripts["Hira"] = kana + scripts.pop("Hani", 0)
    script, most = scripts.most_common(1)[0] if scripts else ("", 0)
    if not script or sum(scripts.values()) < _FEWEST or most < _MOSTLY * sum(scripts.values()):
        return Heard(None)
    from hesperus.languages.identification import identify

    told = Counter(tag for text in dict.fromkeys(texts) if (tag := identify(text)) is not None)
    tag, votes = told.most_common(1)[0] if told else (None, 0)
    is_clear = votes >= _VOTES and votes >= _MOSTLY * told.total()
    return Heard(script, tag if is_clear else None, identify(" ".join(dict.fromkeys(texts))))


_SHARED = 0.5
"""Share of the smaller log's items that two logs must have in common to be of one task."""


@dataclass(frozen=True, slots=True)
class _Slot:
    """Where the language is in the name of a log."""

    start: int
    stop: int
    tag: str


def settle_languages(logs: Sequence[Log]) -> tuple[list[Log], list[LeftOut]]:
    """Give each log its language, with what it rests on.

    Args:
        logs: All logs of an import; those without a language are settled.

    Returns:
        The logs with a known language, and the others with the reason.
    """
    unsettled = [log for log in logs if not log.language]
    if not unsettled:
        return list(logs), []
    siblings, denied = _siblings(unsettled)
    settled: list[Log] = []
    left: list[LeftOut] = []
    for log in logs:
        if log.language:
            settled.append(log)
            continue
        found, why = _settled(log, siblings.get(id(log)), id(log) in denied)
        if found is not None:
            settled.append(found)
        else:
            left.append(LeftOut("language not known", len(log.rows), log.place, why, failed=True))
    return settled, left


def _settled(log: Log, sibling: tuple[_Slot, int] | None, denied: bool) -> tuple[Log | None, str]:
    said = heard(log.texts)
    if sibling is not None:
        slot, many = sibling
        if said.rules_out(slot.tag):
            return None, _unknown(log, f"its name says {slot.tag}, and its items are {said}")
        why = f"{many} logs whose names differ only in their language, with the same items"
        return _as(log, slot, "siblings", why), ""
    places = [_Slot(*slot) for slot in slots(log.name)]
    for slot in places:
        if said.is_in(slot.tag):
            return _as(log, slot, "text", f"its items are {said}, as its name says"), ""
    if said.own is not None:
        return replace(log, language=said.own, basis="text", evidence=f"its items are {said}"), ""
    for part in parts_of(log.name):
        if part.isalpha() and len(part) > 3 and (tag := explicit_tag(part)) and said.is_in(tag):
            return replace(
                log, language=tag, basis="text", evidence=f"its items are {said}, as its name says"
            ), ""
    last = len(parts_of(log.name))
    for slot in places:
        vague = denied or base_of(slot.tag) in WORDS
        if slot.stop == last and not said.rules_out(slot.tag) and (not vague or said.is_telling):
            return _as(log, slot, "name", f"the end of its name; its items are {said}"), ""
    shown = f"its items are {said}" if log.texts else "its items hold no text"
    return None, _unknown(log, shown)


def _unknown(log: Log, why: str) -> str:
    return (
        f"the language of {log.name!r} cannot be told ({why}); give --language {log.name}=TAG, or --language-from '=TAG', "
        "'name:REGEX', 'path:REGEX', 'field:NAME' or 'config:NAME'"
    )


def _as(log: Log, slot: _Slot, basis: Basis, why: str) -> Log:
    own = log.own_task
    if own and log.name.endswith(own):
        own = cut_out(parts_of(log.name), slot.start, slot.stop).rsplit("/", 1)[-1] or own
    task = log.task if log.given_task else own
    return replace(log, language=slot.tag, task=task, own_task=own, basis=basis, evidence=why)


def _siblings(logs: Sequence[Log]) -> tuple[Mapping[int, tuple[_Slot, int]], set[int]]:
    """The slot of each log with siblings, and their number; and the logs with siblings that contradict a slot."""
    groups: dict[tuple[str, tuple[str, ...], tuple[str, ...], int], list[Log]] = defaultdict(list)
    for log in logs:
        parts = parts_of(log.name)
        for width in (3, 1):
            for start in range(0, len(parts) - width + 1, 2):
                value = "".join(parts[start : start + width])
                if value.lower() not in NO_LANGUAGE:
                    groups[log.model, tuple(parts[:start]), tuple(parts[start + width :]), width].append(log)
    found: dict[int, tuple[_Slot, int]] = {}
    denied: set[int] = set()
    for key in sorted(groups, key=lambda one: (len(groups[one]), one[3]), reverse=True):
        members, start, width = groups[key], len(key[1]), key[3]
        tagged = {id(log): _slot_at(log, start, width) for log in members}
        tags = {slot.tag for slot in tagged.values() if slot is not None}
        if len({log.name for log in members}) < 2 or not tags:
            continue
        if None in tagged.values():
            # One that is no language says that the others are none either: lsat_ar is next to lsat_lr.
            denied |= {one for one, slot in tagged.items() if slot is not None}
            continue
        own = [log for log in members if _shares(log, [other for other in members if other is not log])]
        for log in own if len(tags) > 1 else ():
            slot = tagged[id(log)]
            if slot is not None:
                found.setdefault(id(log), (slot, len(own)))
    return found, denied


def _slot_at(log: Log, start: int, width: int) -> _Slot | None:
    for begin, end, tag in slots(log.name):
        if (begin, end) == (start, start + width):
            return _Slot(begin, end, tag)
    return None


def _shares(log: Log, others: Sequence[Log]) -> bool:
    """Whether a log has its items in common with one of some others."""
    own = set(log.rows["item"].drop_nulls())
    for other in others:
        theirs = set(other.rows["item"].drop_nulls())
        fewer = min(len(own), len(theirs))
        if fewer and len(own & theirs) >= _SHARED * fewer:
            return True
    return False


COLUMN = "reply_language"

_KEY = ("reply", "instruction")


def with_reply_languages(records: pl.DataFrame) -> pl.DataFrame:
    """Add the column `reply_language`; each text is looked at once, and none if no log kept its replies.

    Args:
        records: Imported records, with `reply` and `instruction`. A column of that name stays as it is.
    """
    if COLUMN in records.columns or records["reply"].null_count() == records.height:
        return records
    # The identifier loads a model, which an import without replies does not need.
    from hesperus.languages import language_asked, reply_language

    texts = records.select(_KEY).drop_nulls().unique(maintain_order=True)
    asked = {str(code): language_asked(str(code)) for code in texts["instruction"].unique()}
    told = [reply_language(reply, asked[instruction]) for reply, instruction in texts.iter_rows()]
    found = texts.with_columns(pl.Series(COLUMN, told, dtype=pl.String()))
    return records.join(found, on=_KEY, how="left", maintain_order="left")
