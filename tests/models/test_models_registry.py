"""From names to models: every provider, every refusal."""

from __future__ import annotations

import subprocess
import sys

import pytest

import hesperus.models
from hesperus.errors import MissingExtraError, MissingKeyError, UnknownNameError, UsageError
from hesperus.models import PROVIDERS, Loading, LocalModel, Model, ModelOptions, RemoteModel, model, prefixes
from hesperus.models.providers import clean_base_url, is_loopback

LOCAL = ModelOptions(base_url="http://127.0.0.1:9/v1")


def test_the_public_names_are_sorted_and_there():
    names = hesperus.models.__all__
    assert names == sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    assert all(hasattr(hesperus.models, name) for name in hesperus.models.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = hesperus.models.nonsense


def test_importing_the_room_loads_nothing_heavy():
    code = (
        "import sys, hesperus.models, hesperus.asking; "
        "print(sorted({'aiohttp', 'uvloop', 'polars', 'numpy', 'onnxruntime', 'asyncio', 'pydantic'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("provider", sorted(PROVIDERS))
def test_every_http_provider_makes_a_remote_model(provider):
    made = model(f"{provider}/some/model-1", LOCAL)
    assert isinstance(made, RemoteModel) and isinstance(made, Model) and not isinstance(made, LocalModel)
    assert made.name == f"{provider}/some/model-1"
    assert made.identity == {
        "protocol": f"openai-{PROVIDERS[provider].protocol}",
        "base_url": "http://127.0.0.1:9/v1",
        "model": "some/model-1",
    }


def test_what_decides_the_reply_is_in_the_identity():
    plain = model("http/x", LOCAL).identity
    variants = [
        model("http/y", LOCAL).identity,
        model("http/x", ModelOptions(base_url="http://127.0.0.1:8/v1")).identity,
        model("http/x", ModelOptions(base_url=LOCAL.base_url, extra={"reasoning_effort": "low"})).identity,
        model("http/x", ModelOptions(base_url=LOCAL.base_url, scoring="echo")).identity,
    ]
    assert all(variant != plain for variant in variants)
    assert (
        model("http/x", ModelOptions(base_url="http://127.0.0.1:9/v1/", key_variable="K")).identity == plain
    )


def test_unknown_providers_get_a_suggestion():
    with pytest.raises(UnknownNameError, match=r"unknown model provider: 'opanai'; did you mean 'openai'"):
        model("opanai/gpt-4o")
    assert {"openai", "pocket", "replay", "inspect", "hf"} <= set(prefixes())


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("openai", None, "names a provider only; write openai/NAME"),
        ("openai/", None, "names a provider only"),
        ("http/x", None, "needs its address: give --base-url"),
        ("hf/org/name", LOCAL, "it takes no base URL"),
        ("openai/x", ModelOptions(loading=Loading(device="cuda")), "device, dtype and batch size are for"),
        ("scripted", None, "made in Python"),
        ("scripted/x", None, "made in Python"),
        ("replay/no-such-file.jsonl", None, "no file 'no-such-file.jsonl' to replay"),
        ("replay/x.jsonl", LOCAL, "takes no base URL"),
        ("pocket/s", LOCAL, "takes no base URL"),
        ("openai/x", ModelOptions(extra={"messages": []}), "may not set messages"),
    ],
)
def test_unusable_names_say_what_to_do(name, options, message):
    with pytest.raises(UsageError, match=message):
        model(name, options)


async def _open(made: RemoteModel) -> None:
    try:
        await made.open()
    finally:
        await made.close()


def test_a_missing_key_is_named_when_the_model_is_opened(monkeypatch):
    import asyncio

    for variable in ("OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(MissingKeyError, match="OPENAI_API_KEY"):
        asyncio.run(_open(model("openai/gpt-4o-mini")))
    with pytest.raises(MissingKeyError, match="GEMINI_API_KEY"):
        asyncio.run(_open(model("google/gemini-2.5-flash")))
    monkeypatch.setenv("GOOGLE_API_KEY", "abc-123456")
    asyncio.run(_open(model("google/gemini-2.5-flash")))
    with pytest.raises(MissingKeyError, match="MY_KEY"):
        asyncio.run(
            _open(model("http/x", ModelOptions(base_url="http://10.0.0.1/v1", key_variable="MY_KEY")))
        )
    for local in (model("openai/x", LOCAL), model("ollama/llama3"), model("vllm/x"), model("http/x", LOCAL)):
        asyncio.run(_open(local))
    monkeypatch.setenv("OPENAI_API_KEY", "se cret")
    with pytest.raises(UsageError, match="the key in OPENAI_API_KEY holds blanks") as caught:
        asyncio.run(_open(model("openai/gpt-4o-mini")))
    assert "cret" not in str(caught.value)


def test_inspect_is_asked_for_where_it_is_missing(monkeypatch):
    monkeypatch.setattr("hesperus.models.inspect_bridge.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'hesperus\[inspect\]'"):
        model("inspect/mockllm/model")
    with pytest.raises(UsageError, match="write inspect/PROVIDER/NAME"):
        model("inspect/mockllm")
    with pytest.raises(UsageError, match="read their own key variables"):
        model("inspect/mockllm/model", ModelOptions(key_variable="K"))


@pytest.mark.parametrize(
    ("given", "cleaned"),
    [
        ("http://localhost:8000/v1/", "http://localhost:8000/v1"),
        (" https://Api.Example.org/v1/chat/completions ", "https://api.example.org/v1"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1"),
        ("http://10.0.0.1", "http://10.0.0.1"),
    ],
)
def test_base_urls_come_in_one_form(given, cleaned):
    assert clean_base_url(given) == cleaned
    assert clean_base_url(cleaned) == cleaned


@pytest.mark.parametrize(
    "given",
    [
        "localhost:8000",
        "ftp://x/v1",
        "",
        "http://",
        "http://x:port/v1",
        "https://me:s3cr3t@host/v1",
        "me:s3cr3t@host",
        "https://host/v1?key=s3cr3t",
        "https://host/v1#s3cr3t",
    ],
)
def test_unusable_base_urls_are_refused_without_their_secrets(given):
    with pytest.raises(UsageError, match="base URL") as caught:
        clean_base_url(given)
    assert "s3cr3t" not in str(caught.value)


def test_loopback_is_this_machine():
    assert all(map(is_loopback, ("http://localhost/v1", "http://127.0.0.5:1", "http://[::1]:80/v1")))
    assert not any(map(is_loopback, ("http://10.0.0.1/v1", "https://localhost.example.org")))
