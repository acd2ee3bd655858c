"""JSON from a judge: the whole reply is the document, nothing else, and no key is in it twice."""

from __future__ import annotations

import json
import re

from hesperus.evaluators.judging import UnreadableReply

_FENCE = re.compile(r"```(?:json)?[ \t]*\n(.*?)\n?[ \t]*```", re.DOTALL | re.IGNORECASE)
_DEEPEST = 4


def strict_json(text: str) -> object:
    r"""Read a reply that is one JSON document, bare or as one code block.

    >>> strict_json('```json\n{"1": "supported"}\n```')
    {'1': 'supported'}

    Raises:
        UnreadableReply: It is anything else, or an object names a key twice.
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
        raise UnreadableReply("a key stands in it twice")
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
