"""What a study of any size takes, worked out from rates that are measured here, and one real run held against it.

Two runs of different size at a simulated endpoint without limits give the processor's time, memory and disk of a request, and
what does not grow. Memory is that of all processes of the command at once; it may grow by a quarter as the requests grow tenfold. The
same runs again, with every reply in the store, give what reading and writing take, by the clock too;
merging the stores gives its rate. A third run, at an endpoint with a latency and a limit, is then predicted and made: prediction
and truth stand beside each other. What follows is arithmetic: the time of N requests is what reading and writing take, and N over
the least of the endpoint's limit, what is in flight over the latency, and what one core can ask.

    python benchmarks/scale.py [--small 20000] [--large 200000] [--check 20000] [--limit 500] [--latency 0.05]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from math import log10
from pathlib import Path

from command_usage import usage_of
from loopback_server import serving
from result_rows import keep

from hesperus.api import merge
from hesperus.studies.prices import read_prices

CONCURRENCY = 64
TOKENS_IN, TOKENS_OUT = 150, 10
"""Of one multiple-choice question; a page of text is ten times as much."""
PRICED = "openai/gpt-4o-mini"
QUESTION = (
    "{} people took part in the study, which was led by a team from three universities and lasted four years; how many of "
    "them were asked again at its end, if one in four had moved away?"
)
CHOICES = {
    "option_a": "All of them", "option_b": "Three in four", "option_c": "One in four", "option_d": "None of them",
    "subject": "made", "subject_category": "made", "cultural_sensitivity_label": "CA",
}  # fmt: skip
LANGUAGES = ("en", "de")
AT_ONCE = 1 << 14
"""Replies that are held at a time: below it, and little above, memory is that of how many there are."""
MOST_GROWTH = 0.25
"""Share by which memory may grow as the requests grow tenfold: the summary holds the ids of the items."""
MOST_OFF = 0.25
"""Share by which the real run may miss the prediction; other work on the machine alone moves it by a tenth."""


@dataclass(frozen=True)
class Taken:
    """What one run took: seconds by the clock and of the processor, peak memory, files, in bytes."""

    seconds: float
    processor: float
    memory: float
    store: float
    folder: float


@dataclass(frozen=True)
class Rates:
    """What one request takes, and what every run takes.

    Attributes:
        start: Seconds of the processor before the first request and after the last.
        asking: Seconds of the processor for a request, asked, kept, read and written.
        reading: Of these, what a request takes whose reply is there already.
        start_clock: Seconds by the clock for what does not grow; on a busy machine more than of the processor.
        reading_clock: The same for reading.
        memory: Bytes of memory for a request; None where the runs are too small to tell.
        base_memory: Bytes that every run takes; of the larger one where the runs are too small to tell.
        growth: Share by which memory grew from the smaller run to the larger, for a tenfold of requests.
        store: Bytes of the reply store for a reply of a line.
        folder: Bytes of the run folder for a record.
        merging: Replies merged in a second.
    """

    start: float
    asking: float
    reading: float
    start_clock: float
    reading_clock: float
    memory: float | None
    base_memory: float
    growth: float
    store: float
    folder: float
    merging: float

    def seconds(self, requests: float, *, limit: float, latency: float, in_flight: int) -> float:
        """Time of a run of one process, by the clock."""
        core = 1 / (self.asking - self.reading)
        paces = [core, limit or core, in_flight / latency if latency else core]
        return self.start_clock + requests * self.reading_clock + requests / min(paces)

    def held(self, requests: float) -> float | None:
        """Memory of a run of one process; None where it cannot be told."""
        return None if self.memory is None else self.base_memory + requests * self.memory


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, usual in (("small", 20_000), ("large", 200_000), ("check", 20_000)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--limit", type=float, default=500.0)
    parser.add_argument("--latency", type=float, default=0.05)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        rates = measured(home, wanted.small, wanted.large)
        with serving(wanted.latency, wanted.limit, "B") as url:
            real = run(url, home / "check", wanted.check)
    predicted = rates.seconds(wanted.check, limit=wanted.limit, latency=wanted.latency, in_flight=CONCURRENCY)
    memory = rates.held(wanted.check)
    report = {
        "benchmark": "scale",
        "rates": {name: value and float(f"{value:.4g}") for name, value in asdict(rates).items()},
        "check": {
            "requests": wanted.check, "limit": wanted.limit, "latency": wanted.latency,
            "seconds_predicted": round(predicted, 1), "seconds_taken": round(real.seconds, 1),
            "memory_predicted_mb": memory and round(memory / 1e6), "memory_taken_mb": round(real.memory / 1e6),
        },
    }  # fmt: skip
    for name, value, unit in (("asking, whole run", rates.asking * 1e3, "ms CPU a request"),
                              ("reading and writing", rates.reading * 1e3, "ms CPU a request"),
                              ("memory", rates.memory, "bytes a request"),
                              ("growth of memory", rates.growth, "share, tenfold requests"), ("store", rates.store, "bytes a reply"),
                              ("merging", rates.merging, "replies a second")):  # fmt: skip
        if value is not None:
            keep(name, value, unit)
    keep("real run", real.seconds, "s", peer="the prediction", ratio=real.seconds / predicted)
    print(json.dumps(report, indent=2))
    print("\n".join(table(rates)))
    return int(abs(real.seconds / predicted - 1) > MOST_OFF or rates.growth > MOST_GROWTH)


def measured(home: Path, small: int, large: int) -> Rates:
    """Rates from two sizes: the slope is what a request takes, what is left is what a run takes."""
    with serving(says="B") as url:
        one, two = run(url, home / "small", small), run(url, home / "large", large)
        again, twice = run(url, home / "small", small), run(url, home / "large", large)
    more = large - small
    asking, reading = (two.processor - one.processor) / more, (twice.processor - again.processor) / more
    memory = (two.memory - one.memory) / more if small > 2 * AT_ONCE else None
    clock = (twice.seconds - again.seconds) / more
    if not 0 < reading < asking or clock <= 0:
        raise SystemExit(
            f"{small:,} and {large:,} requests are too near each other on this machine to tell what one takes; give a larger --large"
        )
    began = time.perf_counter()
    merged = merge([home / name / "replies.sqlite" for name in ("small", "large")], into=home / "all.sqlite")
    rows = sum(found.rows for found in merged.merged)
    return Rates(
        start=one.processor - small * asking,
        asking=asking,
        reading=reading,
        start_clock=again.seconds - small * clock,
        reading_clock=clock,
        memory=memory,
        base_memory=two.memory if memory is None else one.memory - small * memory,
        growth=(two.memory / one.memory - 1) / log10(large / small),
        store=(two.store - one.store) / more,
        folder=(two.folder - one.folder) / more,
        merging=rows / (time.perf_counter() - began),
    )


def run(url: str, home: Path, requests: int) -> Taken:
    """A study of that many requests by the command, as a user runs it."""
    used = usage_of(command_of(url, home, requests, CONCURRENCY))
    if used.code:
        raise SystemExit(f"hesperus run ended with {used.code}")
    return Taken(
        used.seconds,
        used.processor,
        used.memory,
        (home / "replies.sqlite").stat().st_size,
        sum(path.stat().st_size for path in (home / "run").iterdir()),
    )


def command_of(url: str, home: Path, requests: int, concurrency: int) -> list[str]:
    """The command with a study of that many requests, each with a prompt of its own, whose items are made."""
    home.mkdir(exist_ok=True)
    for language in LANGUAGES:
        with (home / f"test_{language}.jsonl").open("w", encoding="utf-8") as file:
            for n in range(requests // len(LANGUAGES)):
                row = {
                    "sample_id": f"made/test/{n}",
                    "question": QUESTION.format(n),
                    "answer": "ABCD"[n % 4],
                    **CHOICES,
                }
                file.write(json.dumps(row) + "\n")
    return [sys.executable, "-m", "hesperus", "run", "similarity", "--task", "global-mmlu", "--data",
            str(home / "test_{language}.jsonl"), "--model", "http/bench", "--base-url", url, "--scoring", "generate",
            "--resamples", "0", "--out", str(home / "run"), "--quiet", "--concurrency", str(concurrency), "--table", "means",
            *(word for language in LANGUAGES for word in ("--language", language))]  # fmt: skip


def table(rates: Rates) -> Iterator[str]:
    """Markdown rows for powers of ten: what one process takes at three limits, and what it takes in memory, disk, money."""
    price = read_prices(None).of(PRICED)
    yield "| requests | one core | at 100/s | at 1,000/s | memory | store | merge | money |"
    yield "|---|---|---|---|---|---|---|---|"
    for power in range(3, 10):
        count = 10.0**power
        cells = [
            f"{count:,.0f}",
            spoken(rates.start + count * rates.asking),
            *(spoken(max(count / limit, rates.start + count * rates.asking)) for limit in (100, 1000)),
            "not measured" if (held := rates.held(count)) is None else size(held),
            size(count * rates.store),
            spoken(count / rates.merging),
            f"{(TOKENS_IN * price.input + TOKENS_OUT * price.output) * count / 1e6:,.2f}" if price else "",
        ]
        yield "| " + " | ".join(cells) + " |"


def spoken(seconds: float) -> str:
    """A time as people say it."""
    for unit, name in ((86_400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:,.0f} {name}"
    return f"{seconds:,.0f} s" if seconds >= 10 else f"{seconds:.1f} s"


def size(count: float) -> str:
    """A number of bytes as people say it."""
    for unit, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB")):
        if count >= unit:
            return f"{count / unit:,.1f} {name}" if count < 10 * unit else f"{count / unit:,.0f} {name}"
    return f"{count / 1e3:,.0f} kB"


if __name__ == "__main__":
    sys.exit(main())
