"""Runs every benchmark, one after the other, and writes what they found: `make bench`, or `python -m benchmarks path` for one.

All of them write `benchmarks/results.json`, a list of `name`, `value`, `unit`, `peer` and `ratio`, with the `form` that each
figure is from and what each benchmark took of the processor; `--short` runs small sizes of most, in four minutes of the
processor. `--keep agreement path`, or `--short agreement path`, runs these alone and renews their rows: all together take
hours. What follows the name of one is handed to it: `python -m benchmarks mutants --sample 50`, and then nothing is written.
Mutants take tens of minutes and are run by name only.
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
    "command_usage",
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
    "kills": ("--kills", "2", "--only", "import", "annotate"),
    "large_runs": ("--models", "4", "--languages", "6", "--items", "2000"),
    "local_models": ("--questions", "3", "--replies", "16", "--rounds", "1"),
    "option_keys": ("--rows", "20000", "200000"),
    "path": ("--requests", "1500", "--rounds", "3"),
    "scale": ("--small", "2000", "--large", "30000", "--check", "2000"),
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
    form = "short" if given[:1] == ["--short"] else "full"
    if not given or given[0] in ("--short", "--keep"):
        offered = [name for name in known if (name in SHORT if form == "short" else name not in BY_NAME_ONLY)]
        if unknown := sorted({*given[1:]} - {*offered}):
            return _refused(unknown, offered)
        return collected(
            {name: SHORT[name] if form == "short" else () for name in given[1:] or offered}, form
        )
    first = next((place for place, word in enumerate(given) if word.startswith("-")), len(given))
    wanted, flags = given[:first], given[first:]
    if flags and first != 1:
        sys.stderr.write("flags go to one benchmark: python -m benchmarks mutants --sample 50\n")
        return 2
    unknown = [name for name in wanted if name not in known]
    if unknown:
        return _refused(unknown, known)
    return max([run(name, flags) for name in wanted], key=abs)


def _refused(unknown: Sequence[str], known: Sequence[str]) -> int:
    sys.stderr.write(f"no benchmark {', '.join(unknown)}; there are {', '.join(known)}\n")
    return 2


def collected(wanted: Mapping[str, Sequence[str]], form: str) -> int:
    """Run benchmarks with their arguments, and renew the rows of each; a row says whether it kept to its bounds."""
    code = 0
    held = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.is_file() else []
    of_each: dict[str, list[dict[str, object]]] = {}
    for row in held:
        name = row["name"].partition(": ")[0]
        if (HERE / f"{name}.py").is_file():
            of_each.setdefault(name, []).append(row)
    with tempfile.TemporaryDirectory() as folder:
        for name, flags in wanted.items():
            file = Path(folder) / f"{name}.jsonl"
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            ended = run(name, flags, {ROWS: str(file)})
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            taken = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            code = ended or code
            found = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
            missed = ended if found else 1
            told = [
                *map(json.loads, found),
                *(
                    {"name": what, "value": value, "unit": unit, "peer": None, "ratio": None}
                    for what, value, unit in (
                        ("goals met", int(not missed), "1 yes, 0 no or not run"),
                        ("taken in all", round(taken, 1), "s CPU"),
                    )
                ),
            ]
            of_each[name] = [{**row, "name": f"{name}: {row['name']}", "form": form} for row in told]
            rows = [row for known in sorted(of_each) for row in of_each[known]]
            RESULTS.write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"rows of {', '.join(wanted)}: {RESULTS}")
    return code


def run(name: str, flags: Sequence[str], more: Mapping[str, str] | None = None) -> int:
    """Run one; its exit code."""
    print(f"== {name}", flush=True)
    command = [sys.executable, str(HERE / f"{name}.py"), *flags]
    return subprocess.run(command, check=False, env={**os.environ, **(more or {})}).returncode


if __name__ == "__main__":
    sys.exit(main())
