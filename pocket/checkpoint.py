"""Write a trained network as a checkpoint that transformers loads as a plain Llama, and as ONNX beside it."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from safetensors.torch import save
from tokenizers import Tokenizer

from pocket.graph import write_graph
from pocket.network import Network, Shape
from pocket.vocabulary import BOS, BOT, EOS, PAD, USER

CONTEXT = 1024
# The models were shown no system text in training, so the template leaves one out, as the runtime does.
CHAT_TEMPLATE = (
    "{{ '" + BOS + "' }}{% for message in messages %}"
    "{% if message['role'] == 'assistant' %}{{ '" + BOT + "' + message['content'] + '" + EOS + "' }}"
    "{% elif message['role'] != 'system' %}{{ '" + USER + "' + message['content'] }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}{{ '" + BOT + "' }}{% endif %}"
)


def write_checkpoint(network: Network, tokenizer: Tokenizer, folder: Path) -> None:
    """Write weights (half precision), configuration, tokenizer and graph into folder."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {
        name: tensor.detach().to(torch.float16).contiguous() for name, tensor in network.state_dict().items()
    }
    (folder / "model.safetensors").write_bytes(save(tensors, metadata={"format": "pt"}))
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    write_json(folder / "config.json", configuration(network.shape, tokenizer))
    ids = {"bos_token_id": BOS, "eos_token_id": EOS, "pad_token_id": PAD}
    generation: dict[str, object] = {key: tokenizer.token_to_id(token) for key, token in ids.items()}
    write_json(folder / "generation_config.json", {**generation, "do_sample": False, "max_new_tokens": 256})
    write_json(folder / "tokenizer_config.json", tokenizer_configuration())
    write_graph(folder, network.shape)


def write_json(path: Path, value: object) -> None:
    """Write readable JSON."""
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def configuration(shape: Shape, tokenizer: Tokenizer) -> dict[str, object]:
    """The content of config.json."""
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "attention_bias": False,
        "bos_token_id": tokenizer.token_to_id(BOS),
        "dtype": "float32",
        "eos_token_id": tokenizer.token_to_id(EOS),
        "head_dim": shape.head_size,
        "hidden_act": "silu",
        "hidden_size": shape.hidden_size,
        "intermediate_size": shape.intermediate_size,
        "max_position_embeddings": CONTEXT,
        "mlp_bias": False,
        "num_attention_heads": shape.num_attention_heads,
        "num_hidden_layers": shape.num_hidden_layers,
        "num_key_value_heads": shape.num_attention_heads,
        "pad_token_id": tokenizer.token_to_id(PAD),
        "rms_norm_eps": shape.rms_norm_eps,
        "rope_theta": shape.rope_theta,
        "tie_word_embeddings": True,
        "torch_dtype": "float32",
        "use_cache": True,
        "vocab_size": shape.vocab_size,
    }


def tokenizer_configuration() -> dict[str, object]:
    """The content of tokenizer_config.json."""
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": BOS,
        "eos_token": EOS,
        "pad_token": PAD,
        "chat_template": CHAT_TEMPLATE,
        "clean_up_tokenization_spaces": False,
        "model_max_length": CONTEXT,
    }
