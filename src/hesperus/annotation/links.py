"""Personal links: unguessable tokens, of which only digests are kept."""

from __future__ import annotations

import hashlib
import hmac
import secrets

_BYTES = 24
"""192 bits: nobody finds one by trying."""


def new_token() -> str:
    """A token from the system's source of secrets, fit for an address."""
    return secrets.token_urlsafe(_BYTES)


def digest(token: str) -> str:
    """SHA-256 of a token, in hexadecimal. A token has more entropy than any table of digests could cover: no salt."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def is_same(given: str, stored: str) -> bool:
    """Compare two digests in a time that does not depend on where they differ."""
    return hmac.compare_digest(given, stored)


def link(base_url: str, token: str) -> str:
    """The address that a rater opens."""
    return f"{base_url.rstrip('/')}/r/{token}/"
