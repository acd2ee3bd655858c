"""Requests that make a sense, each written in the language of the text that it is about."""

from __future__ import annotations

from hesperus.errors import UsageError
from hesperus.languages.tags import language as look_up
from hesperus.languages.tags import normalise
from hesperus.languages.wordings import Pack, pack


def translation_request(source: str, target: str, text: str) -> str:
    """Ask for a translation, in the language of the text.

    A target that the source's pack cannot name (in its own grammar) is named in English, in a sentence that takes
    any name. A regional variant counts as its language where both use one script.

    Args:
        source: Language of the text and of the request, any style of tag; it needs a pack.
        target: Language wanted, any style of tag.
        text: What to translate; is in the request as it is, between straight quotation marks.

    Raises:
        UnknownNameError: A language does not exist, or the source has no pack.
        UsageError: The source's pack reads answers only.

    Reference:
        English, German and Chinese: "Separating form and meaning" (Ohmer, Bruni and Hupkes 2023), appendix C, with
        the straight quotation marks of its release.
    """
    words = _asking_pack(source)
    tag = normalise(target)
    base = tag.split("-")[0]
    if tag not in words.targets and look_up(base).script == look_up(tag).script:
        tag = base
    if tag in words.targets:
        return _filled(words.requests["translate"], text, "{target}", words.targets[tag])
    return _filled(words.requests["translate_any"], text, "{language}", look_up(tag).name)


def paraphrase_request(language: str, text: str) -> str:
    """Ask for other words with the same meaning, in the language of the text.

    Raises:
        UnknownNameError: The language does not exist or has no pack.
        UsageError: Its pack reads answers only.
    """
    return _filled(_asking_pack(language).requests["paraphrase"], text)


def naturalise_request(language: str, text: str) -> str:
    """Ask to put a text, for instance a stiff translation, as a native speaker would, without changing its meaning.

    Raises:
        UnknownNameError: The language does not exist or has no pack.
        UsageError: Its pack reads answers only.
    """
    return _filled(_asking_pack(language).requests["naturalise"], text)


def _asking_pack(tag: str) -> Pack:
    """The pack of a language in which a model can be asked."""
    words = pack(tag)
    if words.can_ask:
        return words
    raise UsageError(
        f"the language pack {words.tag!r} reads answers only: its file lacks the keys 'requests' and 'targets', so no model "
        f"can be asked in {look_up(words.tag).name} to translate or reword. Start from texts in another language "
        "(`hesperus languages --packs` lists the full packs), or add both keys to the pack (docs/languages.md)"
    )


def _filled(template: str, text: str, placeholder: str = "", name: str = "") -> str:
    # The text goes in last and apart, so that braces in it are never taken for a placeholder.
    before, _, after = template.partition("{text}")
    if placeholder:
        before, after = before.replace(placeholder, name), after.replace(placeholder, name)
    return before + text + after
