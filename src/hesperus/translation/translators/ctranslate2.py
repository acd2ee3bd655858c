"""CTranslate2: the quick way to run NLLB, M2M-100, MADLAD-400 and Opus models.

A folder is made by `hesperus translators convert`, or holds any CTranslate2 model of these families with its tokenizer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from hesperus.errors import DataError, MissingExtraError, PermanentError, TransientError, UsageError
from hesperus.fingerprint import file_hash
from hesperus.text_files import read_json, read_text
from hesperus.translation.translator import Decoding
from hesperus.translation.translators.checkpoint import Hints, describe
from hesperus.translation.translators.pieces import read_pieces
from hesperus.translation.translators.seq2seq import Seq2SeqTranslator, Written
from hesperus.translation.translators.translator_options import TranslatorOptions

if TYPE_CHECKING:
    from types import ModuleType

    import ctranslate2

_VOCABULARIES = (
    "shared_vocabulary.json",
    "target_vocabulary.json",
    "shared_vocabulary.txt",
    "target_vocabulary.txt",
)


class CTranslate2Translator(Seq2SeqTranslator[str]):
    """Translates with a model in CTranslate2's format; the weights are loaded with the first text.

    Greedy and beam search give the same translation whatever else is in the batch, as far as the device's arithmetic does.
    Sampling draws from the seed and the whole call: the same texts in the same call are drawn the same again.

    Args:
        folder: The model, with its tokenizer next to it.
        options: See TranslatorOptions.

    Raises:
        DataError: The folder holds no such model, or no tokenizer.
        MissingExtraError: A package of the extra ``mt`` is absent.
        UsageError: An Opus model with languages that cannot be told.
    """

    def __init__(self, folder: Path, options: TranslatorOptions | None = None) -> None:
        options = options or TranslatorOptions()
        self._folder = folder
        if not (folder / "model.bin").is_file():
            raise DataError(
                "is no folder with a CTranslate2 model (model.bin); `hesperus translators convert` makes one",
                file=folder,
            )
        _library()
        hints = Hints(options.reads, options.writes, options.max_input_tokens)
        described = describe(folder, read_vocabulary(folder), hints)
        self._pieces = read_pieces(folder)
        self._loaded: ctranslate2.Translator | None = None
        super().__init__(f"ct2/{folder.resolve().name}", described, options)

    def _files(self) -> Mapping[str, str]:
        return {
            "translator": "ctranslate2",
            "version": _library().__version__,
            "weights": file_hash(self._folder / "model.bin"),
            "tokenizer": self._pieces.fingerprint,
        }

    def _put(self, texts: Sequence[str], codes: tuple[str, str]) -> list[list[str]]:
        return self._checkpoint.put(self._pieces, texts, codes)

    def _written(
        self, put: list[list[str]], codes: tuple[str, str], longest: int, decoding: Decoding
    ) -> Written:
        begins = self._checkpoint.begins(codes)
        sampled = decoding.temperature is not None
        prefix: list[list[str] | None] | None = [begins] * len(put) if begins else None
        try:
            results = self._model(decoding.seed if sampled else None).translate_batch(
                put,
                prefix,
                max_batch_size=self._options.batch_tokens,
                batch_type="tokens",
                beam_size=1 if sampled else decoding.beams,
                # 0 would cut nothing either, but 1024 is the default: inputs were measured above.
                max_input_length=0,
                max_decoding_length=longest + len(begins),
                sampling_topk=0 if sampled else 1,
                sampling_topp=1.0 if decoding.top_p is None or not sampled else decoding.top_p,
                sampling_temperature=1.0 if decoding.temperature is None else decoding.temperature,
            )
        except RuntimeError as error:
            if "out of memory" in str(error):
                raise TransientError(
                    f"{self.name}: {error}; set batch_tokens below {self._options.batch_tokens}",
                    kind="memory",
                ) from error
            raise PermanentError(f"{self.name}: CTranslate2 failed: {error}", kind="ctranslate2") from error
        tokens = [result.hypotheses[0][len(begins) :] for result in results]
        return Written(self._pieces.join(tokens), sum(len(one) >= longest for one in tokens))

    def _model(self, seed: int | None) -> ctranslate2.Translator:
        """The loaded model. A seed reaches only threads that have not drawn yet, so that sampling loads anew."""
        if self._loaded is not None and seed is None:
            return self._loaded
        library = _library()
        self._loaded = None
        if seed is not None:
            # The value 0 stands for a random seed in some builds.
            library.set_random_seed(seed + 1)
        device, _, index = self._options.device.partition(":")
        try:
            self._loaded = library.Translator(
                str(self._folder),
                device=device,
                device_index=int(index or 0),
                compute_type=self._options.compute_type,
                intra_threads=self._options.threads,
            )
        except (ValueError, RuntimeError) as error:
            raise UsageError(
                f"{self.name} cannot be loaded on {self._options.device} as {self._options.compute_type}: {error}"
            ) from error
        return self._loaded


def read_vocabulary(folder: Path) -> frozenset[str]:
    """The tokens of a CTranslate2 model, target side."""
    for name in _VOCABULARIES:
        file = folder / name
        if not file.is_file():
            continue
        tokens = (read_json if file.suffix == ".json" else read_text)(file, "vocabulary")
        if not isinstance(tokens, str | list | dict):
            raise DataError("is no vocabulary: expected a list of tokens", file=file)
        return frozenset(map(str, tokens.splitlines() if isinstance(tokens, str) else tokens))
    raise DataError(f"holds no vocabulary ({', '.join(_VOCABULARIES[:2])})", file=folder)


def _library() -> ModuleType:
    try:
        import ctranslate2
    except ImportError as error:
        raise MissingExtraError("ctranslate2", "mt", "translating with CTranslate2") from error
    return cast("ModuleType", ctranslate2)
