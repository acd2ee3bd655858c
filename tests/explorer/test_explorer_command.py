"""`hesperus view` as a process, and the example of its page."""

from __future__ import annotations

import re
import signal
import urllib.request
from pathlib import Path

import pytest

from command_line import hesperus
from explorer.runs import quiz_run
from hesperus.records import write_records
from own_process import started
from waiting import LIMIT, last_words

PAGE = Path(__file__).resolve().parents[2] / "docs" / "explorer.md"


def test_it_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write_records(quiz_run().records, tmp_path / name / "answers.parquet")
    records = ("one/answers.parquet", "two/answers.parquet")
    process = started("view", *records, "--port", "0", "--no-browser", cwd=tmp_path)
    url = process.stderr.readline().strip()
    assert "answers.parquet, answers.parquet (2) on this machine only" in process.stderr.readline()
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    assert "To the runs" in opener.open(url, timeout=LIMIT).read().decode()
    page = opener.open(url.partition("/open/")[0] + "/", timeout=LIMIT).read().decode()
    assert "answers.parquet (2)" in page and "test/one" in page
    process.send_signal(signal.SIGINT)
    assert last_words(process) == "" and process.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "said"), [(["nowhere"], "no such file or folder"), ([], "Missing argument"), (["--port", "99999", "x"], "less than or equal to 65535")]
)  # fmt: skip
def test_bad_use_is_said(arguments: list[str], said: str, tmp_path: Path) -> None:
    done = hesperus("view", *arguments, cwd=tmp_path)
    assert done.returncode == 2 and said in done.stderr


def test_the_example_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(code, str(PAGE), "exec"), {})  # our own page, not a user's text
    assert capsys.readouterr().out == "['q1'] C\n"
