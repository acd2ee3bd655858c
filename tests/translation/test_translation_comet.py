"""COMET in another Python: the protocol with real processes, and the real thing where there is one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hesperus.errors import ModelError, UsageError
from hesperus.translation import CometScorer

STAND_IN = """
class _Model:
    def predict(self, segments, batch_size, gpus, progress_bar, num_workers):
        print("a notice on standard output")
        assert (batch_size, gpus, progress_bar) == (16, 0, False)
        value = {"nan": float("nan")}
        return {"scores": [value.get(s["mt"], len(s["mt"]) / len(s["ref"])) for s in segments]}

def load_from_checkpoint(path, local_files_only):
    assert local_files_only and path.endswith("model.ckpt"), path
    if "broken" in path:
        raise RuntimeError("the file is damaged")
    return _Model()
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package called comet, with COMET's two calls, for whatever Python is started."""
    folder = tmp_path / "site"
    (folder / "unbabel_comet-2.2.7.dist-info").mkdir(parents=True)
    (folder / "unbabel_comet-2.2.7.dist-info" / "METADATA").write_text(
        "Name: unbabel-comet\nVersion: 2.2.7\n"
    )
    (folder / "comet.py").write_text(STAND_IN)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return folder


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    (tmp_path / "snapshot" / "checkpoints").mkdir(parents=True)
    (tmp_path / "snapshot" / "checkpoints" / "model.ckpt").touch()
    return tmp_path / "snapshot"


def score(comet: CometScorer, hypotheses: list[str]) -> list[float | None]:
    n = len(hypotheses)
    return comet(["Quelle — 源"] * n, hypotheses, ["abcd"] * n)


def test_scores_come_back_through_the_process_in_order(library: Path, checkpoint: Path) -> None:
    comet = CometScorer(sys.executable, str(checkpoint))
    assert score(comet, ["ab", "nan", "猫", ""]) == [0.5, None, 0.25, 0.0]
    assert comet.signature()["unbabel-comet"] == "2.2.7"
    by_file = CometScorer(sys.executable, str(checkpoint / "checkpoints" / "model.ckpt"))
    assert score(by_file, ["abc"]) == [0.75]


def test_nothing_to_score_starts_nothing(checkpoint: Path) -> None:
    assert score(CometScorer("/nowhere/python", str(checkpoint)), []) == []


def test_a_python_without_comet_says_how_to_install_it(checkpoint: Path) -> None:
    with pytest.raises(UsageError, match="COMET is not installed for .* -m pip install 'unbabel-comet"):
        score(CometScorer(sys.executable, str(checkpoint)), ["a"])


def test_no_such_python(checkpoint: Path) -> None:
    with pytest.raises(UsageError, match="cannot be started: '/nowhere/python'.*python -m venv comet"):
        score(CometScorer("/nowhere/python", str(checkpoint)), ["a"])


def test_no_such_checkpoint() -> None:
    with pytest.raises(UsageError, match="no COMET checkpoint at '/nowhere/snapshot'"):
        score(CometScorer(sys.executable, "/nowhere/snapshot"), ["a"])


def test_unequal_numbers() -> None:
    with pytest.raises(UsageError, match="2, 1 and 0 were given"):
        CometScorer("python", "x")(["a", "b"], ["a"], [])


def test_a_crash_is_told_with_its_last_line(library: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken-model.ckpt"
    broken.touch()
    with pytest.raises(ModelError, match="exit code 1: RuntimeError: the file is damaged"):
        score(CometScorer(sys.executable, str(broken)), ["a"])


def script(folder: Path, body: str) -> str:
    """A program that stands where the other Python should."""
    path = folder / "python"
    path.write_text(f"#!{sys.executable}\nimport sys\nsys.stdin.read()\n{body}\n")
    path.chmod(0o755)
    return str(path)


def test_a_program_that_does_not_follow_the_protocol(tmp_path: Path, checkpoint: Path) -> None:
    with pytest.raises(ModelError, match="something that is no JSON: b'hello"):
        score(CometScorer(script(tmp_path, "print('hello')"), str(checkpoint)), ["a"])
    with pytest.raises(ModelError, match="did not answer with 2 scores"):
        score(CometScorer(script(tmp_path, "print('{\"scores\": [1]}')"), str(checkpoint)), ["a", "b"])
    with pytest.raises(ModelError, match="exit code 3: no message"):
        score(CometScorer(script(tmp_path, "sys.exit(3)"), str(checkpoint)), ["a"])


MAKE_TINY = """
import sys, pathlib, torch, yaml, pytorch_lightning
from comet.models import RegressionMetric
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import XLMRobertaConfig, XLMRobertaTokenizerFast
out = pathlib.Path(sys.argv[1])
(out / "checkpoints").mkdir(parents=True)
encoder = str(out / "encoder")
names = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", *"abcdefghijklmnopqrstuvwxyz "]
raw = Tokenizer(models.WordLevel({name: i for i, name in enumerate(names)}, unk_token="<unk>"))
raw.pre_tokenizer = pre_tokenizers.Split("", "isolated")
raw.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
XLMRobertaTokenizerFast(tokenizer_object=raw).save_pretrained(encoder)
XLMRobertaConfig(vocab_size=len(names), hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
                 intermediate_size=32, max_position_embeddings=130, type_vocab_size=1).save_pretrained(encoder)
torch.manual_seed(1)
model = RegressionMetric(pretrained_model=encoder, load_pretrained_weights=False, local_files_only=True,
                         hidden_sizes=[8, 4])
known = dict(model.hparams)
torch.save({"state_dict": model.state_dict(), "hyper_parameters": known, "epoch": 0, "global_step": 0,
            "pytorch-lightning_version": pytorch_lightning.__version__}, out / "checkpoints" / "model.ckpt")
plain = {k: v for k, v in known.items() if isinstance(v, (str, int, float, list, bool, type(None)))}
(out / "hparams.yaml").write_text(yaml.safe_dump(plain))
"""


def test_a_tiny_checkpoint_in_a_real_comet(tmp_path: Path) -> None:
    python = os.environ.get("HESPERUS_COMET_PYTHON")
    if not python:
        pytest.skip("set HESPERUS_COMET_PYTHON to the interpreter of an environment with unbabel-comet")
    subprocess.run(
        [python, "-c", MAKE_TINY, str(tmp_path / "tiny")],
        check=True, capture_output=True, env={**os.environ, "HF_HUB_OFFLINE": "1"},
    )  # fmt: skip
    comet = CometScorer(python, str(tmp_path / "tiny"))
    texts = ["a cat sat", "some dogs ran home", ""]
    found = comet(texts, texts, texts)
    again = comet(texts[::-1], texts[::-1], texts[::-1])
    assert all(score is not None for score in found)
    assert [round(score or 0, 5) for score in found] == [round(score or 0, 5) for score in again[::-1]]
