"""A record of every number: all measures, checks and comparisons of the demo's runs and of the stored logs, as text.

    python -m tests.net OUT                    the full record, about a minute and a half
    python -m tests.net OUT --small            the part that is kept in tests/net and held by a test, some seconds
    python -m tests.net --compare BEFORE AFTER which values differ, and by how much

A change that is meant to keep all numbers leaves the record as it is; one that is not shows in its diff which numbers it
moves. One file a table, its rows sorted; seeds and resamples are fixed.
"""

from __future__ import annotations

import argparse
import csv
import io
import math
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tests.small_demo import ask

import hesperus as hs
from hesperus.analysis.table import Table
from hesperus.api.bundling import run_tables
from hesperus.errors import DataError, HesperusWarning, UsageError

KEPT = Path(__file__).parent / "net"
LOGS = Path(__file__).parent / "records" / "importers"
SEED = {"resamples": 200, "seed": 0}
DIGITS = 9
"""Significant digits of a number: more would record the order in which a machine adds."""
_NUMBERS = ("value", "low", "high", "n", "answered", "excluded", "reason")
_COMPARISONS = ("accuracy", "consistency", "validity", "similarity", "scores", "groups")
_TOO_LONG = ("agreement", "directions", "groups")
"""Tables that the kept part is without, by their length."""


def write_net(out: Path, *, small: bool = False) -> None:
    """Ask the embedded models, import the logs, and write every table."""
    with tempfile.TemporaryDirectory() as place:
        asked = ask(Path(place) / "demo", small=small)
        if small:
            write_tables(out, asked, without=_TOO_LONG)
        else:
            write_tables(out, asked | _imported(Path(place)))


def write_small(out: Path, asked: Mapping[str, Path]) -> None:
    """Write the part that is kept, of a small demo that was asked already (see small_demo)."""
    write_tables(out, asked, without=_TOO_LONG)


def write_tables(out: Path, runs: Mapping[str, Path], *, without: Sequence[str] = ()) -> None:
    """Write the tables of runs, each run in a folder of its name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HesperusWarning)
        for name, run in runs.items():
            _write_run(run, out / name, without=without)


def _imported(place: Path) -> dict[str, Path]:
    """The stored logs of other tools, as runs."""
    sources = sorted([*LOGS.glob("fixtures/[a-z]*[a-z]"), *LOGS.glob("logs/*")])
    found = {}
    for source in sources:
        if not source.is_dir() or source.name == "checkpoint":
            continue
        name = f"{source.parent.name}_{source.name}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HesperusWarning)
            found[name] = hs.import_logs(source, place / name).folder
    return found


def _write_run(run: Path, out: Path, *, without: Sequence[str]) -> None:
    found, _ = run_tables(run, **SEED)
    tables = {name: table for name, table in found.items() if name not in without}
    for name, table in tables.items():
        _write(table, out / f"{name}.csv")
    _write(_checked(run, tables), out / "check.csv")
    for name, table in _compared(run):
        if name not in without:
            _write(table, out / f"compare_{name}.csv")


def _checked(run: Path, tables: Mapping[str, Table]) -> Table:
    """A requirement on the value of each statistic, and on the lower end of the first: how many rows pass."""
    counts: dict[str, list[object]] = {}
    for name, found in tables.items():
        statistics = sorted({str(row["statistic"]) for row in found.rows if "statistic" in row})
        wanted = [f"{name}.{one} >= 0.5" for one in statistics]
        wanted += [f"{name}.{one}.low >= 0.5" for one in statistics[:1]]
        with suppress(
            UsageError, DataError
        ):  # a table that has no requirements, or statistics of more than one word
            for row in hs.check(run, wanted, **SEED).rows:
                counts.setdefault(str(row["requirement"]), []).append(row["passed"])
    rows = [
        {"requirement": name, "passed": passed.count(True), "of": len(passed)}
        for name, passed in counts.items()
    ]
    return Table("check", ("requirement", "passed", "of"), tuple(rows), {})


def _compared(run: Path) -> Iterator[tuple[str, Table]]:
    """The first two models of a run beside each other."""
    models = hs.read_records(run)["model"].unique().sort().to_list()[:2]
    for what in _COMPARISONS:
        try:
            named = {"model_a": models[0], "model_b": models[-1]}
            yield what, hs.compare(run, run, what, **named, **SEED)
        except (UsageError, DataError):  # the run has no such comparison
            continue


def _write(table: Table, path: Path) -> None:
    written = io.StringIO()
    rows = csv.writer(written, lineterminator="\n")
    rows.writerow(table.columns)
    rows.writerows(sorted([_text(row[name]) for name in table.columns] for row in table.rows))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(written.getvalue(), encoding="utf-8")


def _text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.{DIGITS}g}"
    return "" if value is None else str(value)


def differences(before: Path, after: Path, *, tolerance: float = 1e-8) -> list[str]:
    """What differs between two records, a line each; empty where they agree.

    Args:
        before: Folder of a record.
        after: Folder of the other.
        tolerance: Numbers count as alike up to this, absolutely.
    """
    files = {str(path.relative_to(side)) for side in (before, after) for path in side.rglob("*.csv")}
    found = []
    for name in sorted(files):
        sides = [side / name for side in (before, after)]
        missing = [str(side) for side in sides if not side.is_file()]
        found += [f"{path}: is missing" for path in missing]
        if not missing:
            found += [f"{name}: {line}" for line in _differing(*map(_rows, sides), tolerance)]
    return found


_Rows = dict[tuple[str, ...], dict[str, str]]


def _rows(path: Path) -> _Rows:
    """Rows by their text columns; equal ones are numbered."""
    found: _Rows = {}
    with path.open(encoding="utf-8", newline="") as opened:
        for row in csv.DictReader(opened):
            key = tuple(
                f"{name}={value}"
                for name, value in row.items()
                if name not in _NUMBERS and not _number(value)
            )
            again = sum(1 for other in found if other[: len(key)] == key)
            found[(*key, f"#{again}") if again else key] = row
    return found


def _differing(before: _Rows, after: _Rows, tolerance: float) -> Iterator[str]:
    for key in [*before, *(key for key in after if key not in before)]:
        where = ", ".join(key)
        if key not in before or key not in after:
            yield f"{where}: only in the {'first' if key in before else 'second'}"
            continue
        for name in [*before[key], *(name for name in after[key] if name not in before[key])]:
            one, two = before[key].get(name), after[key].get(name)
            if one != two and not _near(one, two, tolerance):
                by = f" (by {float(two) - float(one):+.3g})" if _number(one) and _number(two) else ""
                yield f"{where}: {name}: {one} -> {two}{by}"


def _number(text: str | None) -> bool:
    try:
        return text is not None and math.isfinite(float(text))
    except ValueError:
        return False


def _near(one: str | None, two: str | None, tolerance: float) -> bool:
    return _number(one) and _number(two) and abs(float(one or 0) - float(two or 0)) <= tolerance


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path, nargs="?", help="folder to write")
    parser.add_argument("--small", action="store_true", help="only what tests/net keeps")
    parser.add_argument("--compare", type=Path, nargs=2, metavar=("BEFORE", "AFTER"))
    parser.add_argument("--tolerance", type=float, default=1e-8)
    given = parser.parse_args()
    if given.out is not None:
        write_net(given.out, small=given.small)
    found = differences(*given.compare, tolerance=given.tolerance) if given.compare else []
    sys.stdout.writelines(f"{line}\n" for line in found)
    if given.compare:
        sys.stdout.write(f"{len(found)} values differ\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
