"""Tiny encoders of real architectures with random weights, and pairs in the manner of EPITOME, written by the tests."""

from __future__ import annotations

import csv
import random
from pathlib import Path
from typing import Any

import torch
import transformers

_WORDS = (  # noqa: SIM905
    "i am so sorry that you feel this way it must be hard have tried talking to someone what happened did they say my cat "
    "sleeps all day the bus was late again today work school friends family rain sun long short red blue ?"
).split()
_SIZE = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 64,
}
ENCODERS: dict[str, tuple[str, dict[str, Any]]] = {
    "bert": ("Bert", _SIZE),
    "roberta": ("Roberta", {**_SIZE, "pad_token_id": 1}),
    "modernbert": (
        "ModernBert",
        {**_SIZE, "global_attn_every_n_layers": 2, "local_attention": 16, "pad_token_id": 1},
    ),
}
FILES = ("emotional-reactions", "interpretations", "explorations")


def tokenizer() -> Any:
    """Whole words, with the special tokens that encoders put around a text."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    vocabulary = {
        word: place for place, word in enumerate(dict.fromkeys(["[UNK]", "[PAD]", "[CLS]", "[SEP]", *_WORDS]))
    }
    raw = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    raw.pre_tokenizer = pre_tokenizers.Whitespace()
    raw.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=raw, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]"
    )


def encoder(folder: Path, architecture: str = "bert", *, head: str = "Model", **more: Any) -> Path:
    """A checkpoint; `head` is Model, ForMaskedLM, ForSequenceClassification or ForCausalLM."""
    made = tokenizer()
    name, size = ENCODERS.get(architecture, (architecture, {}))
    config = getattr(transformers, f"{name}Config")(
        vocab_size=len(made), **{"pad_token_id": 1, "bos_token_id": 2, "eos_token_id": 3, **size, **more}
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = getattr(transformers, f"{name}{head}")(config)
    model.save_pretrained(folder)
    made.save_pretrained(folder)
    return folder


def write_pairs(folder: Path, *, pairs: int = 60, seed: int = 0) -> Path:
    """Three files; a response reacts where it is sorry, interprets where it says must, explores where it asks."""
    folder.mkdir(exist_ok=True)
    drawn = random.Random(seed)
    neutral = [word for word in _WORDS if word not in ("sorry", "must", "?")]
    rows = []
    for number in range(pairs):
        post = " ".join(drawn.choices(neutral, k=8)) + f" {number}"
        said = drawn.choices(neutral, k=8)
        levels = [drawn.choice([0, 0, 1, 2]) for _ in FILES]
        said = [word for word, level in zip(("sorry", "must", "?"), levels, strict=True) if level] + said
        drawn.shuffle(said)
        rows.append((post, " ".join(said), levels))
    for place, name in enumerate(FILES):
        with (folder / f"{name}-made.csv").open("w", encoding="utf-8", newline="") as file:
            lines = csv.writer(file)
            lines.writerow(["sp_id", "rp_id", "seeker_post", "response_post", "level", "rationales"])
            lines.writerows(
                [f"s{n}", f"r{n}", post, said, lv[place], ""] for n, (post, said, lv) in enumerate(rows)
            )
    return folder
