"""Commands that are killed at random moments and run again, held against the same commands left alone.

Each command starts in a folder of its own, is killed (SIGKILL) a few times at moments drawn from the time that it takes, then run to its end.
What it leaves is compared with what an unkilled one left: files by their bytes, stores by their rows but for times. No partial file
may be left, either.

    python benchmarks/kills.py [--kills 20] [--seed 1] [--only run import evaluate annotate merge]
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from result_rows import keep

SERIES = 4
"""Kills of one folder before the command is run to its end."""

STUDY = (
    "similarity",
    "--task",
    "atlas",
    "--model",
    "pocket/m",
    "--language",
    "en",
    "--language",
    "de",
    "--scoring",
    "generate",
)
SPLIT = ("multisense", "--task", "atlas", "--model", "pocket/m", "--target", "de", "--limit", "12")
TEXT = (
    "Peru is in South America. Its capital is Lima. It borders Chile, and {} people live in its {} regions."
)


@dataclass(frozen=True)
class Case:
    """A command.

    Attributes:
        words: The command, which runs in its folder.
        inputs: Puts what it reads into an empty folder.
        out: What it writes, files or folders.
        is_there: What it says where all had been written before the kill; empty if it goes on then as well.
    """

    words: tuple[str, ...]
    inputs: Callable[[Path], None]
    out: tuple[str, ...]
    is_there: str = ""


def nothing(folder: Path) -> None:
    """The command reads nothing."""


def table(folder: Path) -> None:
    """Answers of two models in three languages, to import."""
    rows = [
        f"m{model},{item},{tag},{'ABCD'[(item * model + len(tag)) % 4]},{'ABCD'[item % 4]}"
        for model in (1, 2)
        for tag in ("en", "de", "fra")
        for item in range(4000)
    ]
    (folder / "answers.csv").write_text(
        "\n".join(["model,qid,lang,choice,right", *rows]) + "\n", encoding="utf-8"
    )


def texts(folder: Path) -> None:
    """Open answers of one model in three languages, to evaluate."""
    rows = (
        {"model": "m", "task": "t", "item": str(item), "instruction": tag, "input": tag, "outcome": "answered",
         "reply": TEXT.format(item, item % (3 if tag == "de" else 7))}
        for item in range(40)
        for tag in ("en", "de", "fr")
    )  # fmt: skip
    (folder / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def units(folder: Path) -> None:
    """Pairs of texts, to rate."""
    rows = [f"q{n},Question {n},问题{n},{'high' if n % 3 else 'low'}" for n in range(3000)]
    (folder / "items.csv").write_text("\n".join(["item,en,zh,stratum", *rows]) + "\n", encoding="utf-8")


def shards(folder: Path) -> None:
    """The stores of two shards, to merge."""
    for shard in ("0/2", "1/2", "2/2"):
        subprocess.run(
            command("run", *SPLIT, "--out", "run", "--quiet", "--shard", shard),
            cwd=folder,
            check=True,
            **QUIET,
        )


CASES: Mapping[str, Case] = {
    "run": Case(("run", *STUDY, "--resamples", "0", "--out", "run", "--quiet"), nothing, ("run", "replies.sqlite")),
    "import": Case(
        ("import", "answers.csv", "--out", "run", "--map", "item=qid", "--map", "language=lang", "--map", "answer=choice",
         "--map", "gold=right", "--task", "mine"),
        table, ("run",),
    ),
    "evaluate": Case(
        ("evaluate", "information", "answers.jsonl", "--translator", "pocket/s", "--judge", "embedded", "--resamples", "0",
         "--out", "evaluated", "--store", "replies.sqlite", "--translations", "translations.sqlite"),
        texts, ("evaluated", "translations.sqlite"),
    ),
    "annotate": Case(
        ("annotate", "create", "residue", "items.csv", "--map", "source=en", "--map", "text=zh", "--language", "text=zh",
         "--out", "rate.sqlite"),
        units, ("rate.sqlite",), "rate.sqlite exists",
    ),
    "merge": Case(("merge", "run.shards"), shards, ("replies.sqlite", "translations.sqlite")),
}  # fmt: skip

QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def command(*words: str) -> list[str]:
    """The command line of hesperus."""
    return [sys.executable, "-m", "hesperus", *words]


def content(folder: Path, out: tuple[str, ...]) -> dict[str, object]:
    """What a command left: bytes of files, rows of stores; names of partial files, of which there should be none."""
    found: dict[str, object] = {}
    for path in sorted(path for name in out for path in (folder / name, *(folder / name).rglob("*"))):
        if path.suffix == ".sqlite":
            found[path.name] = rows_of(path)
        elif path.is_file():
            found[str(path.relative_to(folder))] = path.read_bytes()
    found["left over"] = sorted(path.name for path in folder.rglob(".*.part*"))
    return found


def rows_of(store: Path) -> dict[str, list[str]]:
    """The rows of every table, in any order, without times and without numbers by which rows were counted."""
    with closing(sqlite3.connect(store)) as connection:
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        found = {}
        for name in tables:
            columns = [
                row[1]
                for row in connection.execute(f"PRAGMA table_info({name})")
                if not row[1].endswith("_at") and row[1] not in ("id", "salt")
            ]
            rows = connection.execute(f"SELECT {', '.join(columns)} FROM {name}")
            found[name] = sorted(map(repr, rows))
    return found


def fresh(base: Path, prepared: Path, name: str) -> Path:
    """A new folder with the inputs."""
    return Path(shutil.copytree(prepared, base / name))


def whole(case: Case, folder: Path) -> float:
    """Run a command to its end; seconds that it took."""
    began = time.monotonic()
    done = subprocess.run(command(*case.words), cwd=folder, capture_output=True, text=True)
    if done.returncode and not (case.is_there and case.is_there in done.stderr):
        raise SystemExit(
            f"hesperus {' '.join(case.words)} ended with {done.returncode}: {done.stderr[-500:]}"
        )
    return time.monotonic() - began


def killed(case: Case, folder: Path, seconds: float) -> bool:
    """Kill a command after so many seconds; False if it had ended by then."""
    process = subprocess.Popen(command(*case.words), cwd=folder, **QUIET)  # type: ignore[call-overload]
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return True
    return False


def tried(name: str, kills: int, rng: random.Random, base: Path) -> tuple[int, int, list[str]]:
    """Kills of one command; how often, of how many runs that had ended before, and what differed."""
    case = CASES[name]
    prepared = base / name
    prepared.mkdir()
    case.inputs(prepared)
    alone = fresh(base, prepared, f"{name}-alone")
    takes = whole(case, alone)
    wanted = content(alone, case.out)
    count = ended = 0
    differs: list[str] = []
    while count < kills:
        folder = fresh(base, prepared, f"{name}-{count + ended}")
        for _ in range(min(SERIES, kills - count)):
            if killed(case, folder, rng.uniform(0.25, 1.0) * takes):
                count += 1
            else:
                ended += 1
                break
        whole(case, folder)
        found = content(folder, case.out)
        differs += [
            f"{folder.name}: {key}" for key in wanted.keys() | found if wanted.get(key) != found.get(key)
        ]
        shutil.rmtree(folder)
    return count, ended, differs


def main() -> int:
    """Kill, compare, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=20, help="of each command")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=tuple(CASES), default=tuple(CASES))
    given = parser.parse_args()
    rng, code = random.Random(given.seed), 0
    with tempfile.TemporaryDirectory() as place:
        for name in given.only:
            count, ended, differs = tried(name, given.kills, rng, Path(place))
            print(
                f"{name}: {count} kills, {ended} came too late; {len(differs)} differences {differs[:4] or ''}",
                flush=True,
            )
            keep(f"differences after kills of {name}", len(differs), "files")
            code = code or int(bool(differs))
    return code


if __name__ == "__main__":
    sys.exit(main())
