"""Asking a judge: prompts go out in batches, replies are read strictly, and what cannot be read is asked again.

This room knows no models. It takes a callable that asks, from whoever knows one: a study or a command.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Generic, TypeVar

from hesperus.measures import wilson
from hesperus.strict_yaml import read_yaml_as
from hesperus.types import Estimate, Failure, Prompt, Reply, Request, Settings

Ask = Callable[[Sequence[Prompt], int], Sequence[Reply | Failure]]
"""Asks prompts, in order, for the given attempt: 1, 2, 3. An attempt is a new question, which a store of replies must
not answer with the reply to an earlier one. A Failure: the asking itself failed, and is not tried again here."""

JUDGE_SETTINGS = Settings(temperature=0.0, max_tokens=4096)
"""How a judge's replies are drawn."""

TRIES = 3
"""How often a prompt is asked at most, until its reply can be read."""

LONGEST_REPLY = 100_000
"""Characters beyond which a reply is not read."""

_THOUGHT = re.compile(r"\s*<(think|thinking|reasoning)>", re.IGNORECASE)

T = TypeVar("T")


class UnreadableReply(Exception):  # noqa: N818
    """A judge's reply does not keep to the form that was asked for; the message says how."""


@dataclass(frozen=True, slots=True)
class Question(Generic[T]):
    """A prompt and how its reply is read.

    Attributes:
        prompt: What is asked.
        read: Turns the reply's text into a value, or raises UnreadableReply.
        reminder: Added to the prompt when it is asked again: at temperature 0 the same prompt would bring the same reply.
    """

    prompt: Prompt
    read: Callable[[str], T]
    reminder: str


@dataclass(frozen=True, slots=True)
class Readability:
    """What became of the prompts that a judge was asked.

    Attributes:
        prompts: Prompts asked.
        readable: Those with a reply that could be read, at the first try or later.
        failed: Those that got no reply; the others that are not readable got replies that could not be read.
    """

    prompts: int = 0
    readable: int = 0
    failed: int = 0

    def __add__(self, other: Readability) -> Readability:
        return Readability(
            self.prompts + other.prompts,
            self.readable + other.readable,
            self.failed + other.failed,
        )


def validity(readability: Readability) -> Estimate:
    """Share of the replies that could be read, with Wilson's interval; prompts without a reply are left out."""
    got = readability.prompts - readability.failed
    if not readability.prompts:
        return Estimate(None, reason="the judge asks nothing")
    share = wilson(readability.readable, got)
    reason = f"{readability.failed} prompts without a reply" if readability.failed else share.reason
    return replace(share, excluded=readability.failed, reason=reason)


@dataclass(frozen=True, slots=True)
class Settled(Generic[T]):
    """Result of a question.

    Attributes:
        value: What was read; None if nothing could be.
        reason: Why nothing could be read; empty otherwise.
        readability: The question, counted.
    """

    value: T | None
    reason: str
    readability: Readability


class Asker:
    """An Ask made from something that answers requests; the attempt becomes the request's ``repeat``.

    Args:
        model: ``provider/name`` of the judge.
        ask_requests: Answers requests in order, such as hesperus.asking.ask with its model and store filled in.
        settings: How replies are drawn.
        held: Which requests a store answers; None if there is no store.
        retry: Whether questions with an unreadable stored reply are asked again.

    Attributes:
        stored: Replies that came from the store so far.
        fresh: Replies that the judge gave now.
    """

    def __init__(
        self,
        model: str,
        ask_requests: Callable[[Sequence[Request]], Sequence[Reply | Failure]],
        *,
        settings: Settings = JUDGE_SETTINGS,
        held: Callable[[Sequence[Request]], Sequence[bool]] | None = None,
        retry: bool = False,
    ) -> None:
        self._model, self._ask_requests, self._settings, self._held = model, ask_requests, settings, held
        self.retry = retry
        self.stored = self.fresh = 0

    def __call__(self, prompts: Sequence[Prompt], attempt: int) -> Sequence[Reply | Failure]:
        """Ask prompts, in order, for the given attempt."""
        known = self.held(prompts, attempt)
        replies = self._ask_requests(self._requests(prompts, attempt))
        self.stored += sum(known)
        self.fresh += sum(
            not stored and not isinstance(reply, Failure)
            for stored, reply in zip(known, replies, strict=True)
        )
        return replies

    def held(self, prompts: Sequence[Prompt], attempt: int) -> Sequence[bool]:
        """Which prompts the store answers for the given attempt."""
        if self._held is None:
            return [False] * len(prompts)
        return self._held(self._requests(prompts, attempt))

    def _requests(self, prompts: Sequence[Prompt], attempt: int) -> list[Request]:
        return [Request(self._model, prompt, self._settings, repeat=attempt) for prompt in prompts]


def prompt_texts(*names: str) -> tuple[str, ...]:
    """Texts of `prompts.yaml` by their names, to be filled in with ``str.format``."""
    held = read_yaml_as(files("hesperus.evaluators") / "prompts.yaml", "file of prompts", dict[str, str])
    return tuple(held[name] for name in names)


def settle(questions: Sequence[Question[T]], ask: Ask, *, tries: int = TRIES) -> list[Settled[T]]:
    """Ask all questions, then again those with replies that could not be read.

    An Asker that retries is asked `tries` times besides the replies that its store holds.
    """
    settled: list[Settled[T] | None] = [None] * len(questions)
    open_, reasons = list(range(len(questions))), [""] * len(questions)
    retry = isinstance(ask, Asker) and ask.retry
    asked = [0] * len(questions)
    attempt = 0
    while open_ and tries > 0:
        attempt += 1
        prompts = [_worded(questions[place], attempt) for place in open_]
        known = ask.held(prompts, attempt) if isinstance(ask, Asker) else [False] * len(prompts)
        # What was asked again at an earlier time is read like any stored reply, but asks nothing further.
        going = [known[k] or asked[place] < tries if retry else known[k] or attempt <= tries
                 for k, place in enumerate(open_)]  # fmt: skip
        for place, stored in zip(open_, known, strict=True):
            asked[place] += not stored
        open_ = [place for place, on in zip(open_, going, strict=True) if on]
        prompts = [prompt for prompt, on in zip(prompts, going, strict=True) if on]
        if not open_:
            break
        replies = ask(prompts, attempt)
        if len(replies) != len(prompts):
            raise ValueError(f"{len(prompts)} prompts were asked and {len(replies)} replies came back")
        left = []
        for place, reply in zip(open_, replies, strict=True):
            if isinstance(reply, Failure):
                why = f"no reply ({reply.kind})"
                settled[place] = Settled(None, why, Readability(1, failed=1))
                continue
            try:
                value = questions[place].read(reply_text(reply))
            except UnreadableReply as error:
                reasons[place] = f"unreadable: {error}"
                left.append(place)
            else:
                settled[place] = Settled(value, "", Readability(1, 1))
        open_ = left
    return [
        found if found is not None else Settled(None, reason, Readability(1))
        for found, reason in zip(settled, reasons, strict=True)
    ]


def reply_text(reply: Reply) -> str:
    """The text of a whole reply, without the thinking that some models print before it."""
    if reply.finish == "length":
        raise UnreadableReply("cut off at its token limit")
    if reply.finish == "filter":
        raise UnreadableReply("held back by a filter")
    text = reply.text
    if len(text) > LONGEST_REPLY:
        raise UnreadableReply(f"{len(text)} characters long")
    if thought := _THOUGHT.match(text):
        end = text.lower().rfind(f"</{thought[1].lower()}>")
        if end < 0:
            raise UnreadableReply("its thinking never ended")
        text = text[end:].partition(">")[2]
    if not text.strip():
        raise UnreadableReply("empty")
    return text.strip()


def _worded(question: Question[T], attempt: int) -> Prompt:
    if attempt == 1:
        return question.prompt
    return Prompt(f"{question.prompt.user}\n\n{question.reminder}", question.prompt.system)


@dataclass(frozen=True, slots=True)
class Fenced:
    """A text that is between two lines with a mark that does not occur in it.

    Attributes:
        mark: Eight hexadecimal digits.
        text: The text, without what nobody sees.
    """

    mark: str
    text: str

    def around(self, text: str) -> str:
        """Put the same fence around a text that was given as `also`."""
        return f"<<<{self.mark}\n{visible(text)}\n{self.mark}>>>"

    def __str__(self) -> str:
        return self.around(self.text)


def fenced(text: str, *, also: str = "") -> Fenced:
    """Give a text a mark made from its hash.

    The mark is the same whenever the text is the same, so that the prompt can be looked up in a store of replies. To hold
    its own mark a text would have to hold its own hash; if one does, the hash is taken anew.

    >>> print(fenced("Paris is in France."))
    <<<41667365
    Paris is in France.
    41667365>>>

    `also` is another text that will be in a fence with the same mark.
    """
    shown, beside = visible(text), visible(also)
    mark, turn = "", 0
    while not mark or mark in shown.lower() or mark in beside.lower():
        mark = hashlib.blake2b(f"{turn}\n{shown}\n{beside}".encode(), digest_size=4).hexdigest()
        turn += 1
    return Fenced(mark, shown)


def visible(text: str) -> str:
    """Take out what nobody sees: control characters but tab and line feed, direction marks, lone surrogates.

    Joiners stay: Persian and the Indic scripts need them.
    """
    if text.isascii() and text.isprintable():
        return text
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(c for c in unified if c in "\n\t\u200c\u200d" or unicodedata.category(c) not in _UNSEEN)


_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co"})


_FENCE = re.compile(r"```(?:json)?[ \t]*\n(.*?)\n?[ \t]*```", re.DOTALL | re.IGNORECASE)
_DEEPEST = 4


def strict_json(text: str) -> object:
    r"""Read a reply that is one JSON document, bare or as one code block.

    >>> strict_json('```json\n{"1": "supported"}\n```')
    {'1': 'supported'}
    """
    block = _FENCE.fullmatch(text.strip())
    document = block[1] if block else text
    if _depth(document) > _DEEPEST:
        raise UnreadableReply("nested too deep")
    try:
        return json.loads(document, object_pairs_hook=_once, parse_constant=_refuse)
    except ValueError as error:
        # The position is left out: reasons are counted by their words.
        raise UnreadableReply(f"no JSON ({str(error).partition(':')[0]})") from None


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise UnreadableReply("a key is in it twice")
    return found


def _refuse(constant: str) -> object:
    raise UnreadableReply(f"holds {constant}")


def _depth(text: str) -> int:
    """Brackets open at most, those inside strings counted too: enough to keep the reader from deep recursion."""
    depth = deepest = 0
    for bracket in re.findall(r"[\[\]{}]", text):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return deepest
