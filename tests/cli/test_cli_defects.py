"""What is said of a defect of ours, and with which exit code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hesperus.cli.defects import defect_report
from hesperus.version import __version__

DEFECT = """
import sys
from hesperus.models import pocket
import hesperus.cli.app as app

def broken(*given, **named):
    raise KeyError("sk-secret123456 in /home/anna/study at https://internal.example/v1")

pocket.PocketModel.__init__ = broken
sys.argv = ["hesperus", "models", "test", "pocket/s"]
app.main()
"""


def raised(error: Exception) -> Exception:
    try:
        raise error
    except type(error) as caught:
        return caught


def test_a_defect_ends_with_70_and_says_what_version_and_where(tmp_path: Path):
    ended = subprocess.run([sys.executable, "-c", DEFECT], cwd=tmp_path, capture_output=True, text=True)
    assert ended.returncode == 70
    assert ended.stderr.startswith("this is a defect of hesperus: KeyError")
    assert __version__ in ended.stderr and "cli/models.py:" in ended.stderr
    assert "Traceback" not in ended.stderr and ended.stderr.count("\n") <= 12
    for secret in ("sk-secret", "/home", "anna", "internal.example", str(Path(__file__).parent)):
        assert secret not in ended.stderr


@pytest.mark.parametrize(
    ("said", "hidden"),
    [
        ("no 'C:\\Users\\anna\\runs'", "anna"),
        ("/srv/data/x.parquet: bad", "srv"),
        ("at http://10.0.0.7:8000/v1 refused", "10.0.0.7"),
        ("Bearer abc.def.ghi", "abc"),
        ("it is hunter22-xyz", "hunter22"),
    ],
)
def test_keys_paths_and_addresses_are_cut_out(monkeypatch, said, hidden):
    monkeypatch.setenv("MY_API_KEY", "hunter22-xyz")
    report = defect_report(raised(ValueError(said)))
    assert hidden not in report and "ValueError" in report


def test_long_words_are_cut():
    assert len(defect_report(raised(ValueError("x" * 10_000)))) < 800
