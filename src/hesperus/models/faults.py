"""What an endpoint's refusal means: worth another try or not, in words that help and hold no secret."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from hesperus.errors import ModelError, PermanentError, TransientError

TRANSIENT_STATUSES = frozenset({408, 409, 425, 429})
"""Beside every 5xx but these."""

PERMANENT_STATUSES = frozenset({501, 505})

QUOTA_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
"""Error codes that come with status 429 though no wait will help."""

HELD_BACK_CODES = frozenset({"content_filter", "content_policy_violation", "data_inspection_failed"})
"""Error codes by which Azure, OpenAI, Moonshot and Alibaba say that a filter held a prompt, or its reply, back."""

HELD_BACK_WORDS = (
    "blocked by content filter",
    "content exists risk",
    "flagged as potentially violating",
    "your input was flagged",
)
"""What Anthropic, DeepSeek, OpenAI and OpenRouter say where they have no code for it."""

EXCERPT = 300
"""Longest piece of an endpoint's own words that is shown, in characters."""

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")
# Variables of the hub, such as HF_HUB_OFFLINE, look like its keys; they belong into messages.
_SECRETS = re.compile(
    r"(?i)\b(bearer\s+\S+|(?:sk|gsk|pk|xai|hf(?!_hub_|_home)|key)[-_][\w*.\-]{6,}|AIza[\w*\-]{6,})"
)
_WINDOW = 6


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the endpoint asks us to wait, from ``Retry-After`` (seconds or HTTP date) or ``retry-after-ms``.

    Returns:
        Seconds, at least 0, or None if the endpoint does not say or says nonsense.
    """
    for name, unit in (("retry-after-ms", 1e-3), ("Retry-After", 1.0)):
        value = headers.get(name, "").strip()
        if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", value):
            return float(value) * unit
    value = headers.get("Retry-After", "").strip()
    if not value:
        return None
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None


def excerpt(text: str, secret: str | None = None) -> str:
    """A short, printable piece of an endpoint's own words, keys cut out.

    Args:
        text: Untrusted text.
        secret: The key that was sent; every word that shares six characters in a row with it is cut.
    """
    flat = _CONTROLS.sub(" ", _SECRETS.sub("[key]", text[: 20 * EXCERPT]))
    if secret:
        pieces = {secret[i : i + _WINDOW] for i in range(max(1, len(secret) - _WINDOW + 1))}
        flat = " ".join("[key]" if any(p in word for p in pieces) else word for word in flat.split(" "))
    flat = " ".join(flat.split())
    return flat if len(flat) <= EXCERPT else flat[: EXCERPT - 1] + "…"


def is_held_back(status: int, said: str, code: str) -> bool:
    """Whether a refusal is that of a filter: a reply of a kind, which another try does not change.

    Args:
        status: HTTP status.
        said: The endpoint's own words.
        code: Its machine word; may be empty.
    """
    words = said.lower()
    return status in (400, 403) and (
        code in HELD_BACK_CODES or any(sign in words for sign in HELD_BACK_WORDS)
    )


def fault(status: int, said: str, *, code: str, where: str, variable: str, wait: float | None) -> ModelError:
    """Turn an error status into the exception to raise.

    Args:
        status: HTTP status, or the one that the body names.
        said: The endpoint's own words, already through ``excerpt``.
        code: The endpoint's machine word for the error; may be empty.
        where: ``model at host``.
        variable: Environment variable that holds the key.
        wait: Seconds to wait, from ``retry_after``.
    """
    tail = f": {said}" if said else ""
    kind = f"http_{status}"
    if status == 401:
        advice = f"refused the key; check the environment variable {variable}"
        return PermanentError(f"{where} {advice} (401){tail}", kind=kind)
    if status == 402 or code in QUOTA_CODES:
        return PermanentError(f"{where} reports no credit left ({status}){tail}", kind="quota")
    if status == 403:
        advice = f"forbids this; check what the key in {variable} may do, or whether the text was held back"
        return PermanentError(f"{where} {advice} (403){tail}", kind=kind)
    if status == 404:
        return PermanentError(
            f"{where} was not found; check the model's name and the base URL (404){tail}", kind=kind
        )
    if status == 429:
        return TransientError(f"{where} asks for fewer requests (429){tail}", kind=kind, retry_after=wait)
    if status in TRANSIENT_STATUSES or (status >= 500 and status not in PERMANENT_STATUSES):
        return TransientError(f"{where} failed for now ({status}){tail}", kind=kind, retry_after=wait)
    return PermanentError(f"{where} refused the request ({status}){tail}", kind=kind)
