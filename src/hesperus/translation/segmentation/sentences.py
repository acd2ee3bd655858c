"""The sentences of a text: line breaks first, then the marks of the script, then the library with its abbreviations."""

from __future__ import annotations

from hesperus.errors import UnknownNameError
from hesperus.languages import language as described
from hesperus.translation.segmentation.library import library_ends
from hesperus.translation.segmentation.lines import LIST_MARKER, blocks
from hesperus.translation.segmentation.rules import listed, marked_ends, missed_ends, moved, refused
from hesperus.translation.segmentation.unspaced import unspaced_ends

_SEGMENTED = (
    "af", "am", "ar", "as", "ast", "az", "be", "bg", "bn", "bo", "bs", "ca", "ckb", "cs", "cy", "da", "de",
    "dz", "el", "en", "eo", "es", "et", "eu", "fa", "fi", "fil", "fr", "ga", "gl", "gu", "ha", "he", "hi",
    "hr", "ht", "hu", "hy", "id", "is", "it", "ja", "jv", "ka", "kk", "km", "kn", "ko", "ku", "ky", "lb",
    "lo", "lt", "lv", "mg", "mk", "ml", "mn", "mr", "ms", "mt", "my", "nb", "ne", "nl", "nn", "no", "or",
    "pa", "pl", "ps", "pt", "ro", "ru", "rw", "sa", "sd", "si", "sk", "sl", "so", "sq", "sr", "su", "sv",
    "sw", "ta", "te", "tg", "th", "ti", "tr", "ug", "uk", "ur", "uz", "vi", "xh", "yo", "yue", "zh", "zu",
)  # fmt: skip
_LIKE = {"no": "nb", "nn": "nb", "yue": "zh", "dz": "bo"}
_LONGEST_MARKER = 8
_BREAKS = ("\n", "\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029")
UNKNOWN = "und"


def segmented_languages() -> tuple[str, ...]:
    """Tags of the languages in which sentences are known to be found, sorted; of all others the script decides."""
    return tuple(sorted(_SEGMENTED))


def sentences(text: str, language: str) -> tuple[str, ...]:
    """Cut a text into sentences; joined they give it back, character for character.

    Blanks and line breaks are at the end of the sentence before them (and those at the beginning of the text, at its
    beginning). List items, headings and table rows are sentences. When in doubt, a sentence is not cut.

    Args:
        text: Any text, plain or Markdown, with any characters.
        language: Tag or name in any style. Of a language that is unknown or not among ``segmented_languages``, the marks
            of all scripts count and full stops are read as in English.

    Returns:
        The sentences, none of them empty; of a blank text the text itself, of an empty one nothing.
    """
    tag = _subtag(language)
    cuts: set[int] = set()
    for start, end in blocks(text):
        cuts.update(start + cut for cut in _ends(text[start:end], tag))
        cuts.add(end)
    return _parts(text, sorted(cuts))


def _subtag(language: str) -> str:
    try:
        tag = described(language).tag.split("-")[0]
    except UnknownNameError:
        return UNKNOWN
    return _LIKE.get(tag, tag)


def _ends(block: str, tag: str) -> set[int]:
    found = {moved(block, end) for end in (*library_ends(block, tag), *marked_ends(block))}
    found = {end for end in found if not refused(block, end, tag)}
    begins, marks = listed(block)
    found |= {moved(block, end) for end in missed_ends(block, tag)} | set(unspaced_ends(block)) | begins
    return found - marks - {0}


def _parts(text: str, cuts: list[int]) -> tuple[str, ...]:
    """Texts between cuts; one of marks or a number alone goes to the sentence after it, or before it at the end of a line."""
    parts: list[str] = []
    start = before = 0
    says = breaks = False
    for cut in cuts:
        says = says or any(map(str.isalnum, text[before:cut]))
        breaks = breaks or "\n" in text[before:cut]
        before = cut
        if says and cut - start <= _LONGEST_MARKER and LIST_MARKER.fullmatch(text[start:cut].strip()):
            says = False
        if says or breaks or cut == len(text):
            if parts and not parts[-1].endswith(_BREAKS) and not any(map(str.isalnum, text[start:cut])):
                parts[-1] += text[start:cut]
            else:
                parts.append(text[start:cut])
            start = cut
            says = breaks = False
    if len(parts) > 1 and not parts[-1].strip():
        last = parts.pop()
        parts[-1] += last
    return tuple(parts)
