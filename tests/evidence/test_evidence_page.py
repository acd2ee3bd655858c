"""A page holds the numbers that it claims, and they are made again from its run or from a bundle."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import hesperus as hs
from hesperus.errors import DataError, UsageError
from hesperus.evidence.page import claimed_numbers, numbers_block

STUDIES = ("multisense", "similarity", "open_answers", "tax")
MAIN = {
    "multisense": "consistency",
    "similarity": "designs",
    "open_answers": "scores",
    "tax": "back_translation",
}


@pytest.mark.parametrize("study", STUDIES)
def test_the_page_of_a_study_is_verified_by_its_run(study: str, demo_runs: dict[str, Path]) -> None:
    page = demo_runs[study] / "report.html"
    assert {"summary", MAIN[study]} <= set(claimed_numbers(page)["tables"])  # type: ignore[arg-type]
    found = hs.verify(page)
    assert found.passed, found.differences[:5]
    assert found.numbers > 300


def test_a_page_elsewhere_is_verified_by_a_bundle(demo_runs: dict[str, Path], tmp_path: Path) -> None:
    page = hs.report(demo_runs["tax"], tmp_path / "page.html", resamples=30)
    bundle = hs.bundle(demo_runs["tax"], tmp_path / "bundle.zip", resamples=0)
    assert hs.verify(page, run=bundle.path, id=bundle.id).passed
    other = hs.verify(page, run=demo_runs["similarity"])
    assert not other.passed
    with pytest.raises(UsageError, match="not a run folder"):
        hs.verify(page)
    with pytest.raises(UsageError, match="is no page"):
        hs.verify(bundle.path, run=demo_runs["tax"])


def test_a_changed_number_or_record_is_named(demo_runs: dict[str, Path], tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(demo_runs["tax"], run)
    page = run / "report.html"
    text = page.read_text(encoding="utf-8")
    first = re.search(r'"value":(0\.\d+),', text)
    assert first is not None
    page.write_text(text.replace(first[0], '"value":0.123456,', 1), encoding="utf-8")
    found = hs.verify(page)
    assert [(one.column, one.claimed) for one in found.differences] == [("value", 0.123456)]

    page.write_text(text, encoding="utf-8")
    records = pl.read_parquet(run / "records.parquet")
    flipped = pl.when(pl.col("answer") == "A").then(pl.lit("B")).otherwise(pl.col("answer"))
    records.with_columns(flipped.alias("answer")).write_parquet(
        run / "records.parquet", metadata={"hesperus.records": "2"}
    )
    assert not hs.verify(page).passed


def test_no_mark_up_stands_in_the_block() -> None:
    row = {"label": "</template><script>alert(1)</script>&\u202e", "value": 0.5}
    block = numbers_block({"summary": {"rows": [row]}}, {}, "0")
    inner = block.removeprefix('<template id="hesperus-numbers">').removesuffix("</template>")
    assert not re.search("[<>&]", inner) and inner.isascii()
    assert json.loads(inner)["tables"]["summary"]["rows"] == [row]


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ("", "no numbers"),
        (numbers_block({}, {}, "0") * 2, "more than once"),
        ('<template id="hesperus-numbers">{</template>', "cannot be read"),
        ('<template id="hesperus-numbers">[]</template>', "not of version"),
        ('<template id="hesperus-numbers">{"page": 1, "tables": 3}</template>', "no tables"),
        (numbers_block({"plan": {"rows": []}}, {}, "0"), "none of: 'plan'"),
        (numbers_block({}, {"by": "x"}, "0"), "none of: 'by'"),
        (numbers_block({}, {"resamples": 10**12}, "0"), "whole number up to"),
    ],
)
def test_a_page_that_claims_nothing_readable_is_refused(block: str, said: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(f"<html><body>{block}</body></html>", encoding="utf-8")
    with pytest.raises(DataError, match=said):
        hs.verify(page)


def test_the_command(demo_runs: dict[str, Path], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    shutil.copy(demo_runs["tax"] / "report.html", page)
    words = [sys.executable, "-m", "hesperus", "verify", str(page)]
    well = subprocess.run([*words, "--run", str(demo_runs["tax"])], capture_output=True, text=True)
    assert (well.returncode, well.stdout.startswith("verified: ")) == (0, True)
    alone = subprocess.run(words, capture_output=True, text=True)
    assert alone.returncode == 2
