"""No number moves without being seen: the small part of the record of all numbers is as it is kept."""

from __future__ import annotations

import shutil
from pathlib import Path

import net


def test_every_number_is_as_the_kept_record_has_it(demo_runs: dict[str, Path], tmp_path: Path) -> None:
    net.write_small(tmp_path, demo_runs)
    # The embedded models compute in single precision: another machine may move a probability's last digits.
    found = net.differences(net.KEPT, tmp_path, tolerance=1e-4)
    assert not found, "\n".join(
        [*found[:20], "if this is meant: python -m tests.net tests/net --small, and say so in the commit"]
    )


def test_a_comparison_names_every_value_that_differs(tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(net.KEPT, other)
    table = other / "multisense" / "accuracy.csv"
    head, first, *rows = table.read_text(encoding="utf-8").splitlines()
    cells = dict(zip(head.split(","), first.split(","), strict=True))
    cells["value"] = str(float(cells["value"]) + 0.25)
    table.write_text("\n".join([head, ",".join(cells.values()), *rows[1:]]) + "\n", encoding="utf-8")
    (other / "tax" / "bounds.csv").unlink()

    found = net.differences(net.KEPT, other)

    assert len(found) == 3
    assert any("accuracy.csv" in line and "(by +0.25)" in line for line in found)
    assert any("accuracy.csv" in line and line.endswith("only in the first") for line in found)
    assert any(line.endswith("bounds.csv: is missing") for line in found)
    assert net.differences(net.KEPT, net.KEPT) == []
