"""Random changes of one value of a bundle: is every one that matters caught by `hesperus verify`?

Two ways. Plain: one value of one file is another, and everything else as it was: any such change matters. Hidden: the hashes of
the manifest are made to fit, as somebody would who hides the change. It matters where a claimed value is another, or where the
second implementation in the bundle (recompute.py), which shares no code with `verify`, comes to another number than was claimed; only such changes are given to `verify`.
A change that makes the file unreadable counts as caught.

Bundles are of the four studies of the demo and of an import, which is bundled with intervals too.

    python benchmarks/bundles.py [--plain 10000] [--hidden 150] [--seed 0] [--seconds 3600]
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import hesperus as hs
from hesperus.errors import HesperusError
from hesperus.evidence import recompute
from hesperus.evidence.bundle import read_bundle

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "evidence"))

from forgery import changed, opened, refitted, save
from result_rows import keep

DEMO = ("--limit", "8", "--model", "pocket/s", "--model", "pocket/l", "--target", "de")
STUDIES = ("", "similarity", "open-answers", "tax")
INTERVALS = "import, intervals"
"""Made again in twenty seconds, for the permutations of its tests: only changes that show before anything is measured are made in it."""
Files = Mapping[str, bytes]


def bundles(place: Path) -> dict[str, Files]:
    """A small bundle of each study, its point values only."""
    command = [sys.executable, "-m", "hesperus", "demo", "--quiet", "--out", str(place / "demo"), *DEMO]
    subprocess.run(command, check=True, capture_output=True)
    runs = {study or "multisense": (place / "demo" / study, 0) for study in STUDIES}
    runs["import"] = (imported(place), 0)
    runs[INTERVALS] = (place / "imported", 20)
    return {
        study: opened(hs.bundle(run, place / "bundle.zip", resamples=resamples, texts="keep").path)
        for study, (run, resamples) in runs.items()
    }


def imported(place: Path) -> Path:
    """A run that was imported: two models in three languages, with texts."""
    draw = random.Random(7)
    rows = [
        {"item": f"q{item}", "model": model, "language": language, "gold": "ABCD"[item % 4], "subject": "xy"[item % 2],
         "question": f"What is {item} in {language}?", "options": list("ABCD"),
         "answer": "ABCD"[item % 4] if draw.random() < 0.6 else draw.choice("ABCD")}
        for item in range(12) for model in ("lab/one", "lab/two") for language in ("en", "de", "sw")
    ]  # fmt: skip
    file = place / "answers.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    hs.import_logs(file, place / "imported")
    return place / "imported"


def is_damaged(path: Path) -> bool:
    """What `verify` finds before it measures anything."""
    return bool(read_bundle(path).damaged)


def differs(path: Path) -> bool:
    return not hs.verify(path).passed


def caught(check: Callable[[Path], bool], path: Path) -> bool:
    try:
        return check(path)
    except HesperusError:
        return True


def matters(before: Files, after: Files) -> bool:
    """Whether a claim was changed, or no longer follows from the records by the second implementation."""
    if before["numbers.json"] != after["numbers.json"]:
        return True
    try:
        _, differing = recompute.check(
            lambda name: after[name].decode() if name in after else None, list(after)
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return True
    return bool(differing)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plain", type=int, default=10_000)
    parser.add_argument("--hidden", type=int, default=150)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=3600.0, help="no change is begun after so many")
    chosen = parser.parse_args()
    draw = random.Random(chosen.seed)
    begun = time.perf_counter()
    counts = {"plain": 0, "plain_caught": 0, "hidden": 0, "hidden_caught": 0, "hidden_matter": 0}
    missed: list[str] = []
    harmless: Counter[str] = Counter()
    of_study: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        held = bundles(Path(folder))
        path = Path(folder) / "changed.zip"
        for kind, number, check in (("plain", chosen.plain, is_damaged), ("hidden", chosen.hidden, differs)):
            for _ in range(number):
                if time.perf_counter() - begun > chosen.seconds:
                    break
                study = draw.choice([name for name in held if kind == "plain" or name != INTERVALS])
                of_study[f"{kind}, {study}"] += 1
                files = held[study]
                inside = [name for name in files if name != "manifest.json" and files[name]]
                data = [name for name in inside if name.startswith("run/") or name == "numbers.json"]
                other, where = changed(files, draw.choice(data if kind == "hidden" else inside), draw)
                counts[kind] += 1
                if kind == "hidden" and not matters(files, other):
                    harmless[where.split(":")[0].split("@")[0]] += 1
                    continue
                counts["hidden_matter"] += kind == "hidden"
                found = caught(check, save(other if kind == "plain" else refitted(other), path))
                counts[f"{kind}_caught"] += found
                missed += [] if found else [f"{study}: {where}"]
    report = {
        "benchmark": "bundles", **counts, "of_study": of_study, "missed": missed[:20], "harmless": harmless, "seconds": round(time.perf_counter() - begun, 1),
        "reached": not missed,
    }  # fmt: skip
    for name, value in counts.items():
        keep(name, value, "changes")
    keep("changes that matter and were missed", len(missed), "changes")
    print(json.dumps(report, indent=2))
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
