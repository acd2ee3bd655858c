"""The providers that speak OpenAI-compatible chat completions: where they live and which key they take.

Facts from each provider's own pages on OpenAI compatibility. A user's ``--base-url`` overrides the address.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from urllib.parse import urlsplit

from hesperus.errors import UsageError

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Provider:
    """One OpenAI-compatible endpoint.

    Attributes:
        name: Prefix of its model names.
        base_url: Root of the API; None where the user must give one.
        key_variables: Environment variables that may hold the key, the usual one first.
        needs_key: False where the endpoint usually runs without one.
        limit_word: Member of the request body that bounds the reply's length.
        seed_word: Member that seeds sampling; None where the endpoint takes none.
        top_logprobs: Most alternatives a token that it returns; 0 where it returns no log-probabilities.
    """

    name: str
    base_url: str | None
    key_variables: tuple[str, ...]
    needs_key: bool = True
    limit_word: str = "max_tokens"
    seed_word: str | None = "seed"
    top_logprobs: int = 20

    def key_variable(self) -> str:
        """The variable that holds the key: the first that is set, else the usual one."""
        return next((v for v in self.key_variables if os.environ.get(v)), self.key_variables[0])


_TABLE = (
    Provider("openai", "https://api.openai.com/v1", ("OPENAI_API_KEY",), limit_word="max_completion_tokens"),
    Provider(
        "anthropic", "https://api.anthropic.com/v1", ("ANTHROPIC_API_KEY",), seed_word=None, top_logprobs=0
    ),
    Provider(
        "google",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    ),
    Provider(
        "mistral",
        "https://api.mistral.ai/v1",
        ("MISTRAL_API_KEY",),
        seed_word="random_seed",
        top_logprobs=0,
    ),
    Provider("deepseek", "https://api.deepseek.com/v1", ("DEEPSEEK_API_KEY",), seed_word=None),
    Provider("openrouter", "https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",)),
    Provider("together", "https://api.together.ai/v1", ("TOGETHER_API_KEY",)),
    Provider("groq", "https://api.groq.com/openai/v1", ("GROQ_API_KEY",), top_logprobs=0),
    Provider("ollama", "http://localhost:11434/v1", ("OLLAMA_API_KEY",), needs_key=False),
    Provider("vllm", "http://localhost:8000/v1", ("VLLM_API_KEY",), needs_key=False),
    Provider("http", None, ("HESPERUS_API_KEY",), needs_key=False),
)

PROVIDERS = {provider.name: provider for provider in _TABLE}


def clean_base_url(url: str) -> str:
    """Check a base URL and bring it to one form, so that one endpoint has one identity.

    Args:
        url: As the user gave it; a trailing ``/`` or ``/chat/completions`` is cut.

    Raises:
        UsageError: It is no http(s) address, or holds a user, a password, a query or a fragment: those could
            carry secrets, and the base URL is stored beside every reply.
    """
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        raise UsageError("the base URL cannot be read; write it like http://localhost:8000/v1") from None
    if "@" in url or parts.query or parts.fragment:
        raise UsageError(
            "a base URL may hold no user, password, query or fragment: it is stored with every reply; put the key "
            "into an environment variable and name that variable as the key variable"
        )
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"no base URL: {url!r}; write it like http://localhost:8000/v1")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    path = parts.path.rstrip("/").removesuffix("/chat/completions").rstrip("/")
    return f"{parts.scheme}://{host}{f':{port}' if port is not None else ''}{path}"


def is_loopback(base_url: str) -> bool:
    """True where the address is this machine."""
    host = urlsplit(base_url).hostname or ""
    return host in LOOPBACK or host.startswith("127.")
