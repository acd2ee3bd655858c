"""Runs every benchmark, one after the other, and writes what they found: `make bench`, or `python -m benchmarks path` for one.

All of them write `benchmarks/results.json`, a list of `name`, `value`, `unit`, `peer` and `ratio`, with what each took of the
processor; `--short` runs small sizes of most, in four minutes of the processor. What follows the name of one is handed to it:
`python -m benchmarks mutants --sample 50`; of a single one nothing is written. Mutants take tens of minutes and are run by
name only.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.result_rows import ROWS

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
NOT_BENCHMARKS = {
    "__init__",
    "__main__",
    "fault_server",
    "local_checkpoint",
    "loopback_server",
    "result_rows",
}
BY_NAME_ONLY = {"mutants"}
SHORT: Mapping[str, Sequence[str]] = {
    "agreement": ("--models", "4", "--languages", "10", "--items", "4000", "--rounds", "3"),
    "answer_extraction": (),
    "bootstrap": ("--models", "4", "--languages", "8", "--items", "4000", "--resamples", "2000"),
    "bundles": ("--plain", "300", "--hidden", "10"),
    "coverage": ("--datasets", "50", "--sizes", "20", "--only", "accuracy"),
    "explorer": ("--items", "1000", "--rounds", "2"),
    "faults": ("--requests", "1000", "--seconds", "0.02"),
    "fuzz": ("--seconds", "1"),
    "http_clients": ("--requests", "1000", "--rounds", "2"),
    "importing": ("--languages", "4", "--rows", "8000", "--rounds", "2"),
    "large_runs": ("--models", "4", "--languages", "6", "--items", "2000"),
    "local_models": ("--questions", "3", "--replies", "16", "--rounds", "1"),
    "option_keys": ("--rows", "20000", "200000"),
    "path": ("--requests", "1500", "--rounds", "3"),
    "scale": ("--small", "1000", "--large", "4000", "--check", "2000"),
    "slow_replies": ("--requests", "3000", "--one-in", "100", "--seconds", "2"),
    "stored_replies": ("--replies", "20000"),
    "tests": ("--datasets", "50", "--only", "McNemar"),
    "translating": ("--sentences", "64", "--rounds", "15"),
}
"""Arguments of the short form; what is not named here has none."""


def main() -> int:
    """Run the named benchmarks, or all; the exit code is that of the last one that failed."""
    known = sorted(path.stem for path in HERE.glob("*.py") if path.stem not in NOT_BENCHMARKS)
    given = sys.argv[1:]
    if given == ["--short"]:
        return collected({name: SHORT[name] for name in known if name in SHORT})
    if not given:
        return collected({name: () for name in known if name not in BY_NAME_ONLY})
    first = next((place for place, word in enumerate(given) if word.startswith("-")), len(given))
    wanted, flags = given[:first], given[first:]
    if flags and first != 1:
        sys.stderr.write("flags go to one benchmark: python -m benchmarks mutants --sample 50\n")
        return 2
    unknown = [name for name in wanted if name not in known]
    if unknown:
        sys.stderr.write(f"no benchmark {', '.join(unknown)}; there are {', '.join(known)}\n")
        return 2
    return max([run(name, flags) for name in wanted], key=abs)


def collected(wanted: Mapping[str, Sequence[str]]) -> int:
    """Run benchmarks with their arguments, and write the rows of all; a row says which one failed."""
    rows, code = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for name, flags in wanted.items():
            file = Path(folder) / f"{name}.jsonl"
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            ended = run(name, flags, {ROWS: str(file)})
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            taken = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            code = ended or code
            found = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
            rows += [{**row, "name": f"{name}: {row['name']}"} for row in map(json.loads, found)]
            missed = ended if found else 1
            rows += [
                {"name": f"{name}: {what}", "value": value, "unit": unit, "peer": None, "ratio": None}
                for what, value, unit in (
                    ("goals met", int(not missed), "1 yes, 0 no or not run"),
                    ("taken in all", round(taken, 1), "s CPU"),
                )
            ]
    RESULTS.write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"{len(rows)} rows: {RESULTS}")
    return code


def run(name: str, flags: Sequence[str], more: Mapping[str, str] | None = None) -> int:
    """Run one; its exit code."""
    print(f"== {name}", flush=True)
    command = [sys.executable, str(HERE / f"{name}.py"), *flags]
    return subprocess.run(command, check=False, env={**os.environ, **(more or {})}).returncode


if __name__ == "__main__":
    sys.exit(main())
