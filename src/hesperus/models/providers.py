"""The providers that speak OpenAI-compatible chat completions: where they live and which key they take.

Facts from each provider's own pages on OpenAI compatibility. A user's ``--base-url`` overrides the address.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from hesperus.errors import UsageError

Protocol = Literal["chat", "responses"]
"""What an endpoint speaks: OpenAI's chat completions, which most copy, or its responses."""

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Provider:
    """One OpenAI-compatible endpoint.

    Attributes:
        name: Prefix of its model names.
        base_url: Root of the API; None if the user must give one.
        key_variables: Environment variables that may hold the key, the usual one first.
        needs_key: False where the endpoint usually runs without one.
        limit_word: Member of the request body that bounds the reply's length.
        seed_word: Member that seeds sampling; None if the endpoint takes none.
        top_logprobs: Most alternatives a token that it returns; 0 where it returns no log-probabilities.
        key_header: Header that holds the key; ``Authorization`` holds it as a bearer token.
        protocol: Protocol: chat completions, or OpenAI's responses.
    """

    name: str
    base_url: str | None
    key_variables: tuple[str, ...]
    needs_key: bool = True
    limit_word: str = "max_tokens"
    seed_word: str | None = "seed"
    top_logprobs: int = 20
    key_header: str = "Authorization"
    protocol: Protocol = "chat"

    def key_variable(self) -> str:
        """The variable that holds the key: the first that is set, else the usual one."""
        return next((v for v in self.key_variables if os.environ.get(v)), self.key_variables[0])


def key_given(model: str, variable: str | None) -> tuple[str, str] | None:
    """The variable and the API key with which a model is asked from here; None if no key is set, or the model takes none.

    Args:
        model: Name of the model.
        variable: Variable that the user names in place of the provider's; None for the usual.
    """
    provider = PROVIDERS.get(model.partition("/")[0])
    if provider is None:
        return None
    name = variable or provider.key_variable()
    key = os.environ.get(name)
    return (name, key) if key else None


_TABLE = (
    Provider("openai", "https://api.openai.com/v1", ("OPENAI_API_KEY",), limit_word="max_completion_tokens"),
    Provider(
        "openai-responses",
        "https://api.openai.com/v1",
        ("OPENAI_API_KEY",),
        seed_word=None,
        top_logprobs=0,
        protocol="responses",
    ),
    Provider(
        "azure", None, ("AZURE_OPENAI_API_KEY",), limit_word="max_completion_tokens", key_header="api-key"
    ),
    Provider("bedrock", None, ("AWS_BEARER_TOKEN_BEDROCK",), seed_word=None, top_logprobs=0),
    Provider(
        "cohere", "https://api.cohere.ai/compatibility/v1", ("COHERE_API_KEY", "CO_API_KEY"), top_logprobs=0
    ),
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


_API_VERSION = re.compile(r"api-version=[A-Za-z0-9.-]{1,40}")


def clean_base_url(url: str) -> str:
    """Check a base URL and bring it to one form, so that one endpoint has one identity.

    Args:
        url: As the user gave it; a trailing ``/``, ``/chat/completions`` or ``/responses`` is cut. Of queries, only Azure's
            ``api-version`` is taken.

    Raises:
        UsageError: It is no http(s) address, or holds a user, a password, another query or a fragment: those could
            carry secrets, and the base URL is stored next to every reply.
    """
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        raise UsageError("the base URL cannot be read; write it like http://localhost:8000/v1") from None
    if "@" in url or parts.fragment or (parts.query and not _API_VERSION.fullmatch(parts.query)):
        raise UsageError(
            "a base URL may hold no user, password, query or fragment (but Azure's api-version): it is stored with every "
            "reply; put the key into an environment variable and name that variable as the key variable"
        )
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"no base URL: {url!r}; write it like http://localhost:8000/v1")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    path = parts.path.rstrip("/").removesuffix("/chat/completions").removesuffix("/responses").rstrip("/")
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{host}{f':{port}' if port is not None else ''}{path}{query}"


def azure_url(url: str, deployment: str) -> str:
    """The root of an Azure deployment in either form: ``…/openai/v1``, or ``…/openai/deployments/NAME?api-version=…``.

    Args:
        url: From ``clean_base_url``; the resource alone, or either form whole.
        deployment: Name of the deployment.
    """
    root, question, query = url.partition("?")
    if urlsplit(root).path in ("", "/openai"):
        root = root.removesuffix("/openai") + (
            f"/openai/deployments/{deployment}" if question else "/openai/v1"
        )
    return f"{root}{question}{query}"


def is_loopback(base_url: str) -> bool:
    """True where the address is this machine."""
    host = urlsplit(base_url).hostname or ""
    return host in LOOPBACK or host.startswith("127.")
