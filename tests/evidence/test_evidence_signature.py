"""The line under a table: from it alone and the run, the table is made again and held to its hash."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from forgery import FEW, MakeBundle, opened
from hypothesis import example, given
from hypothesis import strategies as st

import hesperus as hs
from hesperus.analysis.short_signature import SHORT, ShortSignature, digest
from hesperus.analysis.table import Table
from hesperus.errors import UsageError

STUDIES = ("multisense", "similarity", "open_answers", "tax")


@pytest.mark.parametrize("study", STUDIES)
def test_every_table_is_made_again_from_its_line(
    study: str, demo_runs: dict[str, Path], bundled: MakeBundle
) -> None:
    """The lines are those of the numbers in a bundle."""
    tables = json.loads(opened(bundled(study, **FEW).path)["numbers.json"])
    assert len(tables) > 8
    for name, table in tables.items():
        line = ShortSignature.parse(table["signature"][SHORT])
        assert line.measure == name
        again = hs.measure(name, demo_runs[study], **line.settings)  # type: ignore[arg-type]
        assert digest(again) == line.digest, name


@pytest.mark.parametrize(
    "settings",
    [
        {"invalid": "agree"},
        {"by": ("relation",), "interval": "percentile"},
        {"a": "en", "b": "instruction=de_from_en,input=en", "level": 0.9},
        {"models": ("pocket/s",), "tasks": ("atlas",), "seed": 7},
    ],
)
def test_a_line_says_every_setting(settings: dict[str, object], demo_runs: dict[str, Path]) -> None:
    table = hs.measure("consistency", demo_runs["multisense"], resamples=30, **settings)  # type: ignore[arg-type]
    plain = hs.measure("consistency", demo_runs["multisense"], resamples=30)
    line = str(table.signature[SHORT])
    assert line != plain.signature[SHORT]
    assert hs.verify(demo_runs["multisense"], signature=line).passed


def test_a_changed_setting_or_hash_does_not_verify(demo_runs: dict[str, Path], tmp_path: Path) -> None:
    run = demo_runs["tax"]
    line = str(hs.measure("accuracy", run, resamples=20).signature[SHORT])
    bundle = hs.bundle(run, tmp_path / "bundle.zip", resamples=0)
    assert hs.verify(bundle.path, signature=line, id=bundle.id).passed
    for other in (
        line.replace("resamples:20", "resamples:21"),
        line[:-1] + ("0" if line[-1] != "0" else "1"),
    ):
        found = hs.verify(run, signature=other)
        assert [one.column for one in found.differences] == ["hash of the values"]
    assert not hs.verify(demo_runs["multisense"], signature=line).passed
    assert [one.column for one in hs.verify(bundle.path, id="0" * 16).differences] == ["id"]
    with pytest.raises(UsageError, match="only a bundle has an id"):
        hs.verify(run, signature=line, id=bundle.id)


def test_comparisons_and_checks_have_a_line_too(demo_runs: dict[str, Path]) -> None:
    old, run = demo_runs["multisense"], demo_runs["similarity"]
    compared = hs.compare(
        old, run, "accuracy", model_a="pocket/s", model_b="pocket/l", exact=True, resamples=20
    )
    line = str(compared.signature[SHORT])
    assert "|model_a:pocket/s|model_b:pocket/l|exact:True|" in line
    assert hs.verify(run, run=old, signature=line).passed
    assert not hs.verify(run, run=old, signature=line.replace("pocket/l", "pocket/s")).passed
    with pytest.raises(UsageError, match="give the first as --run"):
        hs.verify(run, signature=line)

    wanted = ["accuracy[en] >= 0.1", "validity >= 0.5"]
    checked = hs.check(run, wanted, baseline=old, max_drop="accuracy[model=pocket/l]=0.9", resamples=20)
    line = str(checked.signature[SHORT])
    assert line.count("|require:") == 2 and "|max_drop:accuracy[model=pocket/l]=0.9|" in line
    assert hs.verify(run, run=old, signature=line).passed
    assert not hs.verify(run, run=old, signature=line.replace(">= 0.1", ">= 0.99")).passed


@pytest.mark.parametrize(
    "line",
    ["", "BLEU = 30", "hesperus|accuracy", "hesperus|accuracy|seed:x|v:1|#0", "hesperus|accuracy|colour:red|v:1|#0",
     "hesperus|accuracy|seed:1|seed:2|v:1|#0"],
)  # fmt: skip
def test_what_is_no_signature_is_refused(line: str) -> None:
    with pytest.raises(UsageError, match="is no signature"):
        ShortSignature.parse(line)


def test_the_last_digits_of_a_number_are_not_hashed(demo_runs: dict[str, Path]) -> None:
    table = hs.measure("accuracy", demo_runs["tax"], resamples=20)
    row = dict(table.rows[0])
    near, far = (
        type(table)(
            table.measure, table.columns, ({**row, "low": row["low"] * (1 - by)}, *table.rows[1:]), {}
        )  # type: ignore[operator]
        for by in (1e-14, 1e-7)
    )
    assert digest(near) == digest(table) != digest(far)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.none(), min_size=1, max_size=30))
@example([0.0, -0.0, 1.0, 0.1, 1e-4, 9.9999e-5, 0.99999999949, 0.9999999995, 999999999.4, 1e9, -2.5, 5e-324])
@example([0.1234567895, 123456789.5, 1 / 3, 2 / 3, 100.0])
def test_numbers_are_hashed_as_they_are_written_to_nine_digits(numbers: list[float | None]) -> None:
    rows = ",".join('[null,"x"]' if number is None else f'["{number + 0.0:.9g}","x"]' for number in numbers)
    whole = hashlib.blake2b(f'[["value","of"],[{rows}]]'.encode(), digest_size=16).hexdigest()
    made = Table("m", ("value", "of"), tuple({"value": number, "of": "x"} for number in numbers), {})
    assert digest(made) == whole[:10]
