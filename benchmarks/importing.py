"""Import of lm-evaluation-harness logs: rows per second end to end, and the peak of memory.

Writes logs as the harness writes them (Global-MMLU, four letters, about 4.6 kB a row), imports them into a records file
in a process of its own. Compared in the same run: what a hand-written pipeline of polars takes for the same columns of
records, in the same order, and the same texts of items; polars that only reads five columns under a schema; and, once,
`json.loads`. The pipeline knows beforehand what these logs look like: it looks for no order of options, no repeated or
contradicting row, no broken line, no other layout, and holds nothing to a contract. Rounds alternate, and each figure is the best of its rounds, so that other work on the machine falls on all
alike; on a busy one the seconds of the processor say more than those of the clock. Seconds of the processor and memory
are those of a process and of all that it starts: memory is the proportional set size of all of them together, looked at
every few milliseconds in a round of its own, or what the kernel kept as the greatest of the first process if it is more.

Wanted: 0.8 of the rate of that pipeline by the processor, and at most 500 MB. Polars that only reads is no measure of an
import: it makes no probabilities, no records, no items and no file.

    python benchmarks/importing.py --languages 20 --rows 13844 --rounds 5
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl
from result_rows import keep

TAGS = "ar bn cs de el en es fa fr ha he hi id ig it ja ko ky lt mg ms ne nl ny pl pt ro ru si sn so sr sv sw te tr uk vi yo zh"
LETTERS = "ABCD"
SLOW = "json.loads only"
SHARE_FLOOR, MEMORY_CEILING = 0.8, 500.0

IMPORT = """
import json, resource, sys, time
import polars
from hesperus.records.importers import import_logs, save_imported
before = time.process_time()
start = time.perf_counter()
imported = import_logs(sys.argv[1])
read = time.perf_counter() - start
save_imported(imported, sys.argv[2])
wall, cpu = time.perf_counter() - start, time.process_time() - before
used, others = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({
    "rows": len(imported.records), "left out": len(imported.left_out), "read": read, "wall": wall,
    "cpu": cpu + others.ru_utime + others.ru_stime, "peak": used.ru_maxrss / 1024,
}))
"""

JSON = """
import json, resource, sys, time
from pathlib import Path
before, start, rows = time.process_time(), time.perf_counter(), 0
for path in Path(sys.argv[1]).rglob("samples_*.jsonl"):
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            json.loads(line)
            rows += 1
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"rows": rows, "wall": time.perf_counter() - start, "cpu": used.ru_utime + used.ru_stime - before,
                  "peak": used.ru_maxrss / 1024}))
"""

POLARS = """
import json, resource, sys, time
from pathlib import Path
import polars as pl
schema = {
    "doc": pl.Struct({"sample_id": pl.String, "subject": pl.String}), "target": pl.String, "acc": pl.Float64,
    "filtered_resps": pl.List(pl.List(pl.String)), "filter": pl.String,
}
before = time.process_time()
start = time.perf_counter()
rows = sum(len(pl.read_ndjson(path, schema=schema)) for path in Path(sys.argv[1]).rglob("samples_*.jsonl"))
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"rows": rows, "wall": time.perf_counter() - start, "cpu": used.ru_utime + used.ru_stime - before,
                  "peak": used.ru_maxrss / 1024}))
"""


POLARS_RECORDS = """
import json, resource, sys, time
from pathlib import Path
import polars as pl
fields = ["question", "option_a", "option_b", "option_c", "option_d", "answer"]
names = ["sample_id", "subject", "subject_category", "cultural_sensitivity_label", *fields]
schema = {
    "doc": pl.Struct(dict.fromkeys(names, pl.String)), "target": pl.String, "acc": pl.Float64,
    "filtered_resps": pl.List(pl.List(pl.String)), "filter": pl.String,
}
letters = pl.Series(list("ABCD"))
before = time.process_time()
start = time.perf_counter()
records, items = [], []
for path in Path(sys.argv[1]).rglob("samples_*.jsonl"):
    language = path.name.split("_")[4]
    read = pl.read_ndjson(path, schema=schema).filter(pl.col("filter") == "none")
    scores = pl.col("filtered_resps").list.eval(pl.element().list.first().cast(pl.Float64))
    shares = pl.col("scores").list.eval((pl.element() - pl.element().max()).exp())
    read = read.with_columns(scores=scores).with_columns(probs=shares)
    best = read["scores"].list.arg_max()
    read = read.unnest("doc").with_columns(
        probs=pl.col("probs").list.eval(pl.element() / pl.element().sum()), answer=letters.gather(best),
    )
    records.append(read.select(
        pl.lit("hf/org/model").alias("model"), pl.lit("global-mmlu").alias("task"), pl.col("sample_id").alias("item"),
        pl.lit(language).alias("instruction"), pl.lit(language).alias("input"), pl.lit(1, pl.Int32).alias("repeat"),
        pl.lit("answered").alias("outcome"), "answer", pl.col("target").alias("gold"),
        pl.lit(letters.implode()).first().alias("options"), "probs", pl.lit(None, pl.String).alias("reply"),
        pl.col("cultural_sensitivity_label").alias("culture"), "subject", pl.col("subject_category").alias("category"),
        (pl.col("acc") > 0).alias("verdict"),
    ))
    items.append(read.select("sample_id", *(name for name in fields if name != "answer"), pl.lit(language).alias("language")))
table = pl.concat(records).sort("model", "task", "item", "instruction", "input", "repeat")
table.write_parquet(sys.argv[2], compression="zstd", compression_level=3, row_group_size=1 << 17)
pl.concat(items).sort("sample_id", "language")
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"rows": len(table), "wall": time.perf_counter() - start, "cpu": time.process_time() - before,
                  "peak": used.ru_maxrss / 1024}))
"""


def write_logs(folder: Path, languages: list[str], rows: int) -> int:
    """The logs of one model; returns their bytes."""
    folder.mkdir(parents=True)
    draw = random.Random(0)
    words = [f"{draw.getrandbits(28):x}" for _ in range(2000)]
    configs = {}
    size = 0
    for language in languages:
        task = f"global_mmlu_full_{language}"
        configs[task] = {"task": task, "test_split": "test", "output_type": "multiple_choice"}
        path = folder / f"samples_{task}_2025-01-01T00-00-00.000000.jsonl"
        with path.open("w", encoding="utf-8") as file:
            for number in range(rows):
                file.write(json.dumps(_row(number, draw, words), ensure_ascii=False) + "\n")
        size += path.stat().st_size
    results = {"results": {}, "configs": configs, "model_name": "org/model", "model_source": "hf"}
    (folder / "results_2025-01-01T00-00-00.000000.json").write_text(json.dumps(results), encoding="utf-8")
    return size


def _row(number: int, draw: random.Random, words: list[str]) -> dict[str, object]:
    subject = f"subject_{number % 57}"
    question = " ".join(draw.choices(words, k=60))
    options = [" ".join(draw.choices(words, k=6)) for _ in LETTERS]
    prompt = (
        question
        + "".join(f"\n{letter}. {text}" for letter, text in zip(LETTERS, options, strict=True))
        + "\nAnswer:"
    )
    scores = [[str(-9 * draw.random()), "False"] for _ in LETTERS]
    gold = number * 7 % 4
    best = max(range(4), key=lambda place: float(scores[place][0]))
    document = {
        "sample_id": f"{subject}/test/{number}", "subject": subject, "subject_category": "STEM", "question": question,
        **{f"option_{letter.lower()}": text for letter, text in zip(LETTERS, options, strict=True)},
        "answer": LETTERS[gold], "cultural_sensitivity_label": "-", "is_annotated": False,
    }  # fmt: skip
    return {
        "doc_id": number, "doc": document, "target": LETTERS[gold],
        "arguments": {f"gen_args_{n}": {"arg_0": prompt, "arg_1": f" {letter}"} for n, letter in enumerate(LETTERS)},
        "resps": [[score] for score in scores], "filtered_resps": scores, "filter": "none", "metrics": ["acc"],
        "doc_hash": "0" * 64, "prompt_hash": "1" * 64, "target_hash": "2" * 64, "acc": float(best == gold),
    }  # fmt: skip


def measured(code: str, *arguments: object) -> dict[str, float]:
    """What a process of its own says of itself."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], stdout=subprocess.PIPE, text=True, check=True
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def watched(code: str, *arguments: object) -> float:
    """The greatest memory of a process and of all that it starts, MB; to look at it slows it down."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)], stdout=subprocess.PIPE, text=True
    )
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, _held(process.pid))
        time.sleep(0.01)
    found: dict[str, float] = json.loads(process.communicate()[0])
    return max(peak, found["peak"])


def _held(process: int) -> float:
    """Memory of a process and its children, each page that several share counted in parts, MB; 0 where none tells."""
    total = 0.0
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()
        for line in Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii").splitlines():
            if line.startswith("Pss:"):
                total = int(line.split()[1]) / 1024
    except OSError:
        # It has ended, or this is no Linux.
        return 0.0
    return total + sum(_held(int(child)) for child in children)


def best(rounds: list[dict[str, float]], peak: float) -> dict[str, float]:
    """The best of some rounds, figure by figure; of memory the worst."""
    return {
        "rows": rounds[0]["rows"],
        "wall": min(one["wall"] for one in rounds),
        "cpu": min(one["cpu"] for one in rounds),
        "peak": max(peak, *(one["peak"] for one in rounds)),
    }


def main() -> int:
    """Write, import, compare, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--languages", type=int, default=20, help="how many logs (at most 40)")
    parser.add_argument("--rows", type=int, default=13844, help="rows of each")
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        size = write_logs(folder / "logs" / "org__model", TAGS.split()[: asked.languages], asked.rows)
        # Once to warm the file cache, which is no part of what is compared.
        for path in (folder / "logs").rglob("*.jsonl"):
            path.read_bytes()
        print(f"{asked.languages * asked.rows:,} rows, {size / 1e6:,.0f} MB")
        print(f"{'':24} {'rows/s':>10} {'rows/cpu s':>12} {'peak MB':>9}")
        readers = {
            "hesperus, to records": (IMPORT, (folder / "logs", folder / "records.parquet")),
            SLOW: (JSON, (folder / "logs",)),
            "polars, schema, only": (POLARS, (folder / "logs",)),
            "polars, to records": (POLARS_RECORDS, (folder / "logs", folder / "peer.parquet")),
        }
        peaks = {label: watched(code, *arguments) for label, (code, arguments) in readers.items()}
        rounds: dict[str, list[dict[str, float]]] = {label: [] for label in readers}
        for number in range(asked.rounds):
            for label, (code, arguments) in readers.items():
                if number == 0 or label != SLOW:
                    rounds[label].append(measured(code, *arguments))
        refuse_other_records(folder / "records.parquet", folder / "peer.parquet")
    found = {label: best(many, peaks[label]) for label, many in rounds.items()}
    for label, one in found.items():
        rate, by_cpu = one["rows"] / one["wall"], one["rows"] / one["cpu"]
        print(f"{label:24} {rate:10,.0f} {by_cpu:12,.0f} {one['peak']:9,.0f}")
    ours, peer, bare = (
        found[name] for name in ("hesperus, to records", "polars, to records", "polars, schema, only")
    )
    share, by_cpu = peer["wall"] / ours["wall"], peer["cpu"] / ours["cpu"]
    rate = ours["rows"] / ours["cpu"]
    keep("logs to records", rate, "rows a second of CPU", peer="polars, the same records", ratio=by_cpu)
    keep(
        "logs read",
        rate,
        "rows a second of CPU",
        peer="polars, five columns read, no records",
        ratio=bare["cpu"] / ours["cpu"],
    )
    keep(
        "peak memory", ours["peak"], "MB", peer="polars, the same records", ratio=ours["peak"] / peer["peak"]
    )
    missed = by_cpu < SHARE_FLOOR or ours["peak"] > MEMORY_CEILING
    print(
        f"{share:.2f} of the rate of polars by the clock, {by_cpu:.2f} by the processor (wanted: {SHARE_FLOOR:g} by the "
        f"processor, {MEMORY_CEILING:g} MB): {'missed' if missed else 'met'}"
    )
    return int(missed)


def refuse_other_records(ours: Path, theirs: Path) -> None:
    """Refuse to compare two files that do not hold the same.

    Raises:
        SystemExit: They differ; the message names the columns.
    """
    one, other = pl.read_parquet(ours), pl.read_parquet(theirs)
    near = (one["probs"].explode() - other["probs"].explode()).abs().max()
    differ = [name for name in one.columns if name != "probs" and not one[name].equals(other[name])]
    if differ or not isinstance(near, float) or near > 1e-9:
        raise SystemExit(f"the records of the two differ: {', '.join(differ) or 'probs'}")


if __name__ == "__main__":
    sys.exit(main())
