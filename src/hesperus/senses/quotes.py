"""Quotation marks: those that a model puts around a whole text, and the words that a text quotes."""

from __future__ import annotations

import re

# Opening mark to the marks that may close it. English, German, French, Danish, Swedish and East Asian styles, and the
# mixtures that keyboards make.
_CLOSERS = {
    '"': '"”“', "＂": "＂", "'": "'’", "`": "`´'", "“": '”"', "”": "”", "„": '“”"', "‘": "’'", "’": "’", "‚": "‘’'",
    "«": "»", "»": "«", "‹": "›", "›": "‹", "「": "」", "『": "』", "｢": "｣", "〝": "〞〟",
}  # fmt: skip

_SINGLE = "'’‘`´‚"
_MARKS = "".join(sorted({*_CLOSERS, *"".join(_CLOSERS.values())}))
_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
_OPENS = re.compile(r"(?:^|[\s(（\[{—–:：" + re.escape(_MARKS) + r"])$")
_CLOSES = re.compile(r"^(?:$|[\s)）\]},.;:!?…。，、；：！？—–" + re.escape(_MARKS) + r"])")

_QUOTED = (
    r"[“”„\"＂](?P<double>[^“”„\"＂\n]{1,80})[“”\"＂]"
    r"|「(?P<corner>[^「」\n]{1,80})」|『(?P<white>[^『』\n]{1,80})』|｢(?P<half>[^｢｣\n]{1,80})｣"
    r"|(?<!\w)['‘’‚`](?P<single>[^'‘’‚`´\n]{1,80})['’‘´](?!\w)"
)
_FRENCH = re.compile(_QUOTED + r"|[«‹](?P<angle>[^«»‹›\n]{1,80})[»›]")
_DANISH = re.compile(_QUOTED + r"|[»›](?P<angle>[^«»‹›\n]{1,80})[«‹]")


def trim_quotes(text: str, original: str = "") -> str:
    """Cut the quotation marks that a model put around a whole text, and blanks around it.

    Only a matching pair around everything is cut; marks that the original has too stay, and a text that is nothing
    but marks is left alone. Doing it twice changes nothing.

    Args:
        text: What the model returned.
        original: What it was asked to rephrase.

    Example:
        >>> trim_quotes('"Bitte antworten Sie mit "Ja" oder "Nein"."', 'Please answer with "yes" or "no".')
        'Bitte antworten Sie mit "Ja" oder "Nein".'
        >>> trim_quotes('"Ja" oder "Nein"', '"yes" or "no"')
        '"Ja" oder "Nein"'

    Reference:
        The paper's section 3.3: surrounding quotation marks were cut from the model's translations.
    """
    text, original = text.strip(), original.strip()
    quoted = _count(original)
    for _ in range(_layers(text, quoted) - _layers(original, quoted)):
        text = text[1:-1].strip()
    return text


def quoted_words(text: str) -> tuple[str, ...]:
    """What a text puts in quotation marks, in its order, without the marks and without commas or stops inside them.

    Example:
        >>> quoted_words("请用“是”或“不是”回答。")
        ('是', '不是')
        >>> quoted_words('Reply with “A,” “B,” or “C.”')
        ('A', 'B', 'C')
    """
    angles = re.search("[«»‹›]", text)
    pattern = _DANISH if angles and angles[0] in "»›" else _FRENCH
    words = []
    for match in pattern.finditer(text):
        word = next(group for group in match.groups() if group is not None)
        words.append(word.strip().rstrip(",.;:!?，。、；：！？").strip())
    return tuple(word for word in words if word)


def _count(text: str) -> int:
    """Quotation marks of a text, apostrophes inside words left aside."""
    return sum(char in _MARKS for char in _APOSTROPHE.sub("", text))


def _layers(text: str, quoted: int) -> int:
    """How many pairs of marks lie around the whole text."""
    layers = 0
    while _is_wrapped(text, quoted):
        text = text[1:-1].strip()
        layers += 1
    return layers


def _is_wrapped(text: str, quoted: int) -> bool:
    """Whether the first and the last character are one pair of marks with something in it."""
    if len(text) < 3 or text[-1] not in _CLOSERS.get(text[0], "") or not text[1:-1].strip(_MARKS + " \t\n"):
        return False
    opening, closing = text[0], _CLOSERS[text[0]]
    if opening not in closing:
        return _closes_last(text)
    inside = text[1:-1]
    if opening in _SINGLE:
        inside = _APOSTROPHE.sub("_", inside)
    places = [index for index, char in enumerate(inside) if char == opening]
    if not places:
        return True
    if len(places) % 2:
        return False
    first = places[0]
    opens = bool(_OPENS.search(inside[max(0, first - 1) : first]))
    closes = bool(_CLOSES.search(inside[first + 1 : first + 2]))
    if opens != closes:
        return opens
    # Scripts without blanks do not show which way a straight mark points; one pair more than the original tells.
    return _count(text) - quoted == 2


def _closes_last(text: str) -> bool:
    """Whether the first mark stays open up to the last character; pairs of other styles may lie inside."""
    expected = [text[-1]]
    for index, char in enumerate(text[1:], start=1):
        if char in expected[-1]:
            expected.pop()
        elif char in _CLOSERS and char not in _CLOSERS[char]:
            expected.append(_CLOSERS[char].replace('"', ""))
        if not expected:
            return index == len(text) - 1
    return False
