"""Words after or before which a full stop, or a blank, says something about the sentence."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

NEVER_END: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        tag: frozenset(words.split())
        for tag, words in {
            "ar": "د أ م ا ص ج ق هـ",
            "as": "ড শ্ৰী অধ্যা",
            "be": "г гг ст праф акад ім вул",
            "bg": "проф инж доц",
            "bn": "ডা ড মো মোঃ প্রফেসর রা সা",
            "ca": "sr sra dr dra prof",
            "da": "hr fr dr prof stk nr kl tlf",
            "de": "hr fr dr prof nr st abs bd art",
            "el": "κ κα κκ δρ καθ αρ",
            "et": "hr pr dr prof nr lk",
            "fa": "د م",
            "fr": "m mm mr mlle mme mgr dr pr st ste n° nº",
            "gu": "ડૉ ડો શ્રી પ્રો",
            "he": "ד פרופ עו",
            "hi": "डॉ डा श्री श्रीमती प्रो मि कु पं",
            "hr": "g gđa dr prof br sv",
            "hu": "dr prof id ifj özv",
            "id": "dr drs ir prof no tn ny sdr",
            "ka": "კვ კმ მ სმ მმ ა წ წწ ე გვ",
            "kk": "ж жж т б",
            "kn": "ಡಾ ಶ್ರೀ ಪ್ರೊ",
            "ky": "ж жж б у с к",
            "mk": "г ѓ ул бр проф акад",
            "ml": "ഡോ ശ്രീ പ്രൊഫ",
            "mr": "डॉ श्री प्रा कै सौ",
            "ms": "dr prof tn en pn",
            "nb": "hr fr dr prof nr kl tlf",
            "ne": "डा श्री प्रा",
            "nl": "dhr mevr dr prof nr mr ir",
            "or": "ଡା ଡଃ ଶ୍ରୀ",
            "pa": "ਡਾ ਸ ਸ੍ਰੀ ਪ੍ਰੋ",
            "pl": "p dr prof mgr inż nr ul św",
            "pt": "sr sra srta dr dra prof profa eng av n.º nº",
            "ro": "dl dna d-na dr prof nr str sf",
            "ru": "г гг проф акад им ул",
            "sa": "डा डॉ श्री",
            "si": "ආචාර්ය මහාචාර්ය කි මි සෙ පෙ ප",
            "sk": "p dr prof ing č sv",
            "cs": "p dr prof ing č sv",
            "sl": "g ga dr prof št sv",
            "sr": "г гђа др проф бр св g gđa dr prof br sv",
            "es": "sr sra srta dr dra prof profa ud uds n° nº núm av cra",
            "it": "sig sigg dott prof ing avv n°",
            "sv": "hr fr dr prof nr kl tel",
            "ta": "திரு டாக்டர் முனைவர் டா",
            "te": "డా శ్రీ ప్రొ",
            "th": "ดร นาย น.ส ศ รศ ผศ พ.ต",
            "tr": "dr prof doç av sn yrd no",
            "uk": "проф акад ім вул ст",
            "vi": "ts ths gs pgs bs th.s tp ks",
        }.items()
    }
)
"""Titles and the like, case folded: a name or a number follows, never another sentence."""

MAY_END: frozenset[str] = frozenset(
    (
        "co", "corp", "inc", "ltd", "llc", "etc", "ecc", "usw", "u.s", "e.u", "u.k", "u.s.a", "u.n", "p.m",
        "a.m", "jr", "sr", "ph.d", "m.d", "osv", "mv", "m.m", "m.v", "enz", "e.v", "a.s", "s.a", "gmbh",
        "bros",
    )
)  # fmt: skip
"""Abbreviations that do end a sentence where a word follows that opens one."""

_OPENERS: Mapping[str, str] = MappingProxyType(
    {
        "da": "Jeg Du Han Hun Det Den De Der Vi Hvad Hvem Hvor Hvorfor Hvordan Men Og Så Da Når Dette Disse",
        "de": "Ich Du Er Sie Es Wir Ihr Das Der Die Ein Eine Dies Diese Dieser Dann Danach Da Aber Und Doch Was Wer Wie"
        " Wo Warum Wenn Als Nach In Im Am Auf Mit Für Bei Es Man Auch So Nun Heute",
        "en": "He She It They We You The This That These Those There A An But And However What Who Where Why How When In"
        " At On As If Then His Her Its Their My Our Your After Before For With Some Many Most",
        "es": "Él Ella Ellos El La Los Las Un Una Eso Esto Este Esta Pero Y Qué Quién Dónde Cuando Cómo En Como Entonces",
        "fr": "Il Elle Ils Elles Le La Les Un Une Des Ce Cela Cette Mais Et Je Nous Vous On Que Qui En Dans Pour",
        "it": "Lui Lei Loro Il Lo La I Gli Le Un Una Questo Questa Ma E Io Noi Voi Che Chi Dove Quando Come In",
        "nb": "Jeg Du Han Hun Det Den De Der Vi Hva Hvem Hvor Hvorfor Hvordan Men Og Så Da Når Dette Disse",
        "nl": "Ik Jij Hij Zij Het De Een Dat Dit Deze Die Wij Maar En Wat Wie Waar Waarom Hoe Als Toen In Op",
        "pl": "On Ona Ono Oni To Ten Ta Ale I A Co Kto Gdzie Dlaczego Jak Kiedy W Na Po",
        "pt": "Ele Ela Eles Elas O A Os As Um Uma Isso Isto Este Esta Mas E Eu Nós Que Quem Onde Quando Como Em No Na",
        "sv": "Jag Du Han Hon Det Den De Vi Vad Vem Var Varför Hur Men Och Så Då När Detta Dessa",
    }
)

OPENERS: Mapping[str, frozenset[str]] = MappingProxyType(
    {tag: frozenset(words.split()) for tag, words in _OPENERS.items()}
)
"""Capitalised words that begin sentences and are no names."""

ORDINAL_DOT = frozenset(
    (
        "bs", "cs", "da", "de", "et", "eu", "fi", "fo", "hr", "hsb", "hu", "is", "lb", "lv", "mk", "nb",
        "nn", "no", "sk", "sl", "sr", "tr", "pl", "gsw", "se",
    )
)  # fmt: skip
"""Languages that write an ordinal number with a full stop."""

TIBETAN_CONNECTIVES = frozenset(("དང", "ན", "ནས", "ཞིང", "ཅིང", "ཤིང", "སྟེ", "ཏེ", "ཀྱང", "ཡང", "འང", "ཟད"))
"""Syllables that go on with the sentence after a shad."""
