"""Requests that make a sense, each written in the language of the text that it is about."""

from __future__ import annotations

from hesperus.languages.tags import language as look_up
from hesperus.languages.tags import normalise
from hesperus.languages.wordings import pack


def translation_request(source: str, target: str, text: str) -> str:
    """Ask for a translation, in the language of the text.

    A target that the source's pack cannot name (in its own grammar) is named in English, in a sentence that takes
    any name. A regional variant counts as its language where both use one script.

    Args:
        source: Language of the text and of the request, any style of tag; it needs a pack.
        target: Language wanted, any style of tag.
        text: What to translate; stands in the request as it is, between straight quotation marks.

    Raises:
        UnknownNameError: A language does not exist, or the source has no pack.

    Reference:
        English, German and Chinese: "Separating form and meaning" (Ohmer, Bruni and Hupkes 2023), appendix C, with
        the straight quotation marks of its release.
    """
    words = pack(source)
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
    """
    return _filled(pack(language).requests["paraphrase"], text)


def naturalise_request(language: str, text: str) -> str:
    """Ask to put a text, for instance a stiff translation, as a native speaker would, without changing its meaning.

    Raises:
        UnknownNameError: The language does not exist or has no pack.
    """
    return _filled(pack(language).requests["naturalise"], text)


def _filled(template: str, text: str, placeholder: str = "", name: str = "") -> str:
    # The text goes in last and apart, so that braces in it are never taken for a placeholder.
    before, _, after = template.partition("{text}")
    if placeholder:
        before, after = before.replace(placeholder, name), after.replace(placeholder, name)
    return before + text + after
