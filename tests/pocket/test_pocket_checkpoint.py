"""The safetensors checkpoint is a plain Llama: transformers loads it, and agrees with the ONNX graph."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import transformers
from pocket.truth import load_coverage
from pocket.world import World

from hesperus.models.pocket import SIZES, WEIGHTS, PocketModel
from hesperus.types import Prompt, Request, Settings

WORLD = World(load_coverage().languages)


def prompts() -> list[str]:
    """A few prompts of every kind, in every sixth language."""
    texts = []
    for index, language in enumerate(WORLD.languages):
        if index % 6:
            continue
        fact = WORLD.facts[17 * index]
        question = WORLD.question(language, fact.relation, index % 3, fact.country)
        names = [WORLD.name(language, entity) for entity in (fact.gold, *fact.wrong)]
        other = WORLD.languages[index - 1]
        texts += [
            WORLD.ask("atlas-open", other, question),
            WORLD.ask("atlas", language, question, names),
            WORLD.translate(language, other, question),
            WORLD.describe(language, 1, fact.country),
        ]
    return texts


@pytest.mark.parametrize("size", SIZES)
def test_logits_and_replies_are_those_of_transformers(size: str) -> None:
    folder = WEIGHTS / size
    ours = PocketModel(f"pocket/{size}")
    theirs = transformers.AutoModelForCausalLM.from_pretrained(folder)
    assert type(theirs).__name__ == "LlamaForCausalLM"
    assert theirs.dtype == torch.float32
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    for text in prompts():
        chat = [{"role": "user", "content": text}]
        coded = tokenizer.apply_chat_template(
            chat, add_generation_prompt=True, return_tensors="pt", return_dict=True
        )
        ids = coded["input_ids"]
        assert tuple(ids[0].tolist()) == ours._prompt(Prompt(text))
        with torch.no_grad():
            expected = theirs(ids).logits[:, -1].numpy()
            written = theirs.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=80)
        logits, _ = ours._run(ids.numpy().astype(np.int64), None)
        assert np.abs(logits - expected).max() < 1e-4
        reply = ours.replies([Request(ours.name, Prompt(text), Settings(temperature=0, max_tokens=80))])[0]
        assert tokenizer.decode(written[0, ids.shape[1] :], skip_special_tokens=True) == reply.text


def test_the_chat_template_leaves_out_system_texts_and_takes_turns() -> None:
    tokenizer = transformers.AutoTokenizer.from_pretrained(WEIGHTS / "s")
    chat = [
        {"role": "system", "content": "S"},
        {"role": "user", "content": "U"},
        {"role": "assistant", "content": "A"},
        {"role": "user", "content": "V"},
    ]
    text = tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
    assert text == "<s><user>U<bot>A</s><user>V<bot>"
