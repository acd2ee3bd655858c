"""Readers: values that say how replies are read. All that decides a reading is a field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal, get_args

from hesperus.answers.reply_words import (
    Answers,
    Wording,
    foreign_words,
    is_lettered,
    synonyms_of,
    wording_for,
    wording_of,
)
from hesperus.errors import DataError, UnknownNameError
from hesperus.fingerprint import fingerprint, plain
from hesperus.languages import Pack, pack_or_none
from hesperus.normalization import key
from hesperus.plugins import loaded as loaded_plugins

Form = Literal["label", "choice", "text", "number"]
"""What kind of answer is looked for: fixed words, a lettered option, free text, a number."""

FORMS: tuple[Form, ...] = get_args(Form)

RULES: Mapping[Form, tuple[str, ...]] = {
    "label": ("exact", "boxed", "corrected", "cue", "named", "start", "last", "quoted", "sole", "opposite"),
    "choice": (
        "exact",
        "text",
        "digit",
        "boxed",
        "corrected",
        "cue",
        "named",
        "start",
        "last",
        "quoted",
        "option",
        "sole",
        "text inside",
    ),
    "text": ("exact", "text", "boxed", "cue", "start", "last", "sole", "text inside", "own words"),
    "number": ("boxed number", "corrected number", "cue number", "last number"),
}
"""The rules of the default reader, in the order in which they are tried; see docs/answers.md."""

KNOWN_GOLD_RULES = ("exact", "text", "boxed", "cue", "start", "last", "own words")
"""The rules for free text of which only the right answers are known. A rule that looks for known words anywhere in the
reply would find the right one next to a wrong one that nobody knows."""

PRESETS = ("default", "strict", "ohmer2023")
"""Named readers: `default`; `strict` takes a template and nothing else; `ohmer2023` follows the procedure of Ohmer,
Bruni and Hupkes (2023)."""


@dataclass(frozen=True, slots=True)
class Reader:
    """How replies to one instruction are read.

    Attributes:
        form: Kind of answer.
        language: BCP-47 tag of the instruction; template answers follow it, never the input.
        answers: Labels in order, each with its template words.
        synonyms: Further words of the language for the same labels. They count where a reply begins, ends or is
            marked as the answer, not inside a sentence.
        options: Texts of the options in label order, or None.
        foreign: Words of other languages for the same answers; a reply that gives one is `wrong_language`.
        rules: Names of the rules, in order.
        wording: What the language lends.
        name: The preset it was made from.
    """

    form: Form
    language: str
    answers: Answers
    synonyms: Answers = ()
    options: tuple[str, ...] | None = None
    foreign: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    wording: Wording = field(default_factory=lambda: wording_for("en"), repr=False)
    name: str = "default"

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, in order."""
        return tuple(label for label, _ in self.answers)

    @property
    def signature(self) -> str:
        """Hash over every field: two readers with the same one read alike."""
        return fingerprint(plain(self))

    def with_options(self, options: Sequence[str] | None) -> Reader:
        """The same reader for an item with these option texts; further labels are not on offer there.

        Raises:
            DataError: More options than labels.
        """
        if options is None:
            return self if self.options is None else replace(self, options=None)
        if self.form == "text" and not self.answers:
            return replace(self, options=tuple(options))
        if len(options) > len(self.answers):
            raise DataError(
                f"{len(options)} options for {len(self.answers)} labels ({', '.join(self.labels)})"
            )
        return replace(self, options=tuple(options), answers=self.answers[: len(options)])

    def __str__(self) -> str:
        words = "; ".join(f"{label}={'|'.join(words)}" for label, words in self.answers[:6])
        more = ", …" if len(self.answers) > 6 else ""
        return f"{self.name}:{self.form}[{self.language}]({words}{more})"


def reader_for(
    form: str,
    language: str,
    *,
    answers: Mapping[str, Iterable[str]],
    options: Sequence[str] | None = None,
    preset: str = "default",
    pack: Pack | None = None,
) -> Reader:
    """Make a reader.

    >>> str(reader_for("label", "de", answers={"yes": ["ja"], "no": ["nein"]}))
    'default:label[de](yes=ja; no=nein)'

    Args:
        form: `label`, `choice`, `text` or `number`.
        language: Language of the instruction, BCP-47.
        answers: Canonical label to its words in that language, the preferred one first. For a choice the letters
            as the instruction writes them, in order; for free text the known names, which may be none.
        options: Texts of the options in label order.
        preset: One of PRESETS.
        pack: Wordings to use in place of the language's own pack.

    Raises:
        UnknownNameError: No such form, language or preset.
        DataError: No labels, a label without words, one word for two labels, or more options than labels.
    """
    if form not in FORMS:
        raise UnknownNameError("form of answer", form, FORMS)
    if preset not in PRESETS:
        raise UnknownNameError("parser", preset, PRESETS)
    frozen = tuple(
        (label, (words,) if isinstance(words, str) else tuple(words)) for label, words in answers.items()
    )
    made = (
        _make(form, language, frozen, preset, loaded_plugins())
        if pack is None
        else _build(form, language, frozen, preset, pack)
    )
    return made.with_options(options) if options is not None else made


def _build(form: Form, language: str, answers: Answers, preset: str, own: Pack | None) -> Reader:
    wording = wording_for(language)
    if own is not None:
        wording = wording_of(own, wording.language, wording.script)
    own = own or pack_or_none(wording.language)
    _check(form, answers, language)
    worded = form == "label" and preset == "default" and not is_lettered(answers)
    return Reader(
        form=form,
        language=wording.language,
        answers=answers,
        synonyms=synonyms_of(own, answers) if worded else (),
        foreign=foreign_words(own, answers) if worded else (),
        rules=RULES[form] if preset == "default" else _rules(form, preset),
        wording=wording,
        name=preset,
    )


@lru_cache(maxsize=512)
def _make(form: Form, language: str, answers: Answers, preset: str, loaded: tuple[str, ...]) -> Reader:
    return _build(form, language, answers, preset, None)


def _rules(form: Form, preset: str) -> tuple[str, ...]:
    if preset == "strict":
        return ("whole number",) if form == "number" else ("exact",)
    return ("ohmer2023",) if form in ("label", "choice") else RULES[form]


def _check(form: Form, answers: Answers, language: str) -> None:
    if form not in ("label", "choice"):
        return
    if not answers:
        raise DataError(f"a {form} reader needs labels; none given for {language}")
    seen: dict[str, str] = {}
    for label, words in answers:
        if not any(map(key, words)):
            raise DataError(f"label {label!r} has no words in {language}")
        for word in words:
            other = seen.setdefault(key(word), label)
            if other != label:
                raise DataError(f"{word!r} stands for {other!r} and for {label!r} in {language}")
