"""Models of any provider that Inspect knows, through its model layer (extra ``inspect``).

Inspect's own retries and cache are switched off: retrying and storing are done once, by ``hesperus.asking``.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from hesperus.errors import MissingExtraError, PermanentError, TransientError, UsageError
from hesperus.fingerprint import canonical_json
from hesperus.models.faults import excerpt
from hesperus.models.protocol import ModelOptions
from hesperus.models.providers import clean_base_url
from hesperus.models.scoring import first_token_logprobs
from hesperus.types import Finish, Reply, Request

_FINISHES: Mapping[str, Finish] = {
    "stop": "stop",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "filter",
}

_CONNECTIONS = 1024
"""Above any concurrency that asking allows, so that one limit governs."""

_PERMANENT_STATUSES = frozenset({400, 401, 402, 403, 404, 413, 422})


class InspectModel:
    """``inspect/PROVIDER/NAME``: Inspect's ``PROVIDER/NAME``.

    Keys come from the variables that Inspect's provider reads.

    Args:
        name: Name with the prefix.
        options: ``base_url`` and ``extra`` (Inspect's model arguments) are handed on.

    Raises:
        MissingExtraError: inspect_ai is not installed.
        UsageError: The name lacks a provider or a model, or a key variable was given.
    """

    def __init__(self, name: str, options: ModelOptions) -> None:
        self._model_name = name.partition("/")[2]
        if "/" not in self._model_name:
            raise UsageError(f"model {name!r} names no provider of Inspect; write inspect/PROVIDER/NAME")
        if options.key_variable is not None:
            raise UsageError("Inspect's providers read their own key variables; leave the key variable out")
        if find_spec("inspect_ai") is None:
            raise MissingExtraError("inspect-ai", "inspect", f"model {name!r}")
        self.name = name
        self._base_url = None if options.base_url is None else clean_base_url(options.base_url)
        self._arguments: dict[str, Any] = dict(options.extra)
        self._model: Any = None
        self.identity: Mapping[str, str] = {
            "protocol": "inspect",
            "model": self._model_name,
            **({"base_url": self._base_url} if self._base_url else {}),
            **({"extra": canonical_json(options.extra)} if options.extra else {}),
        }

    async def open(self) -> None:
        """Make Inspect's client.

        Raises:
            UsageError: Inspect cannot make it: unknown provider, missing package or missing key.
        """
        try:
            self._model = import_module("inspect_ai.model").get_model(
                self._model_name, base_url=self._base_url, memoize=False, **self._arguments
            )
        except Exception as error:  # the clients of some twenty providers raise what they like
            raise UsageError(f"Inspect cannot open {self._model_name}: {excerpt(str(error))}") from None

    async def close(self) -> None:
        """Close Inspect's client."""
        if self._model is not None:
            model, self._model = self._model, None
            await model.api.aclose()

    async def reply(self, request: Request) -> Reply:
        """Answer one request with one try.

        Raises:
            TransientError: Inspect would try again.
            PermanentError: It would not, or option log-probabilities are not offered.
        """
        if self._model is None:
            raise RuntimeError(f"{self.name}: reply before open")
        try:
            output = await self._model.generate(_messages(request), config=_config(request), cache=False)
        except Exception as error:  # see open
            raise self._failure(error) from None
        if not output.choices:
            raise TransientError(f"{self.name} sent a reply without any choice", kind="empty_choices")
        usage = output.usage
        tokens_in, tokens_out = (
            (usage.input_tokens, usage.output_tokens) if usage is not None else (None, None)
        )
        served = output.model or None
        if request.options is not None:
            logprobs = first_token_logprobs(request.options, self._alternatives(output), self.name)
            return Reply("", "stop", logprobs, tokens_in, tokens_out, served)
        finish = _FINISHES.get(output.stop_reason, "unknown")
        return Reply(output.completion, finish, None, tokens_in, tokens_out, served, _thought(output))

    def _alternatives(self, output: Any) -> dict[str, float]:
        shown = output.choices[0].logprobs
        if shown is None or not shown.content or not shown.content[0].top_logprobs:
            raise PermanentError(
                f"{self.name} returned no log-probabilities; ask for text instead (--scoring generate)",
                kind="no_logprobs",
            )
        return {entry.token: entry.logprob for entry in shown.content[0].top_logprobs}

    def _failure(self, error: Exception) -> TransientError | PermanentError:
        """What Inspect's provider thinks of an error: a plain truth value, or a decision with a wait."""
        status = getattr(error, "status_code", None)
        kind = f"http_{status}" if isinstance(status, int) else "inspect"
        message = f"{self.name}: {type(error).__name__}: {excerpt(str(error))}"
        decision = self._model.api.should_retry(error)
        if decision and status not in _PERMANENT_STATUSES:
            return TransientError(message, kind=kind, retry_after=getattr(decision, "retry_after", None))
        return PermanentError(message, kind=kind)


def _thought(output: Any) -> str | None:
    """What the model thought, as far as it can be read; None if it did not say."""
    parts = output.choices[0].message.content
    thoughts = [part for part in parts if part.type == "reasoning"] if isinstance(parts, list) else []
    said = ((part.summary if part.redacted else part.reasoning) or "" for part in thoughts)
    return "\n".join(filter(str.strip, said)) or None


def _messages(request: Request) -> list[Any]:
    inspect = import_module("inspect_ai.model")
    messages = [inspect.ChatMessageUser(content=request.prompt.user)]
    if request.prompt.system is not None:
        messages.insert(0, inspect.ChatMessageSystem(content=request.prompt.system))
    return messages


def _config(request: Request) -> Any:
    settings, scored = request.settings, request.options is not None
    return import_module("inspect_ai.model").GenerateConfig(
        max_retries=0,
        max_connections=_CONNECTIONS,
        temperature=settings.temperature,
        max_tokens=1 if scored else settings.max_tokens,
        top_p=settings.top_p,
        seed=settings.seed,
        logprobs=True if scored else None,
        top_logprobs=20 if scored else None,
    )
