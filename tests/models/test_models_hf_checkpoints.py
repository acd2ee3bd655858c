"""What may be loaded, what is refused, and what tells one checkpoint from another."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hf_checkpoints import make, torch
from typer.testing import CliRunner

from hesperus.cli import models as command
from hesperus.errors import DataError, HesperusError, MissingExtraError, UsageError
from hesperus.models import Loading, ModelOptions, model
from hesperus.types import Prompt, Request, Settings


@pytest.fixture(scope="module")
def llama(tmp_path_factory) -> Path:
    return make(tmp_path_factory.mktemp("checkpoints") / "llama")


@pytest.fixture
def copy(llama, tmp_path) -> Path:
    return shutil.copytree(llama, tmp_path / "copy")


def ask(folder: Path, **loading) -> str:
    made = model(f"hf/{folder}", ModelOptions(loading=Loading(**loading)))
    return made.replies([Request(made.name, Prompt("Why?"), Settings(0.0, 3))])[0].text


def test_names_that_name_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "org").mkdir()
    with pytest.raises(UsageError, match="hf/a b: write hf/ORG/NAME, hf/ORG/NAME@REVISION, or hf/./FOLDER"):
        model("hf/a b")
    with pytest.raises(UsageError, match="hf/./nowhere: no folder 'nowhere'"):
        model("hf/./nowhere")
    with pytest.raises(UsageError, match="hf/./org has no config.json"):
        model("hf/./org")
    # A folder is one that is written as one; this is a repository of the hub, and nothing asks for it yet.
    assert model("hf/org").name == "hf/org"


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setattr("hesperus.checkpoints.places.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"hf/org/name.* needs torch: pip install 'hesperus\[hf\]'"):
        model("hf/org/name")


def test_making_a_model_loads_no_library(llama):
    code = (
        f"import sys; from hesperus.models import model; m = model('hf/{llama}'); m.identity; "
        "print(sorted({'torch', 'transformers', 'numpy', 'huggingface_hub'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_identity_is_of_contents(llama, copy):
    first, second = model(f"hf/{llama}").identity, model(f"hf/{copy}").identity
    assert first == second and first["protocol"] == "transformers" and first["dtype"] == "float32"
    assert str(llama.parent) not in json.dumps(dict(first))
    seen = [dict(first)]

    def changed(options: ModelOptions | None = None) -> None:
        now = dict(model(f"hf/{copy}", options).identity)
        assert now not in seen
        seen.append(now)

    changed(ModelOptions(loading=Loading(dtype="bfloat16")))
    changed(ModelOptions(scoring="echo"))
    changed(ModelOptions(extra={"thinking": False}))
    assert model(f"hf/{copy}", ModelOptions(loading=Loading("cpu", batch_size=3))).identity == first
    (copy / "chat_template.jinja").write_text("{{ messages[0]['content'] }}")
    changed()
    make(copy, seed=1)
    changed()
    config = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps(config | {"rope_theta": 7.0}))
    changed()


def test_pickles_are_never_loaded(copy):
    weights = copy / "model.safetensors"
    marker = copy / "ran"

    class Trap:
        def __reduce__(self):
            return (Path.touch, (marker,))

    torch.save({"x": Trap()}, copy / "pytorch_model.bin")
    weights.rename(copy / "other.safetensors")
    with pytest.raises(
        UsageError, match=r"no safetensors weights .*pytorch_model.bin, and pickles are never loaded"
    ):
        ask(copy)
    (copy / "other.safetensors").rename(weights)
    assert ask(copy) is not None and not marker.exists()


def test_code_in_a_checkpoint_is_never_run(copy):
    marker = copy / "ran"
    (copy / "own.py").write_text(f"import pathlib\npathlib.Path({str(marker)!r}).touch()\n")
    config = json.loads((copy / "config.json").read_text())
    own = {"auto_map": {"AutoConfig": "own.Config", "AutoModelForCausalLM": "own.Model"}, "model_type": "own"}
    (copy / "config.json").write_text(json.dumps(config | own))
    with pytest.raises(UsageError, match="cannot be loaded"):
        ask(copy)
    assert not marker.exists()


def _no_config(folder: Path) -> None:
    (folder / "config.json").unlink()


def _no_tokenizer(folder: Path) -> None:
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).unlink()


def _broken_config(folder: Path) -> None:
    (folder / "config.json").write_text("{")


def _listed_config(folder: Path) -> None:
    (folder / "config.json").write_text("[]")


def _adapter(folder: Path) -> None:
    (folder / "adapter_config.json").write_text("{}")


def _cut(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1000])


def _garbage(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(b"\xff" * 500)


def _other_size(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"intermediate_size": 40}))


def _more_layers(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"num_hidden_layers": 3, "layer_types": None}))


def _lost_shard(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    index = {"metadata": {}, "weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def _wandering_shard(folder: Path) -> None:
    index = {"weight_map": {"a": "../../elsewhere.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_no_config, "has no config.json"),
        (_no_tokenizer, "tokenizer of .* cannot be loaded"),
        (_broken_config, "the file is no JSON"),
        (_listed_config, "expected a mapping, found list"),
        (_adapter, "is an adapter; merge it"),
        (_cut, "cannot be loaded"),
        (_garbage, "cannot be loaded"),
        (_other_size, "missing or of another shape|cannot be loaded"),
        (_more_layers, "9 are missing or of another shape"),
        (_lost_shard, "lacks 2 of its files of weights: model-1.safetensors"),
        (_wandering_shard, "does not say which files hold the weights"),
    ],
)
def test_damaged_checkpoints_are_refused(copy, damage, message):
    damage(copy)
    with pytest.raises(HesperusError, match=message) as caught:
        ask(copy)
    assert isinstance(caught.value, UsageError | DataError) and "\n" not in str(caught.value)


def test_devices_and_dtypes_that_are_not_there(llama):
    for given, message in (
        ({"device": "abacus"}, "no device 'abacus'; write auto"),
        ({"dtype": "int3"}, "no dtype 'int3'; write auto, bfloat16"),
    ):
        with pytest.raises(UsageError, match=message):
            ask(llama, **given)
    if not torch.cuda.is_available():
        with pytest.raises(UsageError, match="has no cuda; leave the device out"):
            ask(llama, device="cuda")


def test_the_cache_of_the_hub_is_used_without_a_network(llama, tmp_path):
    commit = "0123456789abcdef0123456789abcdef01234567"
    repository = tmp_path / "hub" / "models--org--tiny"
    shutil.copytree(llama, repository / "snapshots" / commit)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)
    code = (
        "import json, sys\nfrom hesperus.models import model\nfrom hesperus.errors import UsageError\n"
        "m = model('hf/org/tiny')\nprint(json.dumps([dict(m.identity), m._checkpoint.served_by]))\n"
        "print(model(f'hf/org/tiny@{sys.argv[1]}').identity == m.identity)\n"
        "try:\n    model('hf/org/absent').identity\nexcept UsageError as error:\n    print(error)\n"
    )
    environment = {**os.environ, "HF_HUB_CACHE": str(tmp_path / "hub"), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code, commit], capture_output=True, text=True, check=True, env=environment
    )
    identity, same, refused = done.stdout.splitlines()
    assert json.loads(identity) == [dict(model(f"hf/{llama}").identity), f"org/tiny@{commit}"]
    assert same == "True"
    assert "hf/org/absent: there is no such folder, and the hub could not give it" in refused
    assert "write hf/./FOLDER for a local copy" in refused and "HF_HUB_OFFLINE=1" in refused


def test_large_files_of_the_hub_are_known_by_their_names(llama, tmp_path):
    """The hub's cache names them by their SHA-256, so that they need not be read for their identity."""
    import hashlib

    blobs, snapshot = tmp_path / "blobs", tmp_path / "snapshots" / "c"
    blobs.mkdir()
    shutil.copytree(llama, snapshot)
    weights = snapshot / "model.safetensors"
    name = hashlib.sha256(weights.read_bytes()).hexdigest()
    weights.rename(blobs / name)
    weights.symlink_to(blobs / name)
    expected = dict(model(f"hf/{llama}").identity)
    assert dict(model(f"hf/{snapshot}").identity) == expected
    (blobs / name).chmod(0o000)
    assert dict(model(f"hf/{snapshot}").identity) == expected


def test_the_command_tries_it(llama):
    result = CliRunner().invoke(
        command.app, ["test", f"hf/{llama}", "--dtype", "float32", "--format", "json"]
    )
    assert result.exit_code == 0, result.output
    text, scored = json.loads(result.stdout)["rows"]
    assert text["works"] and " out, " in text["detail"]
    assert scored["works"] and scored["flags"] == "--scoring logprobs"
    listed = json.loads(CliRunner().invoke(command.app, ["list", "--format", "json"]).stdout)["rows"]
    assert [row["name"] for row in listed].count("hf/ORG/NAME") == 1
