"""Words that look like answers and are not: "no" before a noun, the article "A", 是 as a copula, "if yes".

Each table is a short list of facts about a language, keyed by its two-letter code. A word that is missing here is
read a little too willingly; a word that stands here must be set apart by punctuation, quotes or brackets.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from types import MappingProxyType


def _words(table: dict[str, str]) -> Mapping[str, frozenset[str]]:
    return MappingProxyType(
        {
            language: frozenset(unicodedata.normalize("NFKC", words).casefold().split())
            for language, words in table.items()
        }
    )


FUNCTION_WORDS = _words(
    {
        "am": "አይ የለም",
        "ar": "لا نعم ليس",
        "bg": "не да",
        "bn": "না নয় নেই হয়",
        "ca": "no sí si",
        "cs": "ne ano",
        "el": "όχι δεν ναι",
        "en": "no not right same different",
        "es": "no si",
        "et": "ei",
        "fa": "نه نیست",
        "fi": "ei",
        "gl": "non no si",
        "gu": "ના નથી નહીં હા",
        "he": "לא כן אין",
        "hi": "नहीं ना",
        "hr": "ne da",
        "hu": "nem",
        "id": "tidak bukan ya ada",
        "it": "no si",
        "kn": "ಇಲ್ಲ ಅಲ್ಲ",
        "ko": "네 예 아니",
        "ml": "ഇല്ല അല്ല",
        "ms": "tidak bukan ya",
        "pa": "ਨਹੀਂ ਨਾ",
        "pl": "nie tak",
        "pt": "não nao",
        "ro": "nu da",
        "ru": "нет да не",
        "sk": "nie áno",
        "sl": "ne da",
        "sr": "не да ne da",
        "sw": "hapana ndiyo si la",
        "ta": "இல்லை அல்ல",
        "te": "కాదు లేదు",
        "tr": "yok var değil",
        "uk": "ні так не",
        "ur": "نہیں نہ جی",
        "vi": "không có đúng phải",
    }
)
"""Answers that also negate, join or point: read only where something sets them apart."""

PARTICLES = _words({"de": "ja doch", "es": "sí", "fr": "non si", "it": "sì", "nl": "ja nee", "sv": "ja"})
"""Answers that are no answer inside a sentence ("Das ist ja falsch", "ou non", "entre sí") but are one at its start."""

LETTER_WORDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        language: frozenset(letters)
        for language, letters in {
            "bg": "АВИКОСУ", "ca": "AEIO", "cs": "AIKOSUVZ", "en": "AI", "es": "AEOUY", "fr": "AY", "gl": "AEO",
            "hu": "A", "it": "AEIO", "pl": "AIOUWZ", "pt": "AEO", "ro": "AEO", "ru": "АВИКОСУЯ", "sk": "AIKOSUVZ",
            "tr": "O", "uk": "АВЗІОУЯЄ", "vi": "AO", "el": "ΑΗΟ", "sw": "AI", "yo": "AEIO", "mi": "AEIO",
        }.items()
    }
)  # fmt: skip
"""Capital letters that begin a sentence as a word of its own ("A man …", "A primeira frase …", "В первом …")."""

NEGATIONS = _words(
    {
        "de": "nicht kein keine keiner keines keinen keinem weder noch nein",
        "en": "not never no nor neither none cannot can't isn't aren't doesn't don't wasn't won't rather",
        "es": "no ni nunca ningún ninguna ninguno tampoco",
        "fr": "pas ni non aucun aucune jamais ne",
        "id": "tidak bukan",
        "it": "non né nessuno nessuna mai",
        "ja": "ない",
        "nl": "niet geen noch",
        "pl": "nie ani żadne",
        "pt": "não nem nenhum nenhuma nunca",
        "ro": "nu nici",
        "ru": "не ни нет",
        "sv": "inte varken ingen",
        "sw": "si sio hapana",
        "vi": "không chưa chẳng",
        "zh": "不 不是 没 没有 非 并非 无 未",
    }
)
"""Words that turn round what follows within two words: "not the same", "weder A noch B"."""

CONDITIONS = _words(
    {
        "de": "wenn falls ob sofern",
        "en": "if whether when unless either",
        "es": "si cuando",
        "fr": "si s'il lorsque quand",
        "id": "jika apakah kalau",
        "it": "se quando",
        "nl": "als of indien",
        "pl": "jeśli jeżeli czy",
        "pt": "se quando",
        "ro": "dacă",
        "ru": "если ли",
        "sv": "om ifall",
        "sw": "kama ikiwa",
        "tr": "eğer",
        "vi": "nếu liệu",
        "zh": "如果 若 是否 假如",
    }
)
"""Words that make what follows a case and no claim: "if yes", "wenn ja"."""

DENIALS = (
    r"(?:is|are|was|does|ist|trifft|stimmt|est|n'est|es|era)\s"
    r"(?:not|nicht|pas|no|kein\w*|wrong|incorrect|false|falsch|unzutreffend|fausse?|incorrecte?|falsa?|incorrect[ao])\b"
    r"|(?:isn't|doesn't|aren't)\b|no\ses\b|(?:选项)?(?:不正确|不对|不成立|不是|不符合|是错|错误|错的)"
)
"""What denies the option letter before it: "(A) is not true", "A trifft nicht zu", "A不正确"."""
