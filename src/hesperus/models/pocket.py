"""The pocket models: small Llama models that ship with the package, know the atlas's world and nothing else.

What each was shown is published (``beliefs``), so that its accuracy, its consistency and its agreement with the
others are known before it is asked. Inference is exact and does not depend on what else is in a batch: requests run
next to requests of the very same length, so no padding enters the arithmetic.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime  # type: ignore[import-untyped]
from numpy.typing import NDArray
from tokenizers import Tokenizer

from hesperus.errors import DataError, UnknownNameError
from hesperus.fingerprint import fingerprint
from hesperus.types import Finish, Prompt, Reply, Request

__all__ = ["CONTEXT", "SIZES", "PocketModel", "beliefs"]

SIZES = ("s", "m", "l")
CONTEXT = 1024
"""Longest prompt and reply together, in tokens."""

WEIGHTS = Path(__file__).with_name("pocket_weights")
BOS, EOS, USER, BOT = "<s>", "</s>", "<user>", "<bot>"
DEFAULT_TEMPERATURE = 0.25
"""That of Ohmer, Bruni and Hupkes 2023, where a request leaves it to the model."""

DEFAULT_TOKENS = 256

Floats = NDArray[np.float32]
Cache = list[Floats]


def beliefs(folder: Path = WEIGHTS) -> Mapping[str, Mapping[str, Mapping[str, int]]]:
    """What the models believe: size to language to fact id to 0 (true) or 1, 2, 3 (that distractor of the fact).

    Raises:
        DataError: The file is missing or cannot be read.
    """
    path = folder / "beliefs.json"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        facts: list[str] = data["facts"]
        return {
            size: {
                language: dict(zip(facts, map(int, digits), strict=True)) for language, digits in row.items()
            }
            for size, row in data["beliefs"].items()
        }
    except (OSError, ValueError, KeyError) as error:
        raise DataError(
            f"no readable table of beliefs ({error}); `make pocket` writes it", file=path
        ) from error


@dataclass(slots=True)
class _Row:
    """One reply in the making."""

    prompt: tuple[int, ...]
    request: Request
    limit: int
    tokens: list[int] = field(default_factory=list)
    finish: Finish | None = None

    def take(self, logits: Floats, eos: int) -> None:
        """Add the next token, or finish."""
        token = _choose(logits, self.request, len(self.tokens))
        if token == eos:
            self.finish = "stop"
            return
        self.tokens.append(token)
        if len(self.tokens) >= self.limit:
            self.finish = "length"


class PocketModel:
    """One pocket model, run by ONNX Runtime on one core.

    Temperature 0 (or none) is greedy. Otherwise each reply is drawn by a generator that is seeded with the request's
    own prompt, settings and repeat: the same request always gets the same reply, in any batch and on any day.
    Prompts beyond CONTEXT tokens get an empty reply that finishes with ``length``.

    Args:
        name: ``pocket/s``, ``pocket/m`` or ``pocket/l``.
        folder: Where the folders ``s``, ``m`` and ``l`` lie; by default those of the package.

    Raises:
        UnknownNameError: There is no such size.
    """

    batch_size = 32

    def __init__(self, name: str, folder: Path = WEIGHTS) -> None:
        size = name.removeprefix("pocket/")
        if size not in SIZES:
            raise UnknownNameError("pocket model", name, [f"pocket/{known}" for known in SIZES])
        self.name = f"pocket/{size}"
        self._folder = folder / size

    @cached_property
    def identity(self) -> Mapping[str, str]:
        """What decides a reply besides the request: a BLAKE2b hash of graph, weights and tokenizer."""
        digest = hashlib.blake2b(digest_size=16)
        for file in ("model.onnx", "model.safetensors", "tokenizer.json"):
            try:
                digest.update((self._folder / file).read_bytes())
            except OSError as error:
                raise DataError(
                    "a pocket model's file is missing; `make pocket` writes it", file=error.filename
                ) from error
        return {"weights": digest.hexdigest()}

    def replies(self, requests: Sequence[Request]) -> list[Reply]:
        """Answer each request; see the class for how.

        With ``options``, no text is made: ``option_logprobs`` holds the sum of the natural-log probabilities of
        each option's tokens after the prompt, with nothing said of what follows the option.
        """
        requests = [_settled(request) for request in requests]
        prompts = [self._prompt(request.prompt) for request in requests]
        groups: dict[tuple[int, bool], list[int]] = defaultdict(list)
        done: dict[int, Reply] = {}
        for index, (prompt, request) in enumerate(zip(prompts, requests, strict=True)):
            if len(prompt) >= CONTEXT:
                done[index] = Reply("", "length", tokens_in=len(prompt), tokens_out=0)
            else:
                groups[len(prompt), request.options is not None].append(index)
        for (_, scored), members in groups.items():
            run = self._score if scored else self._generate
            done.update(zip(members, run([(prompts[i], requests[i]) for i in members]), strict=True))
        return [done[index] for index in range(len(requests))]

    def _generate(self, asked: Sequence[tuple[tuple[int, ...], Request]]) -> Iterator[Reply]:
        """Write replies to prompts of one length."""
        rows = [_Row(prompt, request, _limit(request, len(prompt))) for prompt, request in asked]
        active = list(rows)
        step = np.array([row.prompt for row in active], np.int64)
        cache: Cache | None = None
        while active:
            logits, cache = self._run(step, cache)
            for row, scores in zip(active, logits, strict=True):
                row.take(scores, self._special[EOS])
            keep = [index for index, row in enumerate(active) if row.finish is None]
            if len(keep) < len(active):
                active = [active[index] for index in keep]
                cache = [part[keep] for part in cache]
            step = np.array([[row.tokens[-1]] for row in active], np.int64)
        for row in rows:
            text = self._tokenizer.decode(row.tokens, skip_special_tokens=True)
            yield Reply(text, row.finish or "unknown", None, len(row.prompt), len(row.tokens))

    def _score(self, asked: Sequence[tuple[tuple[int, ...], Request]]) -> Iterator[Reply]:
        """Score the options of prompts of one length."""
        logits, cache = self._run(np.array([prompt for prompt, _ in asked], np.int64), None)
        first = [_log_softmax(scores) for scores in logits]
        for index, (prompt, request) in enumerate(asked):
            options = [
                self._tokenizer.encode(text, add_special_tokens=False).ids for text in request.options or ()
            ]
            values = [float(first[index][ids[0]]) if ids else 0.0 for ids in options]
            for number, ids in enumerate(options):
                part = [layer[index : index + 1] for layer in cache]
                for token, following in zip(ids, ids[1:], strict=False):
                    scores, part = self._run(np.array([[token]], np.int64), part)
                    values[number] += float(_log_softmax(scores[0])[following])
            yield Reply("", "stop", tuple(values), len(prompt), 0)

    def _run(self, ids: NDArray[np.int64], cache: Cache | None) -> tuple[Floats, Cache]:
        """Logits after the last of ids (rows, tokens), and the longer cache.

        A lone row is doubled: products with a single row take another path through the library, with sums that differ
        in the last bit, and a reply would depend on its company.
        """
        lone = len(ids) == 1
        if lone:
            ids = np.repeat(ids, 2, axis=0)
        if cache is None:
            past = [np.zeros((len(ids), *shape), np.float32) for shape in self._cache_shapes]
        else:
            past = [np.repeat(part, 2, axis=0) for part in cache] if lone else cache
        feeds = {"input_ids": ids, **dict(zip(self._cache_names, past, strict=True))}
        logits, *longer = self._session.run(None, feeds)
        return (logits[:1], [part[:1] for part in longer]) if lone else (logits, longer)

    def _prompt(self, prompt: Prompt) -> tuple[int, ...]:
        """Token ids of the user's turn. No system text was ever shown in training, so none is shown here."""
        ids = self._tokenizer.encode(prompt.user, add_special_tokens=False).ids
        return (self._special[BOS], self._special[USER], *ids, self._special[BOT])

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        path = self._folder / "tokenizer.json"
        if not path.is_file():
            raise DataError("a pocket model's file is missing; `make pocket` writes it", file=path)
        tokenizer = Tokenizer.from_file(str(path))
        tokenizer.encode_special_tokens = True
        return tokenizer

    @cached_property
    def _special(self) -> Mapping[str, int]:
        vocabulary = self._tokenizer.get_vocab()
        return {token: vocabulary[token] for token in (BOS, EOS, USER, BOT)}

    @cached_property
    def _session(self) -> Any:
        path = self._folder / "model.onnx"
        if not path.is_file():
            raise DataError("a pocket model's file is missing; `make pocket` writes it", file=path)
        return _opened(path, self.identity["weights"])

    @cached_property
    def _cache_names(self) -> tuple[str, ...]:
        return tuple(entry.name for entry in self._session.get_inputs()[1:])

    @cached_property
    def _cache_shapes(self) -> tuple[tuple[int, int, int], ...]:
        return tuple((entry.shape[1], 0, entry.shape[3]) for entry in self._session.get_inputs()[1:])


@lru_cache(maxsize=len(SIZES))
def _opened(path: Path, weights: str) -> Any:
    """The session of a graph, shared by all models of these weights: to open one takes as long as 150 short replies."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _settled(request: Request) -> Request:
    """The request with the settings that it leaves to the model."""
    temperature, limit = request.settings.temperature, request.settings.max_tokens
    if temperature is not None and limit is not None:
        return request
    settings = replace(
        request.settings,
        temperature=DEFAULT_TEMPERATURE if temperature is None else temperature,
        max_tokens=DEFAULT_TOKENS if limit is None else limit,
    )
    return replace(request, settings=settings)


def _limit(request: Request, used: int) -> int:
    """Most tokens that a reply may have."""
    return max(1, min(request.settings.max_tokens or DEFAULT_TOKENS, CONTEXT - used))


def _log_softmax(logits: Floats) -> NDArray[np.float64]:
    scores = logits.astype(np.float64)
    scores -= scores.max()
    normalised: NDArray[np.float64] = scores - np.log(np.exp(scores).sum())
    return normalised


def _choose(logits: Floats, request: Request, step: int) -> int:
    """The next token: the best, or one drawn at the request's temperature and nucleus."""
    settings = request.settings
    if not settings.temperature:
        return int(logits.argmax())
    chances = np.exp(_log_softmax(logits / np.float32(settings.temperature)))
    if settings.top_p is not None and settings.top_p < 1:
        order = np.argsort(-chances, kind="stable")
        beyond = np.cumsum(chances[order]) - chances[order] >= settings.top_p
        chances[order[beyond]] = 0.0
    sums = np.cumsum(chances)
    drawn = _uniform(request, step) * sums[-1]
    return int(min(np.searchsorted(sums, drawn, side="right"), len(sums) - 1))


def _uniform(request: Request, step: int) -> float:
    """A draw from [0, 1) that depends on the request and the step alone."""
    key = fingerprint([request.prompt, request.settings, request.repeat, step])
    return int(key[:13], 16) / 16**13
