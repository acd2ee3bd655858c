"""`hesperus translate` and `hesperus translators`, as a user runs them."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from hesperus.cli.app import app
from hesperus.errors import DataError, UsageError
from own_process import started
from waiting import until

RUNNER = CliRunner()
READY = (
    "source,target,text,translation\nen,es,The house,La casa\nfr,es,Le chat,El gato\nen,es,line,l\u00ednea\n"
)


@pytest.fixture
def ready(tmp_path: Path) -> str:
    path = tmp_path / "ready.csv"
    path.write_text(READY, encoding="utf-8")
    return f"file/{path}"


def test_lines_keep_their_places(ready: str, tmp_path: Path) -> None:
    source, out = tmp_path / "in.txt", tmp_path / "deep" / "out.txt"
    source.write_bytes(b"The house\r\n\nline\nThe house")
    call = ["translate", str(source), "--from", "en", "--to", "es", "--translator", ready]
    done = RUNNER.invoke(app, call)
    assert done.exit_code == 0, done.output
    assert done.stdout_bytes.decode() == "La casa\r\n\nlínea\nLa casa"
    assert RUNNER.invoke(app, [*call, "--out", str(out)]).exit_code == 0
    assert out.read_bytes() == done.stdout_bytes
    assert [file.name for file in out.parent.iterdir()] == ["out.txt"]
    piped = RUNNER.invoke(app, [*call[:1], "-", *call[2:]], input="line\n")
    assert piped.stdout_bytes.decode() == "línea\n"
    source.write_bytes(b"\xef\xbb\xbfThe house\n")
    marked = RUNNER.invoke(app, call)
    assert marked.stdout_bytes.decode() == "La casa\n", "a mark at the beginning is none of the first text"


def test_a_column_of_a_table(ready: str, tmp_path: Path) -> None:
    source = tmp_path / "records.parquet"
    pl.DataFrame(
        {
            "input": ["en", "fr_from_en", "es", "en"],
            "reply": ["The house", "Le chat", "La mesa", None],
            "n": [1, 2, 3, 4],
        }
    ).write_parquet(source)
    out = tmp_path / "out.jsonl"
    call = ["translate", str(source), "--from-column", "input", "--to", "es", "--translator", ready]
    done = RUNNER.invoke(app, [*call, "--out", str(out)])
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["translation"] for row in rows] == ["La casa", "El gato", "La mesa", None]
    assert rows[1]["n"] == 2
    assert "4 rows: 1 in es already, 1 without a text" in done.stderr
    printed = RUNNER.invoke(app, [*call, "--format", "csv"])
    assert printed.stdout_bytes.decode().splitlines()[1] == "en,The house,1,La casa"
    refused = RUNNER.invoke(app, call)
    assert isinstance(refused.exception, UsageError) and "Parquet is no text" in str(refused.exception)


def test_stopped_work_is_kept(ready: str, tmp_path: Path) -> None:
    source, out = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("\n".join(["The house"] * 3 + [f"unknown {n}" for n in range(600)]))
    call = ["translate", str(source), "--from", "en", "--to", "es", "--translator", ready, "--out", str(out)]
    failed = RUNNER.invoke(app, call)
    assert failed.exception is not None and "lacks" in str(failed.exception)
    assert not out.exists()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (["{text}", "--to", "es"], UsageError, "say --from LANGUAGE"),
        (
            ["{text}", "--from", "en", "--to", "es", "--format", "csv"],
            UsageError,
            "lines of text take no --from-column",
        ),
        (["{bad}", "--from", "en", "--to", "es"], DataError, "line 2: is not UTF-8"),
        (
            ["{text}", "--from", "de", "--to", "eu", "--sentences"],
            UsageError,
            "it would take ct2/FOLDER or hf/NAME with NLLB-200",
        ),
        (
            ["{text}", "--from", "eu", "--to", "es"],
            UsageError,
            "it would take apertium (Debian package apertium-eu-es)",
        ),
        (["nowhere.txt", "--from", "en", "--to", "es"], UsageError, "cannot read the text nowhere.txt"),
        (["{table}", "--from", "en", "--to", "es"], DataError, "has no text column 'reply'; it has a, b"),
        (
            ["{table}", "--from", "en", "--to", "es", "--column", "a", "--into", "b"],
            UsageError,
            "has a column 'b'",
        ),
        (
            ["{table}", "--from-column", "b", "--to", "es", "--column", "a"],
            DataError,
            "line 2, field 'b': unknown lang",
        ),
        (
            ["{table}", "--from", "en", "--to", "es", "--column", "a", "--format", "xlsx"],
            UsageError,
            "unknown format of a table",
        ),
        (
            ["{mixed}", "--from-column", "b", "--to", "es", "--column", "a"],
            UsageError,
            "translate 2 of 3 pairs of languages",
        ),
        (
            ["{mixed}", "--from-column", "b", "--to", "es", "--column", "a"],
            UsageError,
            "Swahili (sw) to Spanish (es): ct2/",
        ),
        (["{text}", "--from", "es", "--to", "es"], UsageError, "both are one language"),
    ],
)
def test_bad_calls(call: list[str], error: type[Exception], message: str, ready: str, tmp_path: Path) -> None:
    files = {
        name: tmp_path / f"{name}.{end}" for name, end in (("text", "txt"), ("bad", "txt"), ("table", "csv"))
    }
    files["text"].write_text("The house\n")
    files["bad"].write_bytes(b"fine\n\xff\xfe\n")
    files["table"].write_text("a,b\nThe house,nolanguage\n")
    files["mixed"] = tmp_path / "mixed.csv"
    files["mixed"].write_text("a,b\nThe house,en\nNyumba,sw\n家,zh\n")
    words = [word.format(**files) for word in call]
    done = RUNNER.invoke(app, ["translate", *words, "--translator", ready])
    assert isinstance(done.exception, error) and message in str(done.exception)


def test_translators_are_listed_and_tried(ready: str) -> None:
    unknown = RUNNER.invoke(app, ["translators", "list", "--from", "en", "--to", "xx"])
    assert isinstance(unknown.exception, UsageError) and unknown.stdout == ""
    listed = RUNNER.invoke(app, ["translators", "--help"])
    assert listed.exit_code == 0 and "convert" in listed.stdout
    found = RUNNER.invoke(app, ["translators", "list", "--from", "en", "--to", "eu", "--format", "json"])
    kinds = {row["kind"]: row for row in json.loads(found.stdout)["rows"]}
    assert set(kinds) == {"apertium", "ct2", "file", "hf", "none"}
    assert "NLLB-200" in found.stderr
    tried = RUNNER.invoke(
        app,
        ["translators", "test", ready, "--from", "en", "--to", "es", "--text", "line", "--format", "json"],
    )
    assert json.loads(tried.stdout)["rows"][0]["translation"] == "línea"


def test_a_checkpoint_is_converted_and_used_in_two_commands(tmp_path: Path) -> None:
    import tiny_translators

    checkpoint = tiny_translators.nllb(tmp_path / "checkpoint")
    out = tmp_path / "made"
    done = RUNNER.invoke(app, ["translators", "convert", str(checkpoint), "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "nllb" in done.stderr and "202 languages" in done.stderr
    used = RUNNER.invoke(
        app, ["translate", "-", "--from", "en", "--to", "sw", "--translator", f"ct2/{out}", "--device", "cpu"],
        input="The cat\n\nThe dog",
    )  # fmt: skip
    assert used.exit_code == 0, used.output
    assert len(used.stdout.split("\n")) == 3


def held(store: Path) -> int:
    """How many translations a store holds, while another process writes it."""
    if not store.exists():
        return 0
    try:
        with closing(sqlite3.connect(store)) as connection:
            return int(connection.execute("SELECT count(*) FROM translations").fetchone()[0])
    except sqlite3.Error:
        return 0


def test_a_killed_run_goes_on(tmp_path: Path) -> None:
    source, out = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("\n".join(f"The house number {n} is green." for n in range(1000)))
    call = [
        "translate",
        str(source),
        "--from",
        "en",
        "--to",
        "es",
        "--translator",
        "apertium/eng-spa",
        "--whole",
    ]
    running = started(*call, "--out", out)
    kept = tmp_path / ".out.txt.translations.sqlite"
    until(lambda: held(kept), running=running)
    running.kill()
    running.wait()
    assert held(kept) and not out.exists()
    done = RUNNER.invoke(app, [*call, "--out", str(out)])
    assert done.exit_code == 0 and "from the store" in done.stderr
    assert out.read_text().split("\n")[999] == "El número de casa 999 es verde."
    assert {file.name for file in tmp_path.iterdir()} == {"in.txt", "out.txt"}


def test_documents_go_sentence_by_sentence(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    pl.DataFrame({"reply": ["# The house\n\n- The house is green. I like dogs!\n- `ls -l`\n"]}).write_csv(
        source
    )
    done = RUNNER.invoke(
        app,
        [
            "translate",
            str(source),
            "--from",
            "en",
            "--to",
            "es",
            "--translator",
            "apertium",
            "--format",
            "jsonl",
        ],
    )
    assert done.exit_code == 0, done.output
    made = json.loads(done.stdout)["translation"]
    assert made == "# La casa\n\n- La casa es verde. Me gustan los perros!\n- `ls -l`\n"
