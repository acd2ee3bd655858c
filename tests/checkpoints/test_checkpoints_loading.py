"""Loading on a small real encoder: damage is refused in one line, and nothing is drawn at random in silence."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from hesperus.checkpoints import device_of, load_config, load_model, load_tokenizer
from hesperus.errors import MissingExtraError, UsageError


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT without a pooler, as a masked language model is saved."""
    folder = tmp_path_factory.mktemp("checkpoints") / "bert"
    config = transformers.BertConfig(
        vocab_size=8, hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=2
    )
    transformers.BertForMaskedLM(config).save_pretrained(folder)
    return folder


@pytest.fixture
def copy(saved: Path, tmp_path: Path) -> Path:
    return shutil.copytree(saved, tmp_path / "copy")


def test_missing_weights_are_refused_unless_they_are_spared(saved: Path) -> None:
    config = load_config(saved, "x")
    config.attention_probs_dropout_prob = 0.25
    model = load_model(saved, "x", head="AutoModel", dtype="float32", config=config, spared="pooler")
    assert model.config.attention_probs_dropout_prob == 0.25
    lacking = (
        r"x does not hold the weights that its BertModel needs: 2 are missing .*\(pooler.dense.bias, pooler"
    )
    with pytest.raises(UsageError, match=lacking):
        load_model(saved, "x", head="AutoModel", dtype="float32")
    with pytest.raises(UsageError, match="that its BertForSequenceClassification needs: 4 are missing"):
        load_model(saved, "x", head="AutoModelForSequenceClassification", dtype="auto")


def test_the_type_of_numbers(saved: Path) -> None:
    found = [
        load_model(saved, "x", head="AutoModelForMaskedLM", dtype=name).dtype for name in ("auto", "bfloat16")
    ]
    assert found == [torch.float32, torch.bfloat16]


def test_the_terminal_stays_quiet_and_is_given_back(saved: Path, capfd: pytest.CaptureFixture[str]) -> None:
    log = transformers.utils.logging
    shown, level = log.is_progress_bar_enabled(), log.get_verbosity()
    load_model(saved, "x", head="AutoModel", dtype="float32", spared="pooler")
    with pytest.raises(UsageError):
        load_model(saved, "x", head="AutoModel", dtype="float32")
    assert capfd.readouterr() == ("", "")
    assert (log.is_progress_bar_enabled(), log.get_verbosity()) == (shown, level)


@pytest.mark.parametrize("content", [b"", b"\xff" * 500, b"\x08" + b"\0" * 7 + b'{"a": 1}'])
def test_weights_that_are_damaged(copy: Path, content: bytes) -> None:
    (copy / "model.safetensors").write_bytes(content)
    with pytest.raises(UsageError, match="x cannot be loaded: ") as caught:
        load_model(copy, "x", head="AutoModelForMaskedLM", dtype="float32")
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 350


@pytest.mark.parametrize(
    "change", [{"model_type": "of its own"}, {"hidden_size": "wide"}, {"model_type": None}]
)
def test_configurations_that_are_damaged(copy: Path, change: dict[str, Any]) -> None:
    config = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps(config | change | {"architectures": ["None"]}))
    with pytest.raises(UsageError, match="configuration of x cannot be read: |x cannot be loaded: "):
        load_config(copy, "x")
        load_model(copy, "x", head="AutoModelForMaskedLM", dtype="float32")


def test_a_tokenizer_that_is_not_there(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # transformers makes one up for this architecture, in which every word is unknown.
    for settings in (None, {"tokenizer_class": "BertTokenizer"}):
        if settings:
            (copy / "tokenizer_config.json").write_text(json.dumps(settings))
        with pytest.raises(
            UsageError, match="the tokenizer of x cannot be loaded: no file of it .* a vocabulary"
        ):
            load_tokenizer(copy, "x")
    (copy / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefgh"]))
    assert load_tokenizer(copy, "x").convert_tokens_to_ids("a") == 5

    def needs(words: str) -> Callable[..., None]:
        def load(*_: object, **__: object) -> None:
            raise ImportError(words)

        return load

    monkeypatch.setattr(
        transformers.AutoTokenizer, "from_pretrained", needs("T5Tokenizer requires SentencePiece")
    )
    with pytest.raises(MissingExtraError, match=r"the tokenizer of x needs sentencepiece: .*hesperus\[mt\]"):
        load_tokenizer(copy, "x")
    monkeypatch.setattr(transformers.AutoTokenizer, "from_pretrained", needs("requires another"))
    with pytest.raises(UsageError, match="the tokenizer of x cannot be loaded: requires another"):
        load_tokenizer(copy, "x")


def test_devices() -> None:
    assert device_of("cpu").type == "cpu"
    if not torch.cuda.is_available():
        with pytest.raises(UsageError, match=r"has no cuda; leave the device out"):
            device_of("cuda:1")
    else:
        with pytest.raises(UsageError, match="no device 'cuda:64': there are"):
            device_of("cuda:64")
    for name in ("abacus", "", "cpu:x"):
        with pytest.raises(UsageError, match="write auto, all, cpu, cuda, cuda:1 or mps"):
            device_of(name)
