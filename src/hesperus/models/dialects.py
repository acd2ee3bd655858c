"""What a refusal tells of an endpoint's dialect, so that the request can be put in another way that means the same."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from hesperus.models.wire import Dialect

LIMIT_WORDS = ("max_completion_tokens", "max_tokens")

FEW = 5
"""Alternatives a token that endpoints give which give few."""

_UNKNOWN_MEMBER = (
    "unsupported",
    "not supported",
    "unrecognized",
    "unknown",
    "not permitted",
    "extra_forbidden",
)
_NO_SUCH_ROLE = (
    *_UNKNOWN_MEMBER,
    "does not support",
    "only user and assistant",
    "must alternate",
    "not allowed",
    "invalid",
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """What an endpoint said against a request.

    Attributes:
        status: HTTP status.
        said: Its words.
        code: Its machine word; may be empty.
        parameter: The member that it names; may be empty.
    """

    status: int
    said: str
    code: str
    parameter: str


def other_dialect(
    dialect: Dialect, refusal: Refusal, *, given: Collection[str], has_system: bool
) -> Dialect | None:
    """The dialect in which the request is worth another try; None if the refusal is about something else.

    Args:
        dialect: In which the request was put.
        refusal: What the endpoint said.
        given: Members that the user sets, which are left as they are.
        has_system: Whether the request had a system text.
    """
    if refusal.status not in (400, 404, 422, 500):
        return None
    words = f"{refusal.code} {refusal.said}".lower()
    if has_system and not dialect.folds_system and _refuses_system(words, refusal.parameter):
        return replace(dialect, folds_system=True)
    if "top_logprobs" in (refusal.parameter, *words.replace("`", " ").replace("'", " ").split()):
        return replace(dialect, top_logprobs=FEW) if dialect.top_logprobs > FEW else None
    word = dialect.limit_word
    if refusal.status in (400, 422) and word in LIMIT_WORDS and word not in given and _refuses(word, refusal):
        return replace(dialect, limit_word=next(other for other in LIMIT_WORDS if other != word))
    return None


def _refuses_system(words: str, parameter: str) -> bool:
    """True where an error says that there is no role for a system text."""
    names_role = "role" in words or parameter.endswith(".role")
    if names_role and "must alternate" in words:  # there are two turns, of which the first is the system's
        return True
    return (
        names_role
        and ("system" in words or "only user and assistant" in words)
        and any(sign in words for sign in _NO_SUCH_ROLE)
    )


def _refuses(word: str, refusal: Refusal) -> bool:
    """True where an error says that the member ``word`` itself is not known, rather than its value."""
    said = f"{refusal.code} {refusal.said}"
    first = min((w for w in LIMIT_WORDS if w in said), key=said.find, default="")
    return word in (refusal.parameter, first) and any(sign in said.lower() for sign in _UNKNOWN_MEMBER)
