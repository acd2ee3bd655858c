"""Hugging Face transformers: the same families as CTranslate2, slower, straight from a checkpoint.

Weights are read from safetensors only, and no code of a checkpoint is ever run.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from hesperus.checkpoints import device_of, load_model, load_tokenizer, locate, required, source_of
from hesperus.errors import TransientError, UsageError
from hesperus.translation.translator import Decoding
from hesperus.translation.translators.checkpoint import Hints, describe
from hesperus.translation.translators.seq2seq import Seq2SeqTranslator, Written
from hesperus.translation.translators.translator_options import TranslatorOptions

_PREFIX = "hf/"
_HASHED = ("*.json", "*.safetensors", "*.model", "*.spm")
_TYPES = ("float32", "float16", "bfloat16")


class TransformersTranslator(Seq2SeqTranslator[int]):
    """Translates with a sequence-to-sequence checkpoint; the weights are loaded with the first text.

    Args:
        checkpoint: A folder, or a name of the Hugging Face hub (which is fetched unless it was before).
        options: See TranslatorOptions.

    Raises:
        DataError: It is of no family that is known, or a file of it cannot be read.
        MissingExtraError: A package of the extra ``hf`` is absent.
        UsageError: It is no checkpoint, has no safetensors weights or no tokenizer that can be loaded; the languages
            of an Opus model cannot be told; or the compute type is unknown.
    """

    def __init__(self, checkpoint: str, options: TranslatorOptions | None = None) -> None:
        options = options or TranslatorOptions()
        if options.compute_type not in ("default", *_TYPES):
            raise UsageError(
                f"compute type {options.compute_type!r} is not one of default, {', '.join(_TYPES)}"
            )
        required("hf", "reading a Hugging Face checkpoint")
        source = source_of(f"{_PREFIX}{checkpoint}", prefix=_PREFIX, bare_folders=True)
        name = f"{_PREFIX}{source.folder.resolve().name}" if source.folder else source.name
        self._given = source.name
        # All weights are hashed, so that all are fetched.
        self._folder = locate(source, more=_HASHED).folder
        self._tokenizer = load_tokenizer(self._folder, self._given)
        hints = Hints(options.reads, options.writes, options.max_input_tokens)
        # M2M-100's languages are apart from the words in newer transformers.
        words = {*self._tokenizer.get_vocab(), *getattr(self._tokenizer, "lang_token_to_id", {})}
        super().__init__(name, describe(self._folder, words, hints, name=name), options)

    def _files(self) -> Mapping[str, str]:
        import transformers

        digest = hashlib.blake2b(digest_size=16)
        for file in sorted(file for hashed in _HASHED for file in self._folder.glob(hashed)):
            with file.open("rb") as held:
                digest.update(file.name.encode() + hashlib.file_digest(held, "blake2b").digest())
        return {
            "translator": "transformers",
            "version": transformers.__version__,
            "checkpoint": digest.hexdigest(),
        }

    def _put(self, texts: Sequence[str], codes: tuple[str, str]) -> list[list[int]]:
        family = self._checkpoint.family
        if family in ("nllb", "m2m100"):
            self._tokenizer.src_lang = codes[0]
        elif codes[1]:
            mark = f"<2{codes[1]}> " if family == "madlad" else f">>{codes[1]}<< "
            texts = [mark + text for text in texts]
        put: list[list[int]] = self._tokenizer(list(texts), truncation=False, verbose=False).input_ids
        return put

    def _written(
        self, put: list[list[int]], codes: tuple[str, str], longest: int, decoding: Decoding
    ) -> Written:
        texts, cut = [""] * len(put), 0
        for batch in self._batches(put):
            made = self._batch([put[place] for place in batch], codes, longest, decoding)
            cut += made.cut
            for place, text in zip(batch, made.texts, strict=True):
                texts[place] = text
        return Written(texts, cut)

    def _batches(self, put: Sequence[Sequence[int]]) -> Iterator[list[int]]:
        """Places of texts of like length, as many as the budget of tokens takes, padding included."""
        batch: list[int] = []
        for number in sorted(range(len(put)), key=lambda one: len(put[one])):
            if batch and len(put[number]) * (len(batch) + 1) > self._options.batch_tokens:
                yield batch
                batch = []
            batch.append(number)
        if batch:
            yield batch

    def _batch(
        self, put: list[list[int]], codes: tuple[str, str], longest: int, decoding: Decoding
    ) -> Written:
        """Translations of texts that are computed together."""
        import torch

        inputs = self._tokenizer.pad({"input_ids": put}, return_tensors="pt").to(self._device)
        settings = self._settings(codes, longest, decoding)
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
        texts: list[str] = self._tokenizer.batch_decode(written, skip_special_tokens=True)
        return Written(texts, int((lengths >= longest).sum()))

    def _settings(self, codes: tuple[str, str], longest: int, decoding: Decoding) -> Any:
        """The checkpoint's generation settings, with the decoding's in their place."""
        settings = copy.deepcopy(self._model.generation_config)
        begins = self._checkpoint.begins(codes)
        settings.update(
            max_length=None,
            max_new_tokens=longest + len(begins),
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
    def _device(self) -> Any:
        return device_of(self._options.device)

    @cached_property
    def _model(self) -> Any:
        wanted = self._options.compute_type
        model = load_model(
            self._folder,
            self._given,
            head="AutoModelForSeq2SeqLM",
            dtype="auto" if wanted == "default" else wanted,
        )
        # Where a setting is None, generate takes the checkpoint's; a forced end would make what was cut look finished.
        model.generation_config.update(
            max_length=None, forced_eos_token_id=None, num_beams=1, early_stopping=False
        )
        return model.to(self._device).eval()
