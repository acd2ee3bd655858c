"""Where names point, what is fetched from the hub (a real server of files), and what is refused before anything loads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from hesperus.checkpoints import locate, required, source_of
from hesperus.checkpoints.places import said
from hesperus.errors import DataError, MissingExtraError, UsageError
from waiting import LIMIT

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_names_of_folders_and_of_the_hub(here: Path) -> None:
    (here / "m").mkdir()
    for name in ("./m", "~/m", f"{here}/m"):
        folder = source_of(name).folder
        assert folder is not None and folder.samefile("m")
        assert source_of(f"hf/{name}", prefix="hf/").folder == folder
    found = source_of("hf/Qwen/Qwen3-0.6B@v1.0", prefix="hf/")
    assert (found.folder, found.repository, found.revision) == (None, "Qwen/Qwen3-0.6B", "v1.0")
    assert found.name == "hf/Qwen/Qwen3-0.6B@v1.0"
    assert source_of("gpt2").repository == "gpt2" and source_of("gpt2").revision is None
    for rest in ("a/b/c", "a b", "org/name@", "-x/y", "ö/x", "", "~nobody/x", "a\0b"):
        with pytest.raises(UsageError, match="write hf/ORG/NAME, hf/ORG/NAME@REVISION, or hf/./FOLDER"):
            source_of(f"hf/{rest}", prefix="hf/", bare_folders=True)
        with pytest.raises(UsageError, match="write ORG/NAME, ORG/NAME@REVISION, or ./FOLDER"):
            source_of(rest, prefix="hf/")
    with pytest.raises(UsageError, match="hf/./nowhere: no folder 'nowhere'"):
        source_of("hf/./nowhere", prefix="hf/")


def test_bare_folders_only_where_they_are_meant(here: Path) -> None:
    (here / "org" / "name").mkdir(parents=True)
    (here / "hf" / "mine").mkdir(parents=True)
    assert source_of("org/name").repository == "org/name"
    assert source_of("org/name", bare_folders=True).folder == Path("org/name")
    assert source_of("org/other", bare_folders=True).repository == "org/other"
    # Where names have a prefix, it is no folder; where they have none, it may be one.
    assert source_of("hf/mine", prefix="hf/", bare_folders=True).repository == "mine"
    assert source_of("hf/mine", bare_folders=True).folder == Path("hf/mine")


def _files(folder: Path, **changed: str | None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    files: dict[str, str | None] = {"config.json": '{"a": 1}', "model.safetensors": "", **changed}
    for name, text in files.items():
        if text is not None:
            (folder / name).write_text(text)
    return folder


def test_a_folder_that_can_be_loaded(here: Path) -> None:
    found = locate(source_of(str(_files(here / "one"))))
    assert (found.served_by, found.origin, found.config) == (None, "one", {"a": 1})
    assert found.weight_files == (here / "one" / "model.safetensors",)
    index = json.dumps({"weight_map": {"a": "2.safetensors", "b": "1.safetensors"}})
    shards = _files(
        here / "two", **{"model.safetensors.index.json": index, "1.safetensors": "", "2.safetensors": ""}
    )
    assert [file.name for file in locate(source_of(str(shards))).weight_files] == [
        "1.safetensors", "2.safetensors",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"config.json": None}, UsageError, "given/x has no config.json"),
        ({"config.json": "{"}, DataError, "config.json, line 1: the file is no JSON"),
        ({"config.json": "[]"}, DataError, "config.json: expected a mapping, found list"),
        ({"config.json": "{}"}, DataError, "config.json: is empty"),
        ({"adapter_config.json": "{}"}, UsageError, "is an adapter; merge it into its base model"),
        (
            {"model.safetensors": None, "pytorch_model.bin": ""},
            UsageError,
            r"has no safetensors weights .*; it holds pytorch_model.bin, and pickles are never loaded",
        ),
        ({"model.safetensors.index.json": "{}"}, DataError, "does not say which files hold the weights"),
        (
            {"model.safetensors.index.json": '{"weight_map": {"a": "../b.safetensors"}}'},
            DataError,
            "does not say which files hold the weights",
        ),
        (
            {"model.safetensors.index.json": '{"weight_map": {"a": "b.safetensors"}}'},
            UsageError,
            "lacks 1 of its files of weights: b.safetensors",
        ),
    ],
)
def test_what_cannot_be_loaded_safely(
    here: Path, changed: dict[str, str | None], error: type[Exception], message: str
) -> None:
    _files(here / "given" / "x", **changed)
    with pytest.raises(error, match=message):
        locate(source_of("given/x", bare_folders=True))


class _Hub(BaseHTTPRequestHandler):
    """The hub as far as a snapshot needs it."""

    def __init__(self, folder: Path, asked: list[str], *rest: object) -> None:
        self.folder, self.asked = folder, asked
        super().__init__(*rest)  # type: ignore[arg-type]

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        files = sorted(file for file in self.folder.rglob("*") if file.is_file())
        names = {str(file.relative_to(self.folder)): file for file in files}
        if path.startswith("/api/models/org/tiny/revision/"):
            siblings = [{"rfilename": name} for name in names]
            self._send(json.dumps({"id": "org/tiny", "sha": COMMIT, "siblings": siblings}).encode())
        elif path.startswith("/api/models/org/tiny/tree/"):
            tree = [{"type": "file", "path": name, "size": file.stat().st_size, "oid": name.replace("/", "-")}
                    for name, file in names.items()]  # fmt: skip
            self._send(json.dumps(tree).encode())
        elif (name := path.removeprefix(f"/org/tiny/resolve/{COMMIT}/")) in names:
            self.asked.append(name)
            self._send(names[name].read_bytes(), name.replace("/", "-"))
        else:
            self.send_error(404)

    def _send(self, content: bytes, tag: str = "x") -> None:
        self.send_response(200)
        for header, value in (
            ("Content-Length", str(len(content))),
            ("ETag", f'"{tag}"'),
            ("X-Repo-Commit", COMMIT),
        ):
            self.send_header(header, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def hub(here: Path) -> Iterator[tuple[str, list[str]]]:
    """Address of a server that has the repository org/tiny, and what was asked of it."""
    repository = _files(
        here / "served", **{"source.spm": "s", "tokenizer.json": "{}", "chat_template.jinja": "t", "vocab.txt": "v",
                            "pytorch_model.bin": "p", "other.safetensors": "o", "README.md": "r"},
    )  # fmt: skip
    _files(repository / "onnx")
    asked: list[str] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Hub, repository, asked))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}", asked
    server.shutdown()
    thread.join()
    server.server_close()


def _run(code: str, here: Path, hub: str) -> str:
    """What Python prints with its hub there; huggingface_hub reads its settings once, when it is imported."""
    environment = {
        **{name: value for name, value in os.environ.items() if "proxy" not in name.lower()},
        "HF_ENDPOINT": hub, "HF_HUB_OFFLINE": "0", "HF_HOME": str(here / "home"), "HF_HUB_DISABLE_PROGRESS_BARS": "1", "HF_HUB_DISABLE_XET": "1",
    }  # fmt: skip
    code = (
        f"from hesperus.checkpoints import locate, source_of\nfrom hesperus.errors import UsageError\n{code}"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=LIMIT
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_is_fetched_from_the_hub(here: Path, hub: tuple[str, list[str]]) -> None:
    address, asked = hub
    show = "print(found.origin, *sorted(file.name for file in found.folder.iterdir()))\n"
    printed = _run(
        f"found = locate(source_of('hf/org/tiny', prefix='hf/'))\n{show}"
        f"found = locate(source_of('org/tiny@main'), more=('*.safetensors',))\n{show}",
        here,
        address,
    )
    first, second = (line.split() for line in printed.splitlines())
    usual = [
        "chat_template.jinja",
        "config.json",
        "model.safetensors",
        "source.spm",
        "tokenizer.json",
        "vocab.txt",
    ]
    assert first == [f"org/tiny@{COMMIT}", *usual]
    assert second == [f"org/tiny@{COMMIT}", *sorted([*usual, "other.safetensors"])]
    assert not {name for name in asked if name.endswith(".bin") or "/" in name}


def test_what_the_hub_does_not_have(here: Path, hub: tuple[str, list[str]]) -> None:
    (here / "org" / "absent").mkdir(parents=True)
    printed = _run(
        "for name in ('hf/org/none', 'hf/org/absent'):\n"
        "    try:\n        locate(source_of(name, prefix='hf/'))\n    except UsageError as error:\n        print(error)\n",
        here,
        hub[0],
    )
    first, second = printed.splitlines()
    assert first.startswith("hf/org/none: there is no such folder, and the hub could not give it: ")
    assert second.startswith("hf/org/absent: the hub could not give it: ")
    assert "Without a network, write hf/./FOLDER for a local copy" in second and "HF_HUB_OFFLINE=1" in second


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    required("hf", "a test")
    monkeypatch.setitem(sys.modules, "safetensors", None)
    with pytest.raises(MissingExtraError, match=r"a test needs safetensors: pip install 'hesperus\[hf\]'"):
        required("hf", "a test")


def test_whoever_loads_a_checkpoint_says_which_extra_is_absent() -> None:
    libraries = ("torch", "transformers", "safetensors")
    code = (
        "import sys\n"
        "from hesperus.errors import MissingExtraError\n"
        "from hesperus.evaluators.properties.resolving import property_evaluator\n"
        "from hesperus.models import model\nfrom hesperus.translation.translator_registry import translator\n"
        f"for absent in {libraries}:\n"
        "    sys.modules[absent] = None\n"
        "    for make in (model, property_evaluator, translator):\n"
        "        try:\n            make('hf/org/name')\n        except MissingExtraError as error:\n            print(error)\n"
        "    del sys.modules[absent]\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        line
        for absent in libraries
        for line in (
            f"model 'hf/org/name' needs {absent}: pip install 'hesperus[hf]'",
            f"a property evaluator with an encoder needs {absent}: pip install 'hesperus[hf]'",
            f"reading a Hugging Face checkpoint needs {absent}: pip install 'hesperus[hf]'",
        )
    ]


def test_a_librarys_own_words_are_one_line_without_keys() -> None:
    token = "hf_" + "x" * 30
    words = said(
        OSError(f"no\n\x1b[31m access with Bearer abc.def or {token};\u202e set HF_HUB_OFFLINE or HF_HOME")
    )
    assert words == "no [31m access with [key] or [key]; set HF_HUB_OFFLINE or HF_HOME"
    long = said(ValueError("x" * 5000))
    assert len(long) == 300 and long.endswith("…")
