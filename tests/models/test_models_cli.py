"""The commands `hesperus models` and `hesperus doctor`."""

from __future__ import annotations

import json

import pytest
import typer
from typer.testing import CliRunner

from hesperus.asking import ReplyStore
from hesperus.cli import doctor, models
from hesperus.errors import ModelError, PermanentError, UnknownNameError
from loopback_endpoint import Say, Send, serving

SECRET = "sk-proj-Abc123Def456Ghi789"

diagnosis = typer.Typer()
diagnosis.command()(doctor.command)


def run(app: typer.Typer, *arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, arguments)
    if isinstance(result.exception, Exception) and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.stdout


def test_the_list_names_every_provider_and_no_key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.delenv("MISTRAL_API_KEY", raising=False)
    document = json.loads(run(models.app, "list", "--format", "json"))
    rows = {row["name"]: row for row in document["rows"]}
    assert {"openai/NAME", "http/NAME", "pocket/s", "replay/FILE", "inspect/PROVIDER/NAME"} <= set(rows)
    assert rows["openai/NAME"]["key"] == "OPENAI_API_KEY" and rows["openai/NAME"]["key_set"] is True
    assert rows["mistral/NAME"]["key_set"] is False
    assert SECRET not in json.dumps(document) and SECRET not in run(models.app)


def found(*arguments: str) -> dict[str, dict[str, object]]:
    rows = json.loads(run(models.app, "test", *arguments, "--format", "json"))["rows"]
    return {row["capability"]: row for row in rows}


def test_what_an_endpoint_can_do_is_found_out_with_the_flags_to_use():
    top = [{"token": "A", "logprob": -0.25}, {"token": "B", "logprob": -1.5}]
    say = Say("A\x1b[31m", choice={"logprobs": {"content": [{"top_logprobs": top}]}})

    def behave(body, count):
        return Send({"error": {"message": "no such path"}}, 404) if "prompt" in body else say

    with serving(behave) as endpoint:
        rows = found("http/m", "--base-url", endpoint.url)
        assert "\x1b" not in run(models.app, "test", "http/m", "--base-url", endpoint.url)
        assert "temperature" not in endpoint.bodies[0]
    assert list(rows) == ["text", "log-probabilities", "system role", "temperature", "seed", "echo"]
    assert [row["works"] for row in rows.values()] == [True, True, True, True, True, False]
    assert "ended by stop" in str(rows["text"]["detail"]) and "served by m-2026" in str(
        rows["text"]["detail"]
    )
    assert rows["log-probabilities"]["flags"] == "--scoring logprobs"
    assert "of the 2 most likely first tokens; -0.25 -1.50" in str(rows["log-probabilities"]["detail"])


def test_an_endpoint_that_can_do_little_says_what_to_do_instead():
    def behave(body, count):
        if body["messages"][0]["role"] == "system":
            return Send({"message": "System role not supported"}, 400)
        for member in ("temperature", "seed", "logprobs"):
            if member in body:
                return Send(
                    {"error": {"message": f"Unsupported parameter: '{member}'", "param": member}}, 400
                )
        return Say("A", message={"reasoning_content": "Hm."})

    with serving(lambda body, count: Send({}, 404) if "prompt" in body else behave(body, count)) as endpoint:
        rows = found("http/m", "--base-url", endpoint.url)
    assert [name for name, row in rows.items() if row["works"]] == ["text"]
    assert "thinks aloud first" in str(rows["text"]["detail"])
    assert rows["log-probabilities"]["flags"] == "--scoring generate"
    assert rows["system role"]["detail"] == "the system text goes in front of the question"
    assert rows["temperature"]["flags"] == "leave --temperature out"


def test_few_alternatives_are_asked_for_where_many_are_refused():
    top = [{"token": "A", "logprob": -0.25}, {"token": "B", "logprob": -1.5}]

    def behave(body, count):
        if body.get("top_logprobs", 0) > 5:
            return Send({"error": {"message": "Invalid value for 'top_logprobs': must be at most 5"}}, 400)
        return Say("A", choice={"logprobs": {"content": [{"top_logprobs": top}]}})

    with serving(lambda body, count: Send({}, 404) if "prompt" in body else behave(body, count)) as endpoint:
        rows = found("http/m", "--base-url", endpoint.url)
        assert rows["log-probabilities"]["works"] and [
            b["top_logprobs"] for b in endpoint.bodies if "top_logprobs" in b
        ] == [20, 5]


def test_a_local_model_is_asked_for_text_and_options():
    rows = found("pocket/s")
    assert list(rows) == ["text", "log-probabilities"]
    assert "of every option" in str(rows["log-probabilities"]["detail"])


def test_a_failing_endpoint_is_an_error(monkeypatch):
    with serving(lambda *_: Send({"error": {"message": "no"}}, 401)) as endpoint:
        with pytest.raises(PermanentError, match="HESPERUS_API_KEY"):
            run(models.app, "test", "http/m", "--base-url", endpoint.url)
        monkeypatch.setenv("MY_KEY", SECRET)
        with pytest.raises(PermanentError, match="check the environment variable MY_KEY"):
            run(models.app, "test", "http/m", "--base-url", endpoint.url, "--key-variable", "MY_KEY")
        assert endpoint.headers[-1]["Authorization"] == f"Bearer {SECRET}"
    with serving(lambda *_: Send({"error": {"message": "too long"}}, 400)) as endpoint:
        with pytest.raises(ModelError, match="too long") as caught:
            run(models.app, "test", "http/m", "--base-url", endpoint.url)
        assert caught.value.exit_code == 3
    with pytest.raises(UnknownNameError, match="did you mean 'openai'"):
        run(models.app, "test", "opnai/x")


def rows_of(*arguments: str, code: int) -> dict[str, dict[str, str]]:
    return {
        row["check"]: row
        for row in json.loads(run(diagnosis, *arguments, "--format", "json", code=code))["rows"]
    }


@pytest.fixture
def exit_code() -> int:
    """1 in a checkout where the pocket models are not trained yet."""
    from hesperus.models.pocket import WEIGHTS

    return 0 if all((WEIGHTS / size / "model.onnx").is_file() for size in ("s", "m", "l")) else 1


def test_the_doctor_looks_at_everything(tmp_path, monkeypatch, exit_code):
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    rows = rows_of("--store", str(tmp_path / "deep" / "s.sqlite"), code=exit_code)
    assert {"hesperus", "python", "sqlite", "package aiohttp", "extra inspect", "pocket/l"} <= set(rows)
    assert rows["key openai"] == {"check": "key openai", "status": "ok", "detail": "OPENAI_API_KEY"}
    assert rows["reply store"]["status"] == "ok" and "can be made" in rows["reply store"]["detail"]
    assert SECRET not in json.dumps(rows) and list(tmp_path.iterdir()) == []


def test_the_doctor_opens_a_store(tmp_path, exit_code):
    ReplyStore(tmp_path / "s.sqlite").close()
    rows = rows_of("--store", str(tmp_path / "s.sqlite"), code=exit_code)
    assert rows["reply store"]["detail"].endswith("s.sqlite: 0 replies")
    (tmp_path / "notes").write_text("no database" * 100)
    rows = rows_of("--store", str(tmp_path / "notes"), code=1)
    assert rows["reply store"]["status"] == "broken" and "not a database" in rows["reply store"]["detail"]


def test_a_person_sees_first_what_is_missing_and_the_packages_on_one_line(tmp_path, monkeypatch, exit_code):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    lines = run(diagnosis, "--store", str(tmp_path / "s.sqlite"), code=exit_code).splitlines()
    assert lines[0].startswith("doctor: ") and " absent, " in lines[0]
    places = {
        word: place for place, line in enumerate(lines) for word in ("absent", "packages") if word in line
    }
    assert places["absent"] < places["packages"] and sum("polars" in line for line in lines) == 1
