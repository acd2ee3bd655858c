"""Small translation checkpoints in the real architectures, with random weights and tokenizers trained here."""

from __future__ import annotations

import io
import json
import warnings
from pathlib import Path
from typing import Any

import torch
from transformers import (
    GenerationConfig,
    M2M100Config,
    M2M100ForConditionalGeneration,
    M2M100Tokenizer,
    MarianConfig,
    MarianMTModel,
    MarianTokenizer,
    NllbTokenizer,
    T5Config,
    T5ForConditionalGeneration,
    T5Tokenizer,
)

SENTENCES = (
    "The cat sat on the mat near the door of the old house.",
    "A dog ran to the river, and three birds flew away!",
    "Numbers such as 12, 345 and 6.78 must not be lost.",
    "El gato se sentó cerca de la puerta de la casa vieja.",
    "Tres pájaros volaron hacia el río; el perro corrió.",
    "Who knows why the blue train was so late on Sunday?",
    "¿Quién sabe por qué el tren azul llegó tan tarde?",
    "My friends walk slowly through green fields in June.",
)
"""What the tokenizers are trained on, and enough to translate."""

TEXTS = (*SENTENCES[:3], "The", "Three old cats know the way to the green door.", *SENTENCES[5:6])
"""Texts of unlike length, some of them unseen."""

MADLAD_SYMBOLS = ("<2en>", "<2es>", "<2de>", "<2fr>", "<2zh>")
_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")


def _pieces(model_type: str, size: int, **more: object) -> bytes:
    """A SentencePiece model."""
    import sentencepiece

    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(SENTENCES * 20),
        model_writer=model,
        model_type=model_type,
        vocab_size=size,
        hard_vocab_limit=False,
        minloglevel=2,
        **more,
    )
    return model.getvalue()


def _processor(model: bytes) -> Any:
    import sentencepiece

    return sentencepiece.SentencePieceProcessor(model_proto=model)


def _spread(model: Any, self_attention: float) -> None:
    """Random weights of the usual size say one word over and over; these tell texts and places apart."""
    torch.manual_seed(3)
    for name, weights in model.named_parameters():
        if weights.dim() == 2:
            wide = 0.5 if "embed" in name or "shared" in name else 1.0
            wide = 3.0 if "encoder_attn" in name else self_attention if "self_attn" in name else wide
            torch.nn.init.normal_(weights, std=wide / weights.shape[1] ** 0.5)


def _save(model: Any, tokenizer: Any, folder: Path) -> Path:
    model.eval().save_pretrained(folder)
    if tokenizer is not None:
        tokenizer.save_pretrained(folder)
    return folder


def _m2m_model(size: int, width: int, layers: int) -> Any:
    config = M2M100Config(
        vocab_size=size, d_model=width, encoder_layers=layers, decoder_layers=layers,
        encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=2 * width, decoder_ffn_dim=2 * width,
        max_position_embeddings=96, bos_token_id=0, pad_token_id=1, eos_token_id=2, decoder_start_token_id=2,
        encoder_layerdrop=0.0, decoder_layerdrop=0.0,
    )  # fmt: skip
    model = M2M100ForConditionalGeneration(config)
    _spread(model, 6.0)
    return model


def nllb(folder: Path, *, width: int = 32, layers: int = 2) -> Path:
    """An NLLB checkpoint: the M2M-100 architecture, FLORES codes, a tokenizer.json."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    trained = Tokenizer(models.BPE(unk_token="<unk>"))
    trained.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.BpeTrainer(vocab_size=220, special_tokens=list(_SPECIAL), show_progress=False)
    trained.train_from_iterator(SENTENCES, trainer)
    found = json.loads(trained.to_str())["model"]
    tokenizer = NllbTokenizer(vocab=found["vocab"], merges=[tuple(pair) for pair in found["merges"]])
    return _save(_m2m_model(len(tokenizer), width, layers), tokenizer, folder)


def m2m100(folder: Path) -> Path:
    """An M2M-100 checkpoint: its own codes, a SentencePiece model."""
    folder.mkdir(parents=True)
    model = _pieces("bpe", 220)
    (folder / "sentencepiece.bpe.model").write_bytes(model)
    processor = _processor(model)
    pieces = [processor.id_to_piece(number) for number in range(processor.get_piece_size())]
    words = [*_SPECIAL, *(piece for piece in pieces if piece not in _SPECIAL)]
    (folder / "vocab.json").write_text(json.dumps({word: number for number, word in enumerate(words)}))
    tokenizer = M2M100Tokenizer(
        str(folder / "vocab.json"), str(folder / "sentencepiece.bpe.model"), num_madeup_words=0
    )
    return _save(_m2m_model(len(words) + 100, 32, 2), tokenizer, folder)


def madlad(folder: Path) -> Path:
    """A MADLAD-400 checkpoint: T5 v1.1 with untied embeddings, <2xx> among the pieces, a tokenizer.json."""
    processor = _processor(_pieces("unigram", 220, user_defined_symbols=list(MADLAD_SYMBOLS)))
    scored = [
        (processor.id_to_piece(n), processor.get_score(n)) for n in range(3, processor.get_piece_size())
    ]
    tokenizer = T5Tokenizer(vocab=[("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *scored], extra_ids=0)
    tokenizer.add_tokens(list(MADLAD_SYMBOLS))
    size = len(tokenizer)
    config = T5Config(
        vocab_size=size, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_decoder_layers=2, num_heads=4,
        feed_forward_proj="gated-gelu", tie_word_embeddings=False, pad_token_id=0, eos_token_id=1,
        decoder_start_token_id=0,
    )  # fmt: skip
    t5 = T5ForConditionalGeneration(config)
    _spread(t5, 2.0)
    return _save(t5, tokenizer, folder)


def opus(folder: Path) -> Path:
    """An Opus checkpoint: Marian, a SentencePiece model for each side, the pair in the tokenizer's settings."""
    folder.mkdir(parents=True)
    words = ["</s>", "<unk>"]
    for side in ("source", "target"):
        model = _pieces("unigram", 150)
        (folder / f"{side}.spm").write_bytes(model)
        processor = _processor(model)
        pieces = (processor.id_to_piece(number) for number in range(processor.get_piece_size()))
        words += [piece for piece in pieces if piece not in (*_SPECIAL, *words)]
    words.append("<pad>")
    (folder / "vocab.json").write_text(json.dumps({word: number for number, word in enumerate(words)}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a package for punctuation that is recommended
        tokenizer = MarianTokenizer(
            str(folder / "source.spm"), str(folder / "target.spm"), str(folder / "vocab.json"),
            source_lang="en", target_lang="es",
        )  # fmt: skip
    pad = len(words) - 1
    config = MarianConfig(
        vocab_size=len(words), d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, max_position_embeddings=96,
        pad_token_id=pad, eos_token_id=0, bos_token_id=0, decoder_start_token_id=pad, forced_eos_token_id=0,
        scale_embedding=True, activation_function="swish", static_position_embeddings=True,
    )  # fmt: skip
    marian = MarianMTModel(config)
    _spread(marian, 1.0)
    with torch.no_grad():
        # As in the published checkpoints, whose decoder starts from zeros.
        marian.model.shared.weight[pad] = 0
    marian.generation_config = GenerationConfig(
        bad_words_ids=[[pad]], pad_token_id=pad, eos_token_id=0, decoder_start_token_id=pad, forced_eos_token_id=0, num_beams=4,
    )  # fmt: skip
    return _save(marian, tokenizer, folder)
