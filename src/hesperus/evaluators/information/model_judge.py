"""A judge that asks a model: claims of each text, then verdicts on claims, each stage in one batch."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from hesperus.evaluators.information.judges import VERDICTS, Check, Extracted, Judged, Verdict, Verified
from hesperus.evaluators.judging import (
    TRIES,
    Ask,
    Question,
    Readability,
    Settled,
    UnreadableReply,
    fenced,
    prompt_texts,
    settle,
    strict_json,
    visible,
)
from hesperus.fingerprint import JSON, fingerprint, signature
from hesperus.types import Prompt

_SENTENCE_END = re.compile(r"[.!?][\"'”’)\]]*[ \t]+|[。！？।॥؟۔]")
_LEAST = 0.5


def passages(text: str, longest: int) -> list[str]:
    r"""Cut a text at paragraphs, else lines, else sentences, else blanks, else anywhere; joined they give it back.

    >>> passages("One. Two.\nThree.", 10)
    ['One. Two.\n', 'Three.']
    """
    if longest < 1:
        raise ValueError(f"a passage has at least one character, not {longest}")
    found, start = [], 0
    while len(text) - start > longest:
        end = start + _cut(text[start : start + longest])
        found.append(text[start:end])
        start = end
    return [*found, text[start:]]


def _cut(window: str) -> int:
    """Where to cut: the last good place in the second half of the window."""
    least = int(len(window) * _LEAST)
    for mark in ("\n\n", "\n"):
        place = window.rfind(mark, least)
        if place >= 0:
            return place + len(mark)
    ends = [match.end() for match in _SENTENCE_END.finditer(window, least)]
    if ends:
        return ends[-1]
    place = window.rfind(" ", least)
    return place + 1 if place >= 0 else len(window)


_GUARD, _CLAIMS, CLAIMS_REMINDER, _VERIFY, _VERIFY_AGAIN = prompt_texts(
    "guard", "claims", "claims_again", "verify", "verify_again"
)

PROMPTS = fingerprint([_GUARD, _CLAIMS, CLAIMS_REMINDER, _VERIFY, _VERIFY_AGAIN])
"""Hash of all wording."""


def claims_prompt(text: str) -> Prompt:
    """Ask for the claims of a text."""
    material = fenced(text)
    return Prompt(_CLAIMS.format(guard=_GUARD.format(mark=material.mark), text=material))


def verify_prompt(claims: Sequence[str], text: str) -> Prompt:
    """Ask which of the claims a text supports."""
    listed = "\n".join(f"{number}. {' '.join(claim.split())}" for number, claim in enumerate(claims, 1))
    # Both parts come from answers: they share a mark, so that the claims cannot speak for the judge either.
    material = fenced(text, also=listed)
    return Prompt(
        _VERIFY.format(
            guard=_GUARD.format(mark=material.mark),
            text=material,
            claims=material.around(listed),
            count=len(claims),
            frame=json.dumps({str(number): "?" for number in range(1, len(claims) + 1)}),
        )
    )


def verify_reminder(count: int) -> str:
    """Added when verdicts on so many claims could not be read."""
    return _VERIFY_AGAIN.format(count=count)


@dataclass(frozen=True, slots=True)
class ModelJudgeSettings:
    """How much a judge is given at a time.

    Attributes:
        tries: Most times that a prompt is asked until its reply can be read.
        claims_at_once: Claims in a prompt; of more, models lose count.
        passage: Characters of which claims are taken at a time.
        longest_text: Characters that claims are checked against at a time; a longer text is checked in parts.
    """

    tries: int = TRIES
    claims_at_once: int = 10
    passage: int = 4_000
    longest_text: int = 24_000


LONGEST_CLAIM = 1_000
"""Characters of a claim at most: a longer one is a text, and its list no list of claims."""

MOST_CLAIMS = 200
"""Claims of a passage at most: more are no claims of so short a text."""


class ModelJudge:
    """Asks any model. It knows none itself: it is given the callable that asks.

    Args:
        name: ``provider/name``, for tables and the signature.
        ask: See hesperus.evaluators.judging.
        settings: How much is asked at a time.
    """

    def __init__(self, name: str, ask: Ask, *, settings: ModelJudgeSettings = ModelJudgeSettings()) -> None:  # noqa: B008
        self.name = name
        self._ask = ask
        self.settings = settings

    def signature(self) -> dict[str, JSON]:
        """Its name, the hash of its prompts and its settings."""
        return {"judge": self.name, "prompts": PROMPTS, **signature(self.settings)}

    def claims(self, texts: Sequence[str]) -> list[Extracted]:
        """The claims of each text; a text is unreadable where the claims of any of its passages are."""
        cut = [passages(text, self.settings.passage) for text in texts]
        parts = list(dict.fromkeys(part for parts in cut for part in parts if part.strip()))
        questions = [Question(claims_prompt(part), read_claims, CLAIMS_REMINDER) for part in parts]
        settled = dict(zip(parts, settle(questions, self._ask, tries=self.settings.tries), strict=True))
        counted: set[str] = set()
        found = []
        for text_parts in cut:
            own = [part for part in text_parts if part.strip()]
            fresh = [part for part in dict.fromkeys(own) if part not in counted]
            counted.update(fresh)
            asked = sum((settled[part].readability for part in fresh), Readability())
            found.append(_extracted([settled[part] for part in own], asked))
        return found

    def verify(self, checks: Sequence[Check]) -> list[Verified]:
        """The verdicts of each check; a claim is supported where any part of a long text supports it."""
        at_once = self.settings.claims_at_once
        tasks = [
            (place, start, part)
            for place, check in enumerate(checks)
            for start in range(0, len(check.claims), at_once)
            for part in passages(check.text, self.settings.longest_text)
            if part.strip()
        ]
        questions = [
            _verify_question(checks[place].claims[start : start + at_once], part)
            for place, start, part in tasks
        ]
        settled = settle(questions, self._ask, tries=self.settings.tries)
        said: list[list[list[Verdict | None]]] = [[[] for _ in check.claims] for check in checks]
        reasons = [[""] * len(check.claims) for check in checks]
        asked = [Readability()] * len(checks)
        for (place, start, _), found in zip(tasks, settled, strict=True):
            asked[place] += found.readability
            count = len(checks[place].claims[start : start + at_once])
            for offset in range(count):
                said[place][start + offset].append(found.value[offset] if found.value else None)
                reasons[place][start + offset] = reasons[place][start + offset] or found.reason
        return [
            Verified(
                tuple(
                    _joined(claim, verdicts, reason)
                    for claim, verdicts, reason in zip(check.claims, said[place], reasons[place], strict=True)
                ),
                asked[place],
            )
            for place, check in enumerate(checks)
        ]


def read_claims(text: str) -> tuple[str, ...]:
    """Read a reply to the claims prompt: a JSON list of strings. Blanks are unified, and each claim is there once."""
    document = strict_json(text)
    if not isinstance(document, list):
        raise UnreadableReply("no JSON list")
    if len(document) > MOST_CLAIMS:
        raise UnreadableReply("too many claims")
    claims: dict[str, str] = {}
    for entry in document:
        if not isinstance(entry, str):
            raise UnreadableReply("a claim that is no string")
        claim = " ".join(visible(entry).split())
        if not claim or len(claim) > LONGEST_CLAIM:
            raise UnreadableReply("a claim that is empty or too long")
        claims.setdefault(claim.casefold(), claim)
    return tuple(claims.values())


def read_verdicts(text: str, *, count: int) -> tuple[Verdict, ...]:
    """Read a reply to the verify prompt: a JSON object with the numbers 1 to `count`, each with a verdict."""
    document = strict_json(text)
    if not isinstance(document, dict):
        raise UnreadableReply("no JSON object")
    if set(document) != {str(number) for number in range(1, count + 1)}:
        raise UnreadableReply("not a verdict for each claim")
    verdicts: list[Verdict] = []
    for number in range(1, count + 1):
        said = document[str(number)]
        verdict = " ".join(said.casefold().replace("_", " ").split()) if isinstance(said, str) else ""
        if verdict not in VERDICTS:
            raise UnreadableReply("a verdict that is none of the three")
        verdicts.append(verdict)
    return tuple(verdicts)


def _verify_question(claims: Sequence[str], text: str) -> Question[tuple[Verdict, ...]]:
    count = len(claims)
    return Question(verify_prompt(claims, text), partial(read_verdicts, count=count), verify_reminder(count))


def _extracted(parts: Sequence[Settled[tuple[str, ...]]], asked: Readability) -> Extracted:
    claims: dict[str, str] = {}
    for part in parts:
        if part.value is None:
            return Extracted(None, part.reason, asked)
        for claim in part.value:
            claims.setdefault(claim.casefold(), claim)
    return Extracted(tuple(claims.values()), "", asked)


def _joined(claim: str, verdicts: Sequence[Verdict | None], reason: str) -> Judged:
    """One verdict from those of the parts of a text; without support from another part, an unread part decides nothing."""
    if "supported" in verdicts:
        return Judged(claim, "supported")
    if None in verdicts:
        return Judged(claim, None, reason)
    return Judged(claim, "contradicted" if "contradicted" in verdicts else "not supported")
