"""What asking on Ray takes next to asking in this process: rate and CPU a request, over HTTP and with a local model.

Ray is started on this machine for the run, with as many workers as there are rounds of the table. Its CPU is that of all
its processes, by kind: the driver, the workers, and what Ray runs besides. Rounds alternate; each figure is a median.

    python -m benchmarks engines [--requests 5000] [--items 400] [--rounds 3] [--concurrency 64]
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from loopback_server import serving

from hesperus.asking import Policy, ReplyStore, ask
from hesperus.asking.engines import Engine, opened_engine
from hesperus.models import Model, ModelOptions, model
from hesperus.types import Prompt, Reply, Request, Settings

TICKS = os.sysconf("SC_CLK_TCK")
TEXT = (
    "Question {}: three universities led a study of four years, in which {} people took part. Is this true?"
)


def cpu() -> Counter[str]:
    """CPU seconds so far of this process and of all below it, by kind, those that have ended left out."""
    parents, names, spent = {}, {}, {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                stat = (folder / "stat").read_text().rpartition(")")[2].split()
                names[int(folder.name)] = (folder / "cmdline").read_bytes().decode("utf-8", "replace")
            except OSError:
                continue
            parents[int(folder.name)] = int(stat[1])
            spent[int(folder.name)] = (int(stat[11]) + int(stat[12])) / TICKS
    found: Counter[str] = Counter()
    for pid in spent:
        above, own = pid, os.getpid()
        while above not in (own, 0, 1):
            above = parents.get(above, 0)
        if above == own and "loopback_server" not in names[pid]:
            found[_kind(names[pid]) if pid != own else "asking"] += spent[pid]
    return found


def _kind(command: str) -> str:
    if "on_ray.cluster" in command:
        return "driver"
    return "workers" if command.startswith("ray::Worker") else "rest of Ray"


def once(
    engine: Engine, name: str, options: ModelOptions, requests: Sequence[Request], concurrency: int
) -> tuple[float, Counter[str]]:
    """Seconds and CPU of asking everything once, with a fresh store."""
    asked: Model = engine.seated(model(name, options), options)
    with tempfile.TemporaryDirectory() as folder, ReplyStore(Path(folder) / "replies.sqlite") as store:
        began, before = time.perf_counter(), cpu()
        replies = ask(asked, requests, store=store, policy=Policy(concurrency=concurrency))
        seconds, after = time.perf_counter() - began, cpu()
    if not all(isinstance(reply, Reply) for reply in replies):
        raise SystemExit(
            f"{name}: requests failed: {[one for one in replies if not isinstance(one, Reply)][:1]}"
        )
    after.subtract(before)
    return seconds, after


def row(figures: Sequence[tuple[float, Counter[str]]], count: int) -> dict[str, object]:
    """Requests a second, and CPU a request in milliseconds by kind of process."""
    kinds = dict.fromkeys(kind for _, spent in figures for kind in spent)
    return {
        "requests_per_second": round(count / statistics.median(seconds for seconds, _ in figures), 1),
        "cpu_ms_per_request": {
            kind: round(1000 * statistics.median(spent[kind] for _, spent in figures) / count, 3)
            for kind in kinds
        }
        | {"all": round(1000 * statistics.median(sum(spent.values()) for _, spent in figures) / count, 3)},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=5000)
    parser.add_argument("--items", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--concurrency", type=int, default=64)
    chosen = parser.parse_args()
    if importlib.util.find_spec("ray") is None:
        print(json.dumps({"benchmark": "engines", "left out": "the extra `ray` is not installed"}))
        return
    few = Settings(temperature=0.0, max_tokens=16)
    report: dict[str, object] = {
        "benchmark": "engines",
        "cpus": os.cpu_count(),
        "concurrency": chosen.concurrency,
    }
    with serving() as url:
        jobs = {
            "http/bench": (ModelOptions(url), chosen.requests, Settings()),
            "pocket/l": (ModelOptions(), chosen.items, few),
        }
        with (
            opened_engine("local") as local,
            opened_engine("ray", workers=1) as one,
            opened_engine("ray", workers=2) as two,
        ):
            engines = {"local": local, "ray, 1 worker": one, "ray, 2 workers": two}
            figures: dict[str, list[tuple[float, Counter[str]]]] = {}
            for place in range(chosen.rounds + 1):
                for name, (options, count, settings) in jobs.items():
                    requests = [Request(name, Prompt(TEXT.format(n, n)), settings) for n in range(count)]
                    for called, engine in engines.items():
                        took = once(engine, name, options, requests, chosen.concurrency)
                        figures.setdefault(f"{name}, {called}", []).append(took)
                        if not place and called != "local":
                            report[f"{name}, {called}: seconds with the start"] = round(took[0], 1)
            for called, taken in figures.items():
                count = jobs[called.partition(",")[0]][1]
                report[called] = row(taken[1:], count)
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
