"""Texts to the pieces of a model's vocabulary and back, by the file that came with the checkpoint.

Where a checkpoint has a ``tokenizer.json``, that is used, as transformers does, but with special tokens switched off
inside texts; otherwise its SentencePiece model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from hesperus.errors import DataError, MissingExtraError

SENTENCEPIECE_FILES = ("sentencepiece.bpe.model", "spiece.model", "sentencepiece.model")
"""Names under which checkpoints hold one model for all languages."""

SIDES = ("source.spm", "target.spm")
"""Names under which Opus checkpoints hold one for each side."""

FAST_FILE = "tokenizer.json"
"""Name of the Hugging Face tokenizer."""

PIECE_FILES = (*SENTENCEPIECE_FILES, *SIDES, FAST_FILE)
"""All files that say how texts are cut into pieces."""

_SPECIAL = frozenset({"<unk>", "<s>", "</s>", "<pad>"})


class Pieces(Protocol):
    """Cuts texts, and puts pieces together."""

    @property
    def fingerprint(self) -> str:
        """Hash of the files."""
        ...

    def cut(self, texts: Sequence[str]) -> list[list[str]]:
        """Pieces of each text; nothing is cut off, no special token is added."""
        ...

    def symbol(self, text: str) -> list[str]:
        """Pieces of a control symbol of the model's own, such as ``<2es>``."""
        ...

    def join(self, cut: Sequence[Sequence[str]]) -> list[str]:
        """The text of each list of pieces, without special tokens."""
        ...


def read_pieces(folder: Path) -> Pieces:
    """The pieces of a checkpoint."""
    if (folder / FAST_FILE).is_file():
        return _FastPieces(folder / FAST_FILE)
    sides = [folder / name for name in SIDES]
    if all(side.is_file() for side in sides):
        return _SentencePieces(*sides)
    for name in SENTENCEPIECE_FILES:
        if (folder / name).is_file():
            return _SentencePieces(folder / name, folder / name)
    raise DataError(
        f"holds no tokenizer: one of {', '.join((*SENTENCEPIECE_FILES, FAST_FILE))}, or {' and '.join(SIDES)}, must lie "
        "beside the weights (`hesperus translators convert` copies it)",
        file=folder,
    )


class _SentencePieces:
    """SentencePiece models, one for each side."""

    def __init__(self, source: Path, target: Path) -> None:
        try:
            import sentencepiece
        except ImportError as error:
            raise MissingExtraError("sentencepiece", "mt", f"the tokenizer {source.name}") from error
        try:
            self._source = sentencepiece.SentencePieceProcessor(model_file=str(source))
            self._target = sentencepiece.SentencePieceProcessor(model_file=str(target))
        except (OSError, RuntimeError) as error:
            raise DataError(f"is no SentencePiece model: {error}", file=source) from error
        self._files = (source, target)

    @property
    def fingerprint(self) -> str:
        return hashlib.blake2b(
            b"".join(file.read_bytes() for file in self._files), digest_size=16
        ).hexdigest()

    def cut(self, texts: Sequence[str]) -> list[list[str]]:
        cut: list[list[str]] = self._source.encode(list(texts), out_type=str)
        return cut

    def symbol(self, text: str) -> list[str]:
        cut: list[str] = self._source.encode(text, out_type=str)
        return cut

    def join(self, cut: Sequence[Sequence[str]]) -> list[str]:
        return [self._target.decode([piece for piece in pieces if piece not in _SPECIAL]) for pieces in cut]


class _FastPieces:
    """A Hugging Face tokenizer."""

    def __init__(self, file: Path) -> None:
        from tokenizers import Tokenizer

        try:
            self._tokenizer = Tokenizer.from_file(str(file))
        except Exception as error:  # the package raises Exception itself, and nothing narrower
            raise DataError(f"is no tokenizer: {error}", file=file) from error
        # A checkpoint may have been saved with a limit; a text must never be cut off in silence.
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._file = file
        count = self._tokenizer.get_vocab_size(with_added_tokens=True)
        self._words = [self._tokenizer.id_to_token(number) or "<unk>" for number in range(count)]

    @property
    def fingerprint(self) -> str:
        return hashlib.blake2b(self._file.read_bytes(), digest_size=16).hexdigest()

    def cut(self, texts: Sequence[str]) -> list[list[str]]:
        self._tokenizer.encode_special_tokens = True
        found = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        words = self._words
        return [[words[number] for number in one.ids] for one in found]

    def symbol(self, text: str) -> list[str]:
        self._tokenizer.encode_special_tokens = False
        return list(self._tokenizer.encode(text, add_special_tokens=False).tokens)

    def join(self, cut: Sequence[Sequence[str]]) -> list[str]:
        number = self._tokenizer.token_to_id
        ids = [[found for piece in pieces if (found := number(piece)) is not None] for pieces in cut]
        return [text.strip() for text in self._tokenizer.decode_batch(ids, skip_special_tokens=True)]
