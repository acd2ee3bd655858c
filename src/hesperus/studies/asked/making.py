"""Texts and items made anew, by asking a model or a translator: the request, what came back, and what could not be made.

Such a text would be asked as if it were the question in another sense. It is found, counted, and not asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from hesperus.answers.reply_words import wording_for
from hesperus.answers.spelling import fold
from hesperus.errors import SenseError
from hesperus.languages import are_alike, text_language
from hesperus.normalization import key
from hesperus.senses import SenseMaker, item_texts, naturalise, paraphrase, remake_item, translate
from hesperus.studies.asked.answering import Fault
from hesperus.studies.asked.planning import Line, prompt_tokens
from hesperus.studies.asked.stages import Place, Stage
from hesperus.studies.evaluating.evaluators import is_translator, translator_named
from hesperus.studies.evaluating.translating import Made, Translating, Way
from hesperus.studies.prices import NOTHING, tokens_of, tokens_of_made
from hesperus.translation.degeneration import faults
from hesperus.translation.degeneration.foreign import copied_share
from hesperus.types import Failure, Item, Prompt, Reply, Request, Settings

_CHECKED = (translate, paraphrase, naturalise)
_COPIED, _COPIED_WORDS = 0.75, 4
_QUESTION_MARKS = frozenset("?？؟;՞፧")
_FEWEST_OF_A_QUESTION = 20
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Step:
    """One making of a text: by which maker, from which language into which, by which model."""

    maker: SenseMaker
    source: str
    target: str
    model: str

    def request(self, text: str, system: str | None, settings: Settings) -> Request | None:
        """The exact request that makes a text anew; None if a rule does it.

        Args:
            text: What is made anew.
            system: System text, where the maker's prompt has none.
            settings: How replies are drawn.
        """
        if self.maker.request is None:
            return None
        prompt = self.maker.request(text, self.source, self.target)
        return Request(self.model, Prompt(prompt.user, prompt.system or system), settings)

    def made(self, reply: Reply | Failure, text: str) -> str | Fault:
        """The text that a reply makes of another, or what kept it from being made.

        What a model wrote in its place is looked for where the maker is of this package: what your own makes need be no prose.
        """
        if isinstance(reply, Failure):
            return Fault(reply.kind, reply.message)
        if reply.finish == "filter":
            return Fault("blocked", f"the endpoint held back its making of {text!r}")
        if reply.finish == "length":
            return Fault(
                "truncated", f"the making of {text!r} ran into its token limit; raise making.max_tokens"
            )
        made = self.read(reply.text, text)
        if isinstance(made, Fault) or self.maker not in _CHECKED:
            return made
        return in_place_of(made, text, (self.source, self.target), same=self.maker is not translate) or made

    def read(self, made: str, text: str) -> str | Fault:
        """What the maker takes out of a reply, or, where it is a rule, makes of the text itself."""
        try:
            return self.maker.read(made, text)
        except SenseError as error:
            return Fault("sense", str(error))

    def line(
        self,
        code: str,
        texts: Iterable[str],
        requests: Iterable[Request],
        *,
        origin: str | None = None,
        is_known: bool = True,
    ) -> Line:
        """The line of a plan.

        Args:
            code: What is made: a sense, and which step of it.
            texts: What is made anew, or what that is made from, by whose length the replies are estimated.
            requests: One for each text.
            origin: Language of the texts, where it is not that of the step.
            is_known: Whether these very requests will be sent.
        """
        asked, origin = tuple(requests), origin or self.source
        written = [
            tokens_of(text, self.target)
            if self.source == self.target
            else tokens_of_made(text, origin, self.target)
            for text in texts
        ]
        return Line(
            self.model, "make", code, self.target, len(written), asked if is_known else (), prompt_tokens(asked, self.source),
            sum(written, NOTHING),
        )  # fmt: skip


def in_place_of(made: str, text: str, way: tuple[str, str], *, same: bool = False) -> Fault | None:
    """What is in place of a translation or a rewording.

    Args:
        made: What came back.
        text: The original.
        way: Language of the text, and of what was to be made.
        same: Whether it is a rewording, which may be the same text.
    """
    source, target = way
    shown = f"{made[:_SHOWN]!r} in place of {text[:_SHOWN]!r}"
    if _refuses(made, (source, target)) and not _refuses(text, (source,)):
        return Fault("refused", f"a refusal came back: {shown}")
    if not same and not are_alike(source, target):
        share, count = copied_share(text, made)
        if share >= _COPIED and count >= _COPIED_WORDS:
            return Fault("unchanged", f"the text came back untranslated: {shown}")
    if (said := text_language(made, target)).is_other:
        return Fault(
            "wrong_language", f"it is in {said.language or 'another language'}, not in {target}: {shown}"
        )
    if _answers(made, text, way):
        return Fault("answered", f"an answer came back: {shown}")
    return None


def _refuses(text: str, tags: tuple[str, ...]) -> bool:
    folded = " ".join(fold(text[:400]).split())
    return any(phrase in folded for tag in tags for phrase in _refusals(tag))


@cache
def _refusals(tag: str) -> tuple[str, ...]:
    # A phrase of few letters occurs in ordinary texts too.
    phrases = (fold(key(phrase)) for phrase in wording_for(tag).refusals)
    return tuple(phrase for phrase in phrases if sum(map(str.isalpha, phrase)) >= _FEWEST_LETTERS)


_FEWEST_LETTERS = 8


def _answers(made: str, text: str, way: tuple[str, str]) -> bool:
    """Whether a question came back as something far too short that asks nothing."""
    if not _asks(text) or _asks(made) or sum(map(str.isalpha, text)) < _FEWEST_OF_A_QUESTION:
        return False
    short = sum(map(str.isalpha, made)) * 3 < sum(map(str.isalpha, text))
    return short and any(fault.kind in ("length", "empty") for fault in faults(text, made, *way))


def _asks(text: str) -> bool:
    return not _QUESTION_MARKS.isdisjoint(text.rstrip(" \"'”»)")[-3:])


def refuse_unaskable(makings: Iterable[tuple[SenseMaker, tuple[str, str]]]) -> None:
    """Before anything is asked: every request that makes a text can be written in its language.

    Args:
        makings: Makers with the language of the text and that of what is to be made; rules always pass.

    Raises:
        UnknownNameError: A language without a pack.
        UsageError: A language without requests in its pack.
    """
    for maker, way in makings:
        if maker in _CHECKED and maker.request is not None:
            maker.request("", *way)


def not_made(who: str, what: str, made: Iterable[tuple[str, object]]) -> list[str]:
    """What could not be made, counted by sense and reason, a line each.

    Args:
        who: The maker.
        what: What is counted, such as ``texts``.
        made: Code of the sense, and what was made or the Fault that kept it from being made.
    """
    reasons: dict[tuple[str, str], list[str]] = {}
    for code, result in made:
        if isinstance(result, Fault):
            reasons.setdefault((code, result.kind), []).append(result.message)
    return [
        f"{who}, {code}: {len(messages)} {what} were not made ({kind}: {messages[0]})"
        for (code, kind), messages in reasons.items()
    ]


Texts = Mapping[str, str | Fault]
"""Original text to made text, or to what kept it from being made."""

Remade = Mapping[str, Item | Fault]
"""Item id to the item made anew, or to what kept it from being made."""

Put = Callable[[Item, Mapping[str, str]], Item]
"""Puts an item together from its made texts; raises SenseError where it cannot."""


@dataclass(frozen=True, slots=True)
class MakeItems(Stage[Remade]):
    """Items made anew by a model or a translator.

    Attributes:
        items: What is made anew.
        step: How, and by which model or translator.
        code: The sense that is made.
        put: Puts an item together from its made texts.
        called: What progress is called.
        asking: System text, and how replies are drawn.
        expected: What a plan goes on with.
        is_known: Whether a plan knows the exact items beforehand.
        is_common: Whether all shards need it.
    """

    items: Sequence[Item]
    step: Step
    code: str
    put: Put
    called: str
    asking: tuple[str | None, Settings]
    expected: Remade
    is_known: bool = True
    is_common: bool = False

    def _requests(self) -> dict[str, Request]:
        """Text to the exact request that makes it."""
        found = {text: self.step.request(text, *self.asking) for text in texts_of_items(self.items)}
        return {text: request for text, request in found.items() if request is not None}

    def lines(self) -> Iterator[Line]:
        """A line, where a model makes them."""
        if not is_translator(self.step.model):
            requests = self._requests()
            yield self.step.line(self.code, requests, requests.values(), is_known=self.is_known)

    def supposed(self) -> Remade:
        """As given."""
        return self.expected

    def done(self, place: Place) -> Remade:
        """Make them.

        Raises:
            UsageError: The translator does not know the pair.
            ModelError: It failed; what was made is kept.
        """
        by, way = self.step.model, (self.step.source, self.step.target)
        called = f"{by}: {self.called}"
        if is_translator(by):
            named = translator_named(by, place.session.models, place.session.ask)
            translating = Translating(named, place.translations(), watch=place.watch)
            texts = list(texts_of_items(self.items))
            done = translating.texts(texts, Way(*way, called))
            made: Texts = translated_texts(dict(zip(texts, done, strict=True)), way)
        else:
            requests = self._requests()
            replies = place.session.ask(list(requests.values()), called) if requests else ()
            made = {text: self.step.made(reply, text) for text, reply in zip(requests, replies, strict=True)}
        return remade_items(self.items, made, self.put)


def texts_of_items(items: Sequence[Item]) -> tuple[str, ...]:
    """The texts of all items, each once."""
    return tuple(dict.fromkeys(text for item in items for text in item_texts(item)))


def translated_texts(done: Mapping[str, Made], way: tuple[str, str]) -> dict[str, str | Fault]:
    """What a translator made of texts, but for what is no translation of them."""
    return {
        text: in_place_of(made.text, text, way) or made.text
        if made.text is not None
        else Fault("translation", made.reason)
        for text, made in done.items()
    }


def whole_texts(texts: Texts) -> dict[str, str]:
    """The texts that could be made."""
    return {text: made for text, made in texts.items() if isinstance(made, str)}


def remade_items(items: Sequence[Item], texts: Texts, put: Put) -> dict[str, Item | Fault]:
    """Items from their made texts; one of which a text is missing, or that lost what it needs, is a Fault."""
    whole = whole_texts(texts)
    found: dict[str, Item | Fault] = {}
    for item in items:
        try:
            found[item.id] = put(item, whole)
        except SenseError as error:
            reasons = (texts.get(text) for text in item_texts(item))
            lost = next((reason for reason in reasons if isinstance(reason, Fault)), None)
            found[item.id] = lost or Fault("sense", str(error))
    return found


def put_in(language: str) -> Put:
    """Puts items together in a language."""
    return lambda item, texts: remake_item(item, texts, language)


def lost_items(who: str, code: str, items: Remade) -> list[str]:
    """Items that could not be made, counted by reason, a line each."""
    return not_made(who, "items", ((code, item) for item in items.values()))
