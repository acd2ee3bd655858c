"""Hugging Face transformers: the same families as CTranslate2, slower, straight from a checkpoint.

Weights are read from safetensors only, and no code of a checkpoint is ever run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from hesperus.errors import DataError, MissingExtraError, PermanentError, TransientError, UsageError
from hesperus.translation.translator import GREEDY, Decoding, TextTooLongError
from hesperus.translation.translators.checkpoint import Checkpoint, Hints, describe
from hesperus.translation.translators.options import TranslatorOptions
from hesperus.translation.translators.texts import with_content

if TYPE_CHECKING:
    import torch

_WANTED = ("*.json", "*.safetensors", "*.model", "*.spm")
_TYPES = ("float32", "float16", "bfloat16")


class TransformersTranslator:
    """Translates with a sequence-to-sequence checkpoint; the weights are loaded with the first text.

    Args:
        checkpoint: A folder, or a name of the Hugging Face hub (which is fetched unless it was before).
        options: See TranslatorOptions.

    Raises:
        DataError: It is no checkpoint of a known family, or has no safetensors weights.
        MissingExtraError: A package of the extra ``hf`` is absent.
        UsageError: An Opus model whose languages cannot be told, or a compute type that there is not.
    """

    def __init__(self, checkpoint: str, options: TranslatorOptions | None = None) -> None:
        self._options = options or TranslatorOptions()
        if self._options.compute_type not in ("default", *_TYPES):
            raise UsageError(
                f"compute type {self._options.compute_type!r} is not one of default, {', '.join(_TYPES)}"
            )
        self._named = checkpoint
        self._folder = fetched(checkpoint)
        self._tokenizer = _tokenizer(self._folder)
        hints = Hints(self._options.reads, self._options.writes, self._options.max_input_tokens)
        # M2M-100's languages are apart from the words in newer transformers.
        words = {*self._tokenizer.get_vocab(), *getattr(self._tokenizer, "lang_token_to_id", {})}
        self._checkpoint = describe(self._folder, words, hints, name=self.name)
        self._counts = {"texts": 0, "cut": 0}

    @property
    def name(self) -> str:
        """``hf/`` and what was given; of a folder its last part."""
        return f"hf/{Path(self._named).resolve().name if Path(self._named).is_dir() else self._named}"

    @cached_property
    def identity(self) -> Mapping[str, str]:
        """Hash of the checkpoint's files, and what of the options decides the output."""
        import transformers

        digest = hashlib.blake2b(digest_size=16)
        for file in sorted(file for wanted in _WANTED for file in self._folder.glob(wanted)):
            with file.open("rb") as held:
                digest.update(file.name.encode() + hashlib.file_digest(held, "blake2b").digest())
        return MappingProxyType(
            {
                "translator": "transformers",
                "version": transformers.__version__,
                "checkpoint": digest.hexdigest(),
                "device": self._options.device,
                "compute_type": self._options.compute_type,
                "max_output_tokens": str(self._options.max_output_tokens),
            }
        )

    @property
    def checkpoint(self) -> Checkpoint:
        """What the model is."""
        return self._checkpoint

    @property
    def counts(self) -> Mapping[str, int]:
        """What happened so far: texts, and translations that reached the longest output and were cut there."""
        return MappingProxyType(dict(self._counts))

    def supports(self, source: str, target: str) -> bool:
        """Whether the model does this pair.

        Raises:
            UnknownNameError: There is no such language.
        """
        return self._checkpoint.codes(source, target) is not None

    def translate(
        self, texts: Sequence[str], source: str, target: str, decoding: Decoding = GREEDY
    ) -> Sequence[str]:
        """Translate each text; see hesperus.translation.Translator.

        Raises:
            UsageError: The model does not do the pair.
            TextTooLongError: A text is longer than the model reads; nothing was translated.
            TransientError: The device ran out of memory.
            PermanentError: A text is no Unicode text.
        """
        codes = self._checkpoint.pair(self.name, source, target)
        places = with_content(self.name, texts)
        cut = self._cut([texts[place] for place in places], codes)
        limit = self._checkpoint.limit
        sizes = {place: len(ids) for place, ids in zip(places, cut, strict=True) if len(ids) > limit}
        if sizes:
            raise TextTooLongError(self.name, texts, sizes, limit)
        done = list(texts)
        for batch in self._batches(cut):
            for number, text in zip(
                batch, self._written([cut[one] for one in batch], codes, decoding), strict=True
            ):
                done[places[number]] = text
        self._counts["texts"] += len(texts)
        return done

    def _cut(self, texts: Sequence[str], codes: tuple[str, str]) -> list[list[int]]:
        """Token numbers of each text, as the checkpoint's own tokenizer puts it."""
        if not texts:
            return []
        family = self._checkpoint.family
        if family in ("nllb", "m2m100"):
            self._tokenizer.src_lang = codes[0]
        elif codes[1]:
            mark = f"<2{codes[1]}> " if family == "madlad" else f">>{codes[1]}<< "
            texts = [mark + text for text in texts]
        cut: list[list[int]] = self._tokenizer(list(texts), truncation=False, verbose=False).input_ids
        return cut

    def _batches(self, cut: Sequence[Sequence[int]]) -> Iterator[list[int]]:
        """Places of texts of like length, as many as the budget of tokens takes, padding included."""
        batch: list[int] = []
        for number in sorted(range(len(cut)), key=lambda one: len(cut[one])):
            if batch and len(cut[number]) * (len(batch) + 1) > self._options.batch_tokens:
                yield batch
                batch = []
            batch.append(number)
        if batch:
            yield batch

    def _written(self, cut: list[list[int]], codes: tuple[str, str], decoding: Decoding) -> list[str]:
        import torch

        inputs = self._tokenizer.pad({"input_ids": cut}, return_tensors="pt").to(self._device)
        settings = self._settings(codes, decoding)
        longest = self._checkpoint.longest(self._options.max_output_tokens, codes)
        try:
            with torch.inference_mode(), torch.random.fork_rng(enabled=decoding.temperature is not None):
                if decoding.temperature is not None:
                    torch.manual_seed(decoding.seed)
                made = self._model.generate(
                    input_ids=inputs["input_ids"],
                    attention_mask=inputs["attention_mask"],
                    generation_config=settings,
                )
        except torch.OutOfMemoryError as error:
            raise TransientError(
                f"{self.name}: out of memory; set batch_tokens below {self._options.batch_tokens}",
                kind="memory",
            ) from error
        # The first token starts the decoder; a translation that ended before the others is filled up.
        written = made[:, 1 + len(self._checkpoint.begins(codes)) :]
        lengths = (written != self._tokenizer.pad_token_id).sum(dim=1)
        self._counts["cut"] += int((lengths >= longest).sum())
        texts: list[str] = self._tokenizer.batch_decode(written, skip_special_tokens=True)
        return texts

    def _settings(self, codes: tuple[str, str], decoding: Decoding) -> Any:
        """The checkpoint's generation settings, with the decoding's in their place."""
        import copy

        settings = copy.deepcopy(self._model.generation_config)
        begins = self._checkpoint.begins(codes)
        settings.update(
            max_length=None,
            max_new_tokens=self._checkpoint.longest(self._options.max_output_tokens, codes) + len(begins),
            num_beams=1 if decoding.temperature is not None else decoding.beams,
            do_sample=decoding.temperature is not None,
            early_stopping=decoding.beams > 1,
            temperature=decoding.temperature,
            top_p=decoding.top_p if decoding.temperature is not None else None,
            top_k=0 if decoding.temperature is not None else None,
            forced_bos_token_id=self._tokenizer.convert_tokens_to_ids(begins[0]) if begins else None,
        )
        return settings

    @cached_property
    def _device(self) -> torch.device:
        import torch

        wanted = self._options.device
        if wanted == "auto":
            wanted = "cuda" if torch.cuda.is_available() else "cpu"
        try:
            return torch.empty(0, device=wanted).device
        except (RuntimeError, AssertionError) as error:
            raise UsageError(f"there is no device {wanted!r}: {error}") from error

    @cached_property
    def _model(self) -> Any:
        import torch
        import transformers

        wanted = self._options.compute_type
        try:
            model = transformers.AutoModelForSeq2SeqLM.from_pretrained(
                self._folder,
                use_safetensors=True,
                trust_remote_code=False,
                dtype="auto" if wanted == "default" else getattr(torch, wanted),
            )
        except (OSError, ValueError) as error:
            raise DataError(f"cannot be loaded: {error}", file=self._folder) from error
        # Where a setting is None, generate takes the checkpoint's; a forced end would make what was cut look finished.
        model.generation_config.update(
            max_length=None, forced_eos_token_id=None, num_beams=1, early_stopping=False
        )
        return model.to(self._device).eval()


def fetched(checkpoint: str) -> Path:
    """The folder of a checkpoint: the one named, or the hub's copy of that name on this machine.

    Raises:
        MissingExtraError: transformers is not installed.
        DataError: There is none, or it has no weights in safetensors.
    """
    _needed()
    folder = Path(checkpoint)
    if not folder.is_dir():
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

        try:
            folder = Path(snapshot_download(checkpoint, allow_patterns=list(_WANTED)))
        except (HFValidationError, HfHubHTTPError, LocalEntryNotFoundError) as error:
            said = str(error).strip().splitlines()[0]
            raise DataError(f"{checkpoint!r} is no folder, and the hub does not give it: {said}") from error
    if not (folder / "config.json").is_file():
        raise DataError("is no checkpoint: it holds no config.json", file=folder)
    if not any(folder.glob("*.safetensors")):
        raise DataError(
            "has no weights in safetensors, and pickled ones are never read; load it where you trust it and save it "
            "with save_pretrained(…)",
            file=checkpoint,
        )
    return folder


def _needed() -> None:
    try:
        import torch
        import transformers
    except ImportError as error:
        raise MissingExtraError(
            "transformers and torch", "hf", "reading a Hugging Face checkpoint"
        ) from error
    del torch, transformers


def _tokenizer(folder: Path) -> Any:
    import transformers

    try:
        return transformers.AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
    except (OSError, ValueError, ImportError) as error:
        if "sentencepiece" in str(error).lower() and isinstance(error, ImportError):
            raise MissingExtraError("sentencepiece", "mt", "this checkpoint's tokenizer") from error
        raise PermanentError(
            f"{folder}: its tokenizer cannot be loaded: {error}", kind="tokenizer"
        ) from error
