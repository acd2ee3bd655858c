"""A model behind an OpenAI-compatible endpoint: chat completions, or responses."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, NoReturn
from urllib.parse import urlsplit

from hesperus.errors import MissingKeyError, ModelError, PermanentError, TransientError, UsageError
from hesperus.fingerprint import JSON, canonical_json
from hesperus.models import wire
from hesperus.models.batches import BatchEndpoint
from hesperus.models.dialects import Refusal, other_dialect
from hesperus.models.faults import fault, is_held_back, retry_after
from hesperus.models.protocol import ModelOptions
from hesperus.models.providers import PROVIDERS, Provider, azure_url, clean_base_url, is_loopback
from hesperus.models.responses import as_extra, read_responses, responses_body
from hesperus.models.scoring import chat_alternatives, echoed_logprob, first_token_logprobs
from hesperus.models.transport import RawReply, Transport
from hesperus.models.wire import Dialect
from hesperus.types import Reply, Request

RESERVED = frozenset(
    {"model", "messages", "input", "prompt", "stream", "n", "logprobs", "top_logprobs", "echo"}
)
"""Members of the body that ``ModelOptions.extra`` may not set: they belong to the request."""


class ChatModel:
    """Chat completions over HTTP.

    Opened, it holds a pool of connections; any number of ``reply`` calls may run at once.

    Args:
        name: ``provider/model``.
        options: How it is reached.

    Attributes:
        alternatives_shown: First tokens with a log-probability in the last scored reply; None before there was one.

    Raises:
        UsageError: The name lacks a model, the base URL is missing or unusable, or ``extra`` sets what the
            request decides.
    """

    def __init__(self, name: str, options: ModelOptions) -> None:
        prefix, _, self._model = name.partition("/")
        self._provider = _reached(PROVIDERS[prefix], name, options)
        self.name = name
        if not self._model:
            raise UsageError(f"model {name!r} names no model; write {prefix}/MODEL")
        clash = RESERVED & set(options.extra)
        if clash:
            raise UsageError(f"extra members of the request may not set {', '.join(sorted(clash))}")
        self._base_url = str(self._provider.base_url)
        self._responds = self._provider.protocol == "responses"
        self._extra = as_extra(options.extra) if self._responds else dict(options.extra)
        self._scoring = options.scoring
        limit_word = "max_output_tokens" if self._responds else self._provider.limit_word
        self._dialect = Dialect(limit_word, self._provider.seed_word, self._provider.top_logprobs)
        self._first_dialect = self._dialect
        self.alternatives_shown: int | None = None
        self._transport: Transport | None = None
        self._key: str | None = None
        self._where = f"{self._model} at {urlsplit(self._base_url).netloc}"
        self.identity: Mapping[str, str] = {
            "protocol": f"openai-{self._provider.protocol}",
            "base_url": self._base_url,
            "model": self._model,
            **({"extra": canonical_json(self._extra)} if self._extra else {}),
            **({"scoring": self._scoring} if self._scoring != "chat" else {}),
        }

    def __repr__(self) -> str:
        return f"ChatModel({self.name!r}, base_url={self._base_url!r})"

    async def open(self) -> None:
        """Read the key and make a pool of connections.

        Raises:
            MissingKeyError: The endpoint needs a key that is not set.
            UsageError: The key cannot be a header.
        """
        self._key = _read_key(self._provider, self.name)
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "hesperus"}
        if self._key is not None:
            is_bearer = self._provider.key_header == "Authorization"
            headers[self._provider.key_header] = f"Bearer {self._key}" if is_bearer else self._key
        self._transport = Transport(self._base_url, headers)
        await self._transport.open()

    async def close(self) -> None:
        """Close the connections."""
        if self._transport is not None:
            transport, self._transport = self._transport, None
            await transport.close()

    async def reply(self, request: Request) -> Reply:
        """Answer one request with one try.

        Where the endpoint refuses the member that bounds the reply's length, its other name is tried; where it refuses the
        role of a system text, that goes in front of the user's. What worked is kept from then on.

        Raises:
            TransientError: Worth another try.
            PermanentError: Not worth one.
        """
        if request.options and self._scoring == "echo":
            return await self._score_echo(request, request.options)
        try:
            return self._understood(request, await self._asked(request))
        except _HeldBackError:
            if request.options is None:
                return Reply("", "filter")
            raise

    def _understood(self, request: Request, document: Any) -> Reply:
        """The reply of a whole response to one request.

        Raises:
            ModelError: It holds none.
        """
        if request.options is None:
            return (read_responses if self._responds else wire.read_chat)(document, self._where)
        alternatives = chat_alternatives(wire.read_choice(document, self._where), self._where)
        self.alternatives_shown = len(alternatives)
        logprobs = first_token_logprobs(request.options, alternatives, self._where)
        return Reply("", "stop", logprobs, *wire.usage_of(document), served_by=wire.served_by(document))

    async def _score_echo(self, request: Request, options: tuple[str, ...]) -> Reply:
        prompt = "\n\n".join(filter(None, (request.prompt.system, request.prompt.user)))
        logprobs, served, counts = [], None, []
        for option in options:
            # One token is generated and left out again: some servers refuse a limit of 0.
            body: dict[str, JSON] = {
                "model": self._model,
                "prompt": prompt + option,
                "max_tokens": 1,
                "echo": True,
                "logprobs": 1,
                **self._extra,
            }
            document = await self._post("/completions", body)
            choice = wire.read_choice(document, self._where)
            logprobs.append(echoed_logprob(choice, prompt, option, self._where))
            counts.append(wire.usage_of(document))
            served = wire.served_by(document)
        total_in, total_out = (
            sum(known) if len(known := [c for c in column if c is not None]) == len(options) else None
            for column in zip(*counts, strict=True)
        )
        return Reply("", "stop", tuple(logprobs), total_in, total_out, served)

    async def _asked(self, request: Request) -> Any:
        """Send a request in the endpoint's dialect, and learn that from what it refuses."""
        dialect = self._dialect
        tried = {dialect}
        while True:
            try:
                document = await self._post(self._path, self._body(request, dialect), dialect)
            except _DialectError as refused:
                if refused.other in tried:
                    raise refused.plain from None
                dialect = refused.other
                tried.add(dialect)
                continue
            self._keep(dialect)
            return document

    @property
    def _path(self) -> str:
        return "/responses" if self._responds else "/chat/completions"

    def _body(self, request: Request, dialect: Dialect) -> dict[str, JSON]:
        """What is sent for a request.

        Raises:
            PermanentError: The endpoint cannot be asked this.
        """
        if request.options is not None:
            request = self._for_one_token(request)
        body_of = responses_body if self._responds else wire.chat_body
        body = {**body_of(self._model, request, dialect), **self._extra}
        body = {member: value for member, value in body.items() if value is not None}
        if request.options is not None:
            body |= {"logprobs": True, "top_logprobs": dialect.top_logprobs}
        return body

    def _for_one_token(self, request: Request) -> Request:
        if not request.options:
            raise PermanentError("a request for option log-probabilities names no option", kind="no_options")
        if self._provider.top_logprobs == 0:
            raise PermanentError(
                f"{self._provider.name} offers no log-probabilities; ask for text instead (--scoring generate)",
                kind="no_logprobs",
            )
        return replace(request, settings=replace(request.settings, max_tokens=1))

    @property
    def batch_url(self) -> str:
        """Where each line of a batch goes, as batch files name it."""
        return self._path if self._provider.name == "azure" else f"/v1{self._path}"

    def batch_body(self, request: Request) -> Mapping[str, JSON]:
        """The body of a request as a line of a batch, which is answered within a day at a lower price.

        Raises:
            PermanentError: It cannot be asked so.
        """
        if request.options is not None and self._scoring == "echo":
            raise PermanentError("a batch cannot score by echo; leave --scoring echo out", kind="unsupported")
        return self._body(request, self._dialect)

    def batch_reply(self, request: Request, raw: RawReply) -> Reply:
        """The reply of a line of a batch.

        Raises:
            TransientError: Worth another batch; kind ``dialect`` where the body will be another one then.
            PermanentError: Not worth one.
        """
        try:
            document = self._document(raw, self._body(request, self._dialect), self._dialect)
            return self._understood(request, document)
        except _HeldBackError:
            if request.options is None:
                return Reply("", "filter")
            raise
        except _DialectError as refused:
            self._keep(refused.other)
            raise TransientError(str(refused.plain), kind="dialect") from None
        except PermanentError:
            # A line that was sent before an earlier one of its batch was refused for the same reason.
            with suppress(_HeldBackError):
                self._as_first(request, raw)
            raise

    def _as_first(self, request: Request, raw: RawReply) -> None:
        """Raise where the line is refused in the dialect that is tried first, and another was learnt since."""
        if self._dialect == self._first_dialect or raw.status == 200:
            return
        try:
            self._document(raw, self._body(request, self._first_dialect), self._first_dialect)
        except _DialectError as refused:
            raise TransientError(str(refused.plain), kind="dialect") from None
        except PermanentError:
            return

    def batches(self) -> BatchEndpoint:
        """The endpoint's interface for batches; only between ``open`` and ``close``."""
        if self._transport is None:
            raise RuntimeError(f"{self.name}: batches before open")
        return BatchEndpoint(self._transport, self._where, self._key, self._provider.key_variable())

    @property
    def folds_system(self) -> bool:
        """Whether the endpoint was found to take no system role, so that a system text goes in front of the user's."""
        return self._dialect.folds_system

    def _keep(self, dialect: Dialect) -> None:
        """Speak this dialect from now on; what it changes in a prompt is said once."""
        if dialect.folds_system and not self._dialect.folds_system:
            warnings.warn(
                f"{self.name} takes no system role: the system text goes in front of the question",
                stacklevel=2,
            )
        self._dialect = dialect

    async def _post(self, path: str, body: Mapping[str, JSON], dialect: Dialect | None = None) -> Any:
        if self._transport is None:
            raise RuntimeError(f"{self.name}: reply before open")
        return self._document(await self._transport.post(path, wire.encode(body)), body, dialect)

    def _document(self, raw: RawReply, body: Mapping[str, JSON], dialect: Dialect | None) -> Any:
        """The document of a response.

        Raises:
            ModelError: It is an error, or none that can be read.
        """
        if raw.status == 200:
            document = wire.decode(raw.body, self._where)
            error = document.get("error") if isinstance(document, dict) else None
            if not error:
                return document
            status = (
                error.get("code") if isinstance(error, dict) else None
            )  # OpenRouter: errors with status 200
            raw = replace(raw, status=status if isinstance(status, int) and status >= 400 else 502)
        self._refuse(raw, body, dialect)

    def _refuse(self, raw: RawReply, body: Mapping[str, JSON], dialect: Dialect | None) -> NoReturn:
        """Raise what an unsuccessful response means."""
        if 300 <= raw.status < 400:
            target = _host(raw.headers.get("Location", "")) or "elsewhere"
            raise TransientError(
                f"{self._where} redirects to {target} ({raw.status}); redirects are not followed, as the key would "
                "go along: give the final address as the base URL",
                kind="redirect",
            )
        if 200 < raw.status < 300:
            raise TransientError(
                f"{self._where} answered with status {raw.status}, no completion", kind="bad_reply"
            )
        said, code, parameter = wire.read_error(raw.body, self._key)
        if is_held_back(raw.status, said, code):
            raise _HeldBackError(f"{self._where} held the prompt back: {said}", kind="filter")
        plain = fault(
            raw.status,
            said,
            code=code,
            where=self._where,
            variable=self._provider.key_variable(),
            wait=retry_after(raw.headers),
        )
        refusal = Refusal(raw.status, said, code, parameter)
        turns = body.get("messages") or body.get("input")
        has_system = isinstance(turns, list) and len(turns) > 1
        other = dialect and other_dialect(dialect, refusal, given=self._extra, has_system=has_system)
        if other is not None:
            raise _DialectError(plain, other)
        if body.get("logprobs") and raw.status in (400, 403, 404, 422) and "logprob" in f"{parameter} {said}":
            raise PermanentError(
                f"{self._where} gives no log-probabilities ({raw.status}): {said}", kind="no_logprobs"
            )
        if raw.status in (400, 422) and "temperature" in (parameter, said.split(" ", 1)[0]):
            raise type(plain)(f"{plain}; leave the temperature to the model", kind=plain.kind)
        raise plain


class _HeldBackError(PermanentError):
    """The endpoint's filter held the prompt back: a reply of a kind, and no reason to ask again."""


class _DialectError(PermanentError):
    """The endpoint wants the request put in another way."""

    def __init__(self, plain: ModelError, other: Dialect) -> None:
        super().__init__(str(plain), kind=plain.kind)
        self.plain, self.other = plain, other


def _host(address: str) -> str:
    """The host of an address that an endpoint gave; empty where it cannot be read."""
    try:
        return urlsplit(address).netloc
    except ValueError:
        return ""


def _reached(provider: Provider, name: str, options: ModelOptions) -> Provider:
    """The provider as the user's options have it."""
    if options.base_url is not None:
        url = clean_base_url(options.base_url)
        if provider.name == "azure":
            return _with_key(replace(provider, base_url=azure_url(url, name.partition("/")[2])), options)
        own = url == provider.base_url
        # Another address is another server: it need not share the provider's dialect, and a local one needs no key.
        provider = replace(
            provider,
            base_url=url,
            needs_key=provider.needs_key and not is_loopback(url),
            limit_word=provider.limit_word if own else "max_tokens",
            seed_word=provider.seed_word if own else "seed",
            top_logprobs=provider.top_logprobs if own else 20,
        )
    if provider.base_url is None:
        raise UsageError(f"model {name!r} needs its address: give --base-url, e.g. http://localhost:8000/v1")
    return _with_key(provider, options)


def _with_key(provider: Provider, options: ModelOptions) -> Provider:
    if options.key_variable is None:
        return provider
    return replace(provider, key_variables=(options.key_variable,), needs_key=True)


def _read_key(provider: Provider, model: str) -> str | None:
    """The key from the environment; None if the endpoint needs none and none is set."""
    variable = provider.key_variable()
    key = os.environ.get(variable, "").strip()
    if not key:
        if provider.needs_key:
            raise MissingKeyError(variable, model)
        return None
    if not key.isascii() or not key.isprintable() or " " in key:
        raise UsageError(f"the key in {variable} holds blanks or characters that no API key has")
    return key
