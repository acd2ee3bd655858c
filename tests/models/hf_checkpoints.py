"""Tiny checkpoints of real architectures with random weights, written by the tests as transformers would."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
import transformers

CORPUS = [
    "Which letter comes first in the alphabet? A. A B. B C. C D. D Answer with the letter only. Answer: A",
    "A much longer question with many more words than the others have: yes, no, never, perhaps it is so.",
    "Paris is a city in France, and Dodoma is a city in Tanzania. What is the capital of the country?",
]

CHATML = (
    "{% for message in messages %}{{ '<|start|>' + message['role'] + '\n' + message['content'] + '<|end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|start|>assistant\n' }}"
    "{% if thinking is defined and not thinking %}{{ '(no thoughts)' }}{% endif %}{% endif %}"
)
NO_SYSTEM = (
    "{% for message in messages %}{% if message['role'] == 'system' %}{{ raise_exception('no system role') }}"
    "{% endif %}{{ '<|start|>' + message['content'] | trim + '<|end|>' }}{% endfor %}"
)

_SIZE = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 256,
}
ARCHITECTURES: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("Llama", _SIZE),
    "gpt2": ("GPT2", {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 256}),
    "qwen2": ("Qwen2", _SIZE),
    "bloom": ("Bloom", {"hidden_size": 32, "n_layer": 2, "n_head": 4}),
    "mistral": ("Mistral", {**_SIZE, "sliding_window": 8}),
    "gemma3": ("Gemma3Text", {**_SIZE, "head_dim": 8, "sliding_window": 8, "sliding_window_pattern": 2}),
    "mamba": ("Mamba", {"hidden_size": 32, "num_hidden_layers": 2, "state_size": 4}),
    "rwkv": (
        "Rwkv",
        {"hidden_size": 32, "num_hidden_layers": 2, "attention_hidden_size": 32, "context_length": 256},
    ),
}
"""Rotary positions, learnt ones, biases, distances in place of positions, a window, one in every other layer; no attention; no mask at all."""


def tokenizer(*, template: str | None = None, bos: bool = False, pad: bool = False) -> Any:
    """A byte-level BPE that merges across blanks, as those of real models do."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    special = ["<|begin|>", "<|start|>", "<|end|>", "<|pad|>"]
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=special,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    raw.train_from_iterator(CORPUS, trainer)
    if bos:
        raw.post_processor = processors.TemplateProcessing(
            single="<|begin|> $A <|end|>", special_tokens=[("<|begin|>", 0), ("<|end|>", 2)]
        )
    given = {"pad_token": "<|pad|>"} if pad else {}
    made = transformers.PreTrainedTokenizerFast(
        tokenizer_object=raw,
        bos_token="<|begin|>",
        eos_token="<|end|>",
        additional_special_tokens=["<|start|>"],
        **given,
    )
    made.chat_template = template
    return made


def make(folder: Path, architecture: str = "llama", *, seed: int = 0, **tokens: Any) -> Path:
    """Write a checkpoint; weights are large enough for answers to differ."""
    name, size = ARCHITECTURES[architecture]
    words = tokenizer(**tokens)
    torch.manual_seed(seed)
    config = getattr(transformers, f"{name}Config")(
        vocab_size=len(words),
        eos_token_id=2,
        bos_token_id=0,
        pad_token_id=None,
        initializer_range=0.2,
        **size,
    )
    model = transformers.AutoModelForCausalLM.from_config(config).eval()
    model.save_pretrained(folder)
    words.save_pretrained(folder)
    return folder


@lru_cache(maxsize=4)
def reference(folder: Path) -> tuple[Any, Any]:
    """A checkpoint as transformers itself loads it: model and tokenizer."""
    return (
        transformers.AutoModelForCausalLM.from_pretrained(folder),
        transformers.AutoTokenizer.from_pretrained(folder),
    )


def by_hand(folder: Path, text: str, options: Sequence[str]) -> list[float]:
    """Log-probabilities of options by the plainest loop over transformers: one row at a time, no padding, no cache."""
    model, words = reference(folder)
    found = []
    for option in options:
        prompt = words(text, add_special_tokens=False)["input_ids"]
        whole = words(text + option, add_special_tokens=False)["input_ids"]
        assert whole[: len(prompt)] == prompt
        with torch.no_grad():
            chances = model(torch.tensor([whole])).logits[0].double().log_softmax(-1)
        found.append(sum(float(chances[i - 1, whole[i]]) for i in range(len(prompt), len(whole))))
    return found
