"""Stored replies: their JSON form, and the models that answer from them or from a script."""

from __future__ import annotations

import json
import re
import sqlite3

import polars as pl
import pytest

from hesperus.asking import ReplyStore, ask
from hesperus.errors import DataError, PermanentError, UnknownNameError, UsageError
from hesperus.models import LocalModel, ReplayModel, ScriptedModel, StoredReply, model
from hesperus.types import Prompt, Reply, Request, Settings

STORED = StoredReply(
    Request("a/b", Prompt("q", "s"), Settings(0.0, 5, 0.5, 1), ("A", "B"), 2),
    Reply("", "stop", (-0.5, -1.0), 3, 4, "b-1"),
    {"k": "v"},
    "0" * 32,
    12.5,
)


def write(path, *rows):
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n\n", encoding="utf-8")
    return path


def q(text, **more):
    return Request("replay/x", Prompt(text), **more)


def test_a_stored_reply_survives_json():
    assert StoredReply.from_json(json.loads(json.dumps(STORED.to_json()))) == STORED


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"user": "q"}, "missing required field `reply`; lines are"),
        ({"reply": "r"}, "missing required field `user`"),
        ({"user": 7, "reply": "r"}, "Expected `str`, got `int` - at `$.user`"),
        ({"user": "q", "reply": None}, "missing required field `reply`"),
        ({"user": "q", "reply": "r", "finish": "odd"}, "Invalid enum value 'odd' - at `$.finish`"),
        ({"user": "q", "reply": "r", "repeat": "x"}, "no stored reply"),
        (
            {"request": {"prompt": {"user": "q"}}, "reply": {"text": ""}},
            "missing required field `model` - at `$.request`",
        ),
        ({"request": [], "reply": {}}, "Expected `object`, got `array` - at `$.request`"),
        ([1], "Expected `object`, got `array`"),
    ],
)
def test_broken_lines_are_named(tmp_path, row, message):
    path = write(tmp_path / "r.jsonl", {"user": "fine", "reply": "r"}, row)
    with pytest.raises(DataError, match=re.escape(message)) as caught:
        ReplayModel(path)
    assert "r.jsonl, line 2" in str(caught.value)


def test_the_short_form_answers_any_settings(tmp_path):
    path = write(
        tmp_path / "r.jsonl",
        {"user": "q1", "reply": "one"},
        {"user": "q1", "reply": "again", "repeat": 2},
        {"user": "q2", "reply": "", "options": ["A", "B"], "option_logprobs": [-0.1, -2.0]},
        {"user": "q3", "system": "sys", "reply": "with system", "finish": "length"},
    )
    made = model(f"replay/{path}")
    assert isinstance(made, LocalModel) and len(made) == 4
    answered = made.replies(
        [
            q("q1", settings=Settings(0.9)),
            q("q1", repeat=2),
            q("q2", options=("A", "B")),
            Request("x", Prompt("q3", "sys")),
        ]
    )
    assert answered == [
        Reply("one"),
        Reply("again"),
        Reply("", option_logprobs=(-0.1, -2.0)),
        Reply("with system", "length"),
    ]
    for missing in (q("q4"), q("q1", repeat=3), q("q2"), q("q3")):
        with pytest.raises(
            PermanentError, match=r"has no reply to 'q\d'.*under none of its 4 replies"
        ) as caught:
            made.replies([missing])
        assert caught.value.kind == "not_stored"


def test_stored_settings_must_agree(tmp_path):
    row = StoredReply(q("q", settings=Settings(0.0)), Reply("r"), {}).to_json()
    made = ReplayModel(write(tmp_path / "r.jsonl", row))
    assert made.replies([q("q", settings=Settings(0.0))]) == [Reply("r")]
    with pytest.raises(PermanentError, match=r"only with other settings \(Settings\(temperature=0.0"):
        made.replies([q("q", settings=Settings(0.7))])


def test_one_of_several_models_is_picked(tmp_path):
    rows = [{"user": "q", "reply": name, "model": name} for name in ("a/x", "b/y")]
    path = write(tmp_path / "r.jsonl", *rows)
    with pytest.raises(UsageError, match=r"holds replies of 2 models; pick one: replay/.*r.jsonl#a/x"):
        model(f"replay/{path}")
    assert model(f"replay/{path}#b/y").replies([q("q")]) == [Reply("b/y")]
    with pytest.raises(UsageError, match="holds no reply of 'c/z', only of a/x, b/y"):
        model(f"replay/{path}#c/z")
    assert model(f"replay/{path}#a/x").identity != model(f"replay/{path}#b/y").identity


def test_a_store_and_its_export_replay_the_run(tmp_path):
    asked = ScriptedModel({"q1": "one", "q2": "two"})
    requests = [Request(asked.name, Prompt(text)) for text in ("q1", "q2")]
    with ReplyStore(tmp_path / "s.sqlite") as store:
        replies = ask(asked, requests, store=store)
        assert store.export(tmp_path / "s.jsonl") == 2
        from_store = model(f"replay/{tmp_path / 's.sqlite'}")
    from_lines = ReplayModel(tmp_path / "s.jsonl", name="replay/other")
    assert list(from_store.replies(requests)) == list(from_lines.replies(requests)) == replies
    assert from_store.identity == from_lines.identity


def test_parquet_is_read(tmp_path):
    pl.DataFrame({"user": ["q"], "reply": ["r"], "repeat": [1]}).write_parquet(tmp_path / "r.parquet")
    assert model(f"replay/{tmp_path / 'r.parquet'}").replies([q("q")]) == [Reply("r")]


def test_files_that_cannot_be_replayed_say_why(tmp_path):
    for name, content, message in [
        ("a.jsonl", b"{nonsense\n", "line 1: no JSON"),
        ("a.parquet", b"nonsense", "no Parquet file"),
        ("a.sqlite", b"nonsense" * 200, "no readable reply store"),
    ]:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(DataError, match=message):
            ReplayModel(tmp_path / name)
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE t (x)").connection.close()
    with pytest.raises(DataError, match="no reply store of hesperus"):
        ReplayModel(tmp_path / "other.db")
    (tmp_path / "a.csv").write_text("x")
    with pytest.raises(UsageError, match="cannot replay a file that ends with '.csv'"):
        ReplayModel(tmp_path / "a.csv")


def test_scripts_of_every_kind():
    assert ScriptedModel(["a", Reply("b", "length")]).replies([q("x"), q("x")]) == [
        Reply("a"),
        Reply("b", "length"),
    ]
    assert ScriptedModel(lambda r: r.prompt.user * 2).replies([q("x")]) == [Reply("xx")]
    for made, message in [
        (ScriptedModel([]), "the script's 0 replies are used up"),
        (ScriptedModel({"y": "z"}), "no reply to 'x'"),
    ]:
        with pytest.raises(PermanentError, match=message):
            made.replies([q("x")])
    assert ScriptedModel(["a"]).identity != ScriptedModel(["b"]).identity
    assert ScriptedModel(["a"], version="2").identity != ScriptedModel(["a"]).identity
    assert ScriptedModel({"a": "b"}).identity == ScriptedModel({"a": "b"}).identity


def test_there_are_no_other_pocket_models():
    with pytest.raises(UnknownNameError, match="unknown pocket model"):
        model("pocket/xxl")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b'{"user": "Q", "reply": "na\xefve"}', "line 2: no JSON"),
        (b"[" * 100_000, "line 2: no JSON"),
        (b'{"user": "Q", "reply": "a", "repeat": 1e999}', "inf is no finite number"),
        (b'{"user": "Q", "reply": "a", "repeat": 1.5}', "Expected `int`, got `float` - at `$.repeat`"),
        (
            b'{"user": "Q", "reply": "a", "options": ["A"], "option_logprobs": [1' + b"0" * 400 + b"]}",
            "Number out of range - at `$.option_logprobs[0]`",
        ),
        (b'{"user": "Q", "reply": "a", "settings": {"temperature": NaN}}', "nan is no finite number"),
        (
            b'{"user": "Q", "reply": "a", "settings": {"seed": {"a": 1}}}',
            "got `object` - at `$.settings.seed`",
        ),
    ],
)
def test_an_odd_line_is_named(tmp_path, line, why):
    (tmp_path / "a.jsonl").write_bytes(b'\xef\xbb\xbf{"user": "P", "reply": "a"}\n' + line)
    with pytest.raises(DataError, match="a.jsonl, line 2: ") as caught:
        ReplayModel(tmp_path / "a.jsonl")
    assert why in str(caught.value)
