"""``hf/ORG/NAME``: a model of transformers as a model that answers requests. Loads torch when it is first asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hesperus.checkpoints import Checkpoint, device_of, locate, required, source_of
from hesperus.errors import UsageError
from hesperus.fingerprint import canonical_json
from hesperus.models.hf.identity import identity
from hesperus.models.protocol import Loading, ModelOptions
from hesperus.types import Reply, Request

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from hesperus.models.hf.encoding import Encoder
    from hesperus.models.hf.runtime import Runtime

__all__ = ["HfModel"]

_ON_ACCELERATOR, _ON_CPU, _LEAST_ON_CPU = 1024, 256, 32
"""Requests that are answered at a time."""

_BYTES_ON_CPU = 1 << 35
"""Requests on a CPU times bytes of weights: what is answered at a time is lost if the process is killed."""


class HfModel:
    """A causal language model of transformers.

    Prompts go through the checkpoint's chat template where it has one, and in plain otherwise. Temperature 0 (or none) is
    greedy; otherwise each reply is drawn by a generator of its own, seeded with the request. What prompts begin with in
    common is computed once, and what else is in a batch is masked: it changes numbers by rounding only.

    One model is loaded at a time: loading another gives the memory of the first back.

    Args:
        name: ``hf/ORG/NAME``, ``hf/ORG/NAME@REVISION``, ``hf/./folder`` or ``hf//absolute/folder``.
        options: ``loading``, ``scoring`` (``echo`` scores options after the plain prompt, without the chat template) and
            ``extra`` (arguments of the chat template) are used.

    Raises:
        MissingExtraError: torch or transformers is not installed.
        UsageError: The name names nothing, the folder cannot be loaded safely, or an option does not fit.
    """

    by_text = True
    _loaded: HfModel | None = None

    def __init__(self, name: str, options: ModelOptions) -> None:
        required("hf", f"model {name!r}")
        if options.base_url is not None or options.key_variable is not None:
            raise UsageError(f"{name} runs in this process: it takes no base URL and no key")
        _check(options.loading)
        self.name = name
        self._options = options
        self._source = source_of(name, prefix="hf/")
        if self._source.folder is not None:
            locate(self._source)
        self._runtime: Runtime | None = None

    @cached_property
    def identity(self) -> Mapping[str, str]:
        """What decides a reply besides the request: hashes of the checkpoint's files, dtype, chat template.

        A checkpoint of the hub is fetched first, if it is not in the cache.
        """
        options = self._options
        return {
            "protocol": "transformers",
            **identity(self._checkpoint),
            "dtype": self._dtype(),
            **({"scoring": options.scoring} if options.scoring != "chat" else {}),
            **({"extra": canonical_json(options.extra)} if options.extra else {}),
        }

    @property
    def batch_size(self) -> int:
        """How many requests ``replies`` is handed at most."""
        given = self._options.loading.batch_size
        if given is not None:
            return given
        if device_of(self._options.loading.device).type != "cpu":
            return _ON_ACCELERATOR
        weights = sum(file.stat().st_size for file in self._checkpoint.weight_files)
        return max(_LEAST_ON_CPU, min(_ON_CPU, _BYTES_ON_CPU // max(1, weights)))

    def replies(self, requests: Sequence[Request]) -> list[Reply]:
        """Answer each request; see the class for how.

        With ``options``, no text is made: ``option_logprobs`` holds the sum of the natural-log probabilities of each
        option's tokens after the prompt, with nothing said of what follows the option.

        Raises:
            PermanentError: A prompt that is too long, that the chat template refuses, or that does not fit into memory.
            UsageError: The checkpoint cannot be loaded.
        """
        made: dict[int, Reply] = {}
        for run, scored in ((self._scored, True), (self._generated, False)):
            places = [i for i, request in enumerate(requests) if (request.options is not None) is scored]
            if places:
                made.update(zip(places, run([requests[i] for i in places]), strict=True))
        return [made[i] for i in range(len(requests))]

    def state_shape(self) -> tuple[int, int]:
        """Layers, the embeddings as the first, and numbers in a hidden state."""
        from hesperus.models.hf.states import shape_of

        return shape_of(self._ready())

    def last_token_states(self, texts: Sequence[str], into: npt.NDArray[np.float32]) -> None:
        """Write the hidden states of the last token of each text, plain and without a chat template.

        Args:
            texts: The texts.
            into: [layers, texts, hidden], with the layers of `state_shape`; may be mapped from a file.

        Raises:
            PermanentError: A text is longer than the model's context, or does not fit into memory.
        """
        from hesperus.models.hf.states import last_token_states

        runtime = self._ready()
        last_token_states(runtime, [self._encoder.text(text) for text in texts], into)

    def unload(self) -> None:
        """Give the memory back; the next request loads again."""
        if self._runtime is not None:
            self._runtime.close()
            self._runtime = None
        if HfModel._loaded is self:
            HfModel._loaded = None

    def _scored(self, requests: Sequence[Request]) -> list[Reply]:
        from hesperus.models.hf.scoring import option_logprobs

        runtime, plain = self._ready(), self._options.scoring == "echo"
        asked = self._encoder.scored(
            [(request.prompt, request.options or ()) for request in requests], plain=plain
        )
        found = option_logprobs(runtime, asked)
        served = self._checkpoint.served_by
        return [
            Reply("", "stop", values, len(one.prompt), 0, served)
            for one, values in zip(asked, found, strict=True)
        ]

    def _generated(self, requests: Sequence[Request]) -> list[Reply]:
        from hesperus.models.hf.generating import replies

        runtime = self._ready()
        asked = [(self._encoder.prompt(request.prompt), request) for request in requests]
        return replies(runtime, self._encoder, asked, self._checkpoint.served_by)

    @cached_property
    def _checkpoint(self) -> Checkpoint:
        return locate(self._source)

    @cached_property
    def _encoder(self) -> Encoder:
        from hesperus.models.hf.encoding import Encoder

        return Encoder(self._ready().tokenizer, self._options.extra, self.name)

    def _ready(self) -> Runtime:
        """The loaded model; whatever was loaded before gives its memory back."""
        if self._runtime is None:
            from hesperus.models.hf.runtime import Runtime

            if HfModel._loaded is not None:
                HfModel._loaded.unload()
            self._runtime = Runtime(self._checkpoint, self._options.loading, self.name)
            HfModel._loaded = self
        return self._runtime

    def _dtype(self) -> str:
        """The precision that is asked for, or that the checkpoint says it has."""
        given = self._options.loading.dtype
        if given != "auto":
            return given
        config: Mapping[str, Any] = self._checkpoint.config
        return str(config.get("dtype") or config.get("torch_dtype") or "auto")


def _check(loading: Loading) -> None:
    if loading.batch_size is not None and loading.batch_size < 1:
        raise UsageError(f"the batch size is 1 or more, not {loading.batch_size}")
