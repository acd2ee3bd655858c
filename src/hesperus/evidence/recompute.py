"""Recomputes the main numbers of a bundle of hesperus. Plain Python 3.10 or later; needs no other package.

    python recompute.py [FOLDER | BUNDLE.zip]      (without an argument: the folder that this file lies in)

Written from the definitions of the measures, not from the code of hesperus, of which it imports nothing: where both come to
the same number, a fault of either would show. For every row of numbers.json that it knows, it computes `value` and
`n` from the records; intervals rest on random draws and are left to `hesperus verify`.

Exit code: 0 where all agree, 1 where a number differs, 2 where the bundle cannot be read.
"""

from __future__ import annotations

import json
import math
import re
import sys
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

Row = dict[str, Any]
Answers = dict[
    str, str | None
]  # item -> label, or None: a reply that is no label; without a reply it is not in
Number = tuple[float | None, int]  # the value, None where it is undefined; and how many items it rests on
Compared = dict[
    str, tuple[str | None, str | None, bool]
]  # item that counts -> both answers, whether they agree

TOLERANCE = 1e-12
UNDEFINED: Number = (None, 0)
CELL = re.compile(r"instruction=(.*?),input=(.*?)(?:,repeat=(\d+))?")
UNSEEN = {"absent", "failed", "untranslated", "unreadable", "no_answer"}
SILENT = {"reference_silent", "candidate_silent", "both_silent"}
NO_REPLY = {"empty", "refused", "blocked", "error"}


class Run:
    """The records, by cell: (model, task, instruction, input, repeat) to the records of its items."""

    def __init__(self, read: Callable[[str], str | None], names: Iterable[str]) -> None:
        self.cells: dict[tuple[str, str, str, str, int], dict[str, Row]] = defaultdict(dict)
        self.golds: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        self.options: dict[str, dict[str, list[str]]] = defaultdict(dict)
        for record in _lines(read("run/records.jsonl")):
            key = tuple(record[name] for name in ("model", "task", "instruction", "input", "repeat"))
            self.cells[key][record["item"]] = record
            if record["gold"] is not None and record["outcome"] != "error":
                self.golds[record["task"]][record["item"]].add(record["gold"])
            if record["options"] is not None:
                self.options[record["task"]][record["item"]] = record["options"]
        self._gold: dict[str, dict[str, str | None]] = {}
        self._repeats: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for cell in sorted(self.cells):
            self._repeats[cell[:4]].append(cell[4])
        self.scores = _lines(read("run/scores.jsonl"))
        self.pairs = {
            name.split("/")[2]: _lines(read(name))
            for name in names
            if re.fullmatch(r"run/evaluations/[^/]+/pairs\.jsonl", name)
        }

    def cell(self, model: str, task: str, label: str) -> dict[str, Row]:
        """The records of a cell as a table names it; of several repeats the first, where none is named."""
        found = CELL.fullmatch(label)
        instruction, given, repeat = found.groups() if found else (label, label, None)
        return self.sense(model, task, instruction, given, int(repeat) if repeat else None)

    def sense(
        self, model: str, task: str, instruction: str, given: str, repeat: int | None = None
    ) -> dict[str, Row]:
        """The records of a cell; of several repeats the first, where none is named."""
        repeats = self.repeats(model, task, instruction, given)
        chosen = repeat if repeat is not None else (repeats[0] if repeats else 0)
        return self.cells.get((model, task, instruction, given, chosen), {})

    def repeats(self, model: str, task: str, instruction: str, given: str) -> list[int]:
        """The repeats of a sense, in their order."""
        return self._repeats.get((model, task, instruction, given), [])

    def gold(self, task: str) -> dict[str, str | None]:
        """The gold label of each item: of those with gold that is one in all senses, or which have none."""
        if task not in self._gold:
            items = {item for key, records in self.cells.items() if key[1] == task for item in records}
            golds = {item: self.golds[task].get(item, set()) for item in items}
            self._gold[task] = {
                item: next(iter(found), None) for item, found in golds.items() if len(found) < 2
            }
        return self._gold[task]


def _lines(text: str | None) -> list[Row]:
    return [json.loads(line) for line in (text or "").split("\n") if line]


def answers_of(records: dict[str, Row]) -> Answers:
    """What was answered, of the items to which a reply came."""
    return {
        item: record["answer"] if record["outcome"] == "answered" else None
        for item, record in records.items()
        if record["outcome"] != "error"
    }


def share(part: float, whole: float) -> float | None:
    """A part over its whole; None if the whole is nothing."""
    return part / whole if whole else None


def speaks(rows: Iterable[str | None]) -> bool:
    """Whether some reply is a label."""
    return any(answer is not None for answer in rows)


def compared(a: Answers, b: Answers, rule: str) -> Compared:
    """The items that count on both sides; none if one of the sides has no label for any of them."""
    found: Compared = {}
    for item in a:
        if item not in b:
            continue
        one, two = a[item], b[item]
        if rule == "drop" and (one is None or two is None):
            continue
        found[item] = (one, two, one == two and (one is not None or rule == "agree"))
    return heard(found)


def heard(found: Compared) -> Compared:
    """The same, or nothing where a side has no label for any of the items."""
    sides = [[pair[side] for pair in found.values()] for side in (0, 1)]
    return found if all(speaks(answers) for answers in sides) else {}  # type: ignore[arg-type]


def agreeing(found: Compared) -> Number:
    """The share of the items that agree."""
    return share(sum(agree for _, _, agree in found.values()), len(found)), len(found)


def accuracy(records: dict[str, Row], rule: str) -> Number:
    """The share of the items with gold that are answered right; what is no label is wrong, or dropped."""
    known = {
        item: record
        for item, record in records.items()
        if record["outcome"] != "error" and record["gold"] is not None
    }
    if rule == "drop":
        known = {item: record for item, record in known.items() if record["outcome"] == "answered"}
    if not any(record["outcome"] == "answered" for record in known.values()):
        return UNDEFINED
    right = sum(r["outcome"] == "answered" and r["answer"] == r["gold"] for r in known.values())
    return share(right, len(known)), len(known)


def validity(records: dict[str, Row]) -> Number:
    """The share of the replies that are a label."""
    answers = answers_of(records)
    return share(sum(answer is not None for answer in answers.values()), len(answers)), len(answers)


def outcome(records: dict[str, Row], name: str) -> Number:
    """The share of what was asked with an outcome."""
    return share(sum(record["outcome"] == name for record in records.values()), len(records)), len(records)


def label_share(records: dict[str, Row], label: str, statistic: str) -> Number:
    """How often a label is the answer, or the gold."""
    if statistic == "gold_share":
        golds = [r["gold"] for r in records.values() if r["outcome"] != "error" and r["gold"] is not None]
        return share(golds.count(label), len(golds)), len(golds)
    answers = answers_of(records)
    if not speaks(answers.values()):
        return UNDEFINED
    return share(sum(answer == label for answer in answers.values()), len(answers)), len(answers)


def top_label(records: dict[str, Row], label: str | None) -> Number:
    """The share of the answers that are the most frequent label."""
    answered = [answer for answer in answers_of(records).values() if answer is not None]
    if not answered:
        return UNDEFINED
    most = max(answered.count(one) for one in set(answered))
    if label is not None and answered.count(label) != most:
        return math.nan, len(answered)
    return share(most, len(answered)), len(answered)


def consistency(source: dict[str, Row], other: dict[str, Row], statistic: str, rule: str) -> Number | None:
    """The share of the items with the same answer: of all, of those that the source has right or wrong, and over the rules."""
    a, b = answers_of(source), answers_of(other)
    if statistic == "consistency":
        return agreeing(compared(a, b, rule))
    if statistic in ("consistency_correct", "consistency_incorrect"):
        both = compared(a, b, rule)
        wanted = statistic == "consistency_correct"
        return agreeing(
            heard(
                {
                    item: pair
                    for item, pair in both.items()
                    if source[item]["gold"] is not None and (pair[0] == source[item]["gold"]) is wanted
                }
            )
        )
    if statistic in ("consistency_min", "consistency_max"):
        values = {each: agreeing(compared(a, b, each)) for each in ("disagree", "agree", "drop")}
        first, pick = ("disagree", min) if statistic == "consistency_min" else ("agree", max)
        there = [values[each][0] for each in (first, "drop") if values[each][0] is not None]
        return pick(there) if there else None, values["disagree"][1]  # type: ignore[type-var]
    return None


def direction(source: dict[str, Row], other: dict[str, Row], origin: str, target: str, rule: str) -> Number:
    """Of the items that differ, the share that goes from one label to another."""
    both = compared(answers_of(source), answers_of(other), rule)
    moved = [(one, two) for one, two, agree in both.values() if not agree]
    sought = tuple(None if label == "invalid" else label for label in (origin, target))
    return share(sum(pair == sought for pair in moved), len(moved)), len(moved)


def decomposition(
    run: Run, model: str, task: str, sense: str, origin: str, statistic: str, rule: str
) -> Number | None:
    """What instruction, input, both together and mere repetition contribute to 1 − T."""
    senses = [(origin, origin), (sense, sense), (sense, origin), (origin, sense)]
    runs = [answers_of(run.sense(model, task, *one)) for one in senses]
    repeats = run.repeats(model, task, origin, origin)
    if len(repeats) > 1:
        runs.append(answers_of(run.sense(model, task, origin, origin, repeats[1])))
    pairs = [compared(runs[0], other, rule) for other in runs[1:]]
    items = set(pairs[0]).intersection(*pairs[1:])
    if not items or not all(speaks(one[item] for item in items) for one in runs):
        return UNDEFINED
    moved = [sum(not pair[item][2] for item in items) for pair in pairs]
    both, instruction, given = moved[:3]
    noise = moved[3] if len(moved) > 3 else 0
    unread = sum(not pairs[0][item][2] and (runs[0][item] is None or runs[1][item] is None) for item in items)
    parts = {
        "total": both, "instruction": instruction - noise, "input": given - noise,
        "interaction": both - instruction - given + noise, "noise": noise, "invalid": unread,
    }  # fmt: skip
    return (share(parts[statistic], len(items)), len(items)) if statistic in parts else None


def repeated(run: Run, row: Row, rule: str) -> Number | None:
    """Consistency of the same question asked twice."""
    repeats = run.repeats(row["model"], row["task"], row["instruction"], row["input"])
    if len(repeats) != 2:
        return None
    sides = [run.sense(row["model"], row["task"], row["instruction"], row["input"], one) for one in repeats]
    return consistency(sides[0], sides[1], "consistency", rule)


def agreement(
    run: Run, task: str, a: dict[str, Row], b: dict[str, Row], statistic: str, rule: str
) -> Number | None:
    """Agreement of two runs, raw or beyond what chance gives; over the items with one gold in all senses."""
    gold = run.gold(task)
    if statistic in ("kappa_p_soft", "rank_consistency"):
        return soft_agreement(run, task, a, b, statistic, gold)
    first, second = answers_of(a), answers_of(b)
    both = compared(
        {i: x for i, x in first.items() if i in gold}, {i: x for i, x in second.items() if i in gold}, rule
    )
    if statistic == "raw":
        return agreeing(both)
    if statistic in ("cohen_kappa", "scott_pi", "chance"):
        return by_labels(both, statistic, rule)
    graded = heard({item: pair for item, pair in both.items() if gold[item] is not None})
    n = len(graded)
    if statistic == "kappa_p":
        others = _others(run, task, graded)
        if others is None or not n:
            return None, n
        p, q = (sum(pair[side] == gold[item] for item, pair in graded.items()) / n for side in (0, 1))
        return beyond_chance(
            sum(pair[2] for pair in graded.values()) / n, p * q + (1 - p) * (1 - q) * others
        ), n
    if statistic == "error_consistency":
        if not n:
            return UNDEFINED
        right = [[pair[side] == gold[item] for item, pair in graded.items()] for side in (0, 1)]
        p, q = sum(right[0]) / n, sum(right[1]) / n
        same = sum(x == y for x, y in zip(*right, strict=True)) / n
        return beyond_chance(same, p * q + (1 - p) * (1 - q)), n
    return None


def _others(run: Run, task: str, items: Iterable[str]) -> float | None:
    """Mean of 1 / (options − 1); None if an item does not say two or more options."""
    counts = [len(run.options[task].get(item, ())) for item in items]
    return sum(1 / (count - 1) for count in counts) / len(counts) if counts and min(counts) > 1 else None


def beyond_chance(observed: float, expected: float) -> float | None:
    """(observed − expected) / (1 − expected); None if chance leaves no room."""
    return (observed - expected) / (1 - expected) if 1 - expected > 1e-12 else None


def by_labels(both: Compared, statistic: str, rule: str) -> Number:
    """Measures with an expected agreement from how often each run gives each label."""
    n = len(both)
    if not n:
        return UNDEFINED
    labels = {
        answer for pair in both.values() for answer in pair[:2] if answer is not None or rule == "agree"
    }
    counts = [
        (sum(pair[0] == x for pair in both.values()), sum(pair[1] == x for pair in both.values()))
        for x in labels
    ]
    observed = sum(pair[2] for pair in both.values()) / n
    by_chance = sum(x * y for x, y in counts) / n**2
    if statistic == "chance":
        return by_chance, n
    if statistic == "scott_pi":
        by_chance = sum((x + y) ** 2 for x, y in counts) / (4 * n**2)
    return beyond_chance(observed, by_chance), n


def soft_agreement(
    run: Run, task: str, a: dict[str, Row], b: dict[str, Row], statistic: str, gold: dict[str, str | None]
) -> Number:
    """Agreement of probabilities in the place of labels."""
    sides = [
        {
            item: dict(zip(r["options"], r["probs"], strict=True))
            for item, r in side.items()
            if r["probs"] is not None and r["outcome"] != "error"
        }
        for side in (a, b)
    ]
    items = [item for item in sides[0] if item in sides[1] and item in gold]
    if statistic == "rank_consistency":
        ranks = [rank_overlap(sides[0][item], sides[1][item]) for item in items]
        return share(sum(ranks), len(ranks)), len(ranks)
    items = [item for item in items if gold[item] is not None]
    n, others = len(items), _others(run, task, items)
    if not n or others is None:
        return None, n
    observed = sum(sum(sides[0][i][x] * sides[1][i].get(x, 0.0) for x in sides[0][i]) for i in items) / n
    p, q = (sum(side[i].get(str(gold[i]), 0.0) for i in items) / n for side in sides)
    return beyond_chance(observed, p * q + (1 - p) * (1 - q) * others), n


def rank_overlap(p: dict[str, float], q: dict[str, float]) -> float:
    """RankC of an item: overlap of the first j options, with the weight e^(C − j); ties to the first option."""
    labels = sorted(p)
    orders = [sorted(labels, key=lambda label: -side[label]) for side in (p, q)]
    weights = [math.exp(-place) for place in range(len(labels))]
    overlaps = [len(set(orders[0][: j + 1]) & set(orders[1][: j + 1])) / (j + 1) for j in range(len(labels))]
    return sum(w * o for w, o in zip(weights, overlaps, strict=True)) / sum(weights)


def scored(run: Run, row: Row) -> Number | None:
    """A score of open answers, from the claims that were found supported."""
    rows = [
        pair
        for pair in run.pairs.get(row["evaluator"], [])
        if all(pair[name] == row[name] for name in ("model", "task", "language", "instruction", "input"))
    ]
    seen = [pair for pair in rows if pair["state"] not in UNSEEN]
    if _mute(seen):
        seen = []
    statistic = row["statistic"]
    for ending in ("_answered", "_right_language"):
        if statistic.endswith(ending):
            statistic = statistic[: -len(ending)]
            keep = _compared if ending == "_answered" else _right_language
            seen = [pair for pair in seen if keep(pair)]
    return information(seen, statistic)


def _compared(pair: Row) -> bool:
    return bool(pair["state"] == "compared")


def _right_language(pair: Row) -> bool:
    return "wrong_language" not in (pair.get("outcome"), pair.get("reference_outcome"))


def _mute(seen: list[Row]) -> bool:
    for side, other in (("outcome", "reference_silent"), ("reference_outcome", "candidate_silent")):
        if seen and side in seen[0]:
            heard_from = [
                pair
                for pair in seen
                if pair[side] not in NO_REPLY
                and (pair["state"] in ("compared", other) or pair[side] == "answered")
            ]
            if not heard_from:
                return True
    return False


def information(pairs: list[Row], statistic: str) -> Number | None:
    """Precision, recall, and F as harmonic mean of the means or mean of the harmonic means."""
    if statistic == "agreement":
        values = [pair["agreement"] for pair in pairs]
        return share(sum(values), len(values)), len(values)
    pairs = [pair for pair in pairs if pair.get("precision") is not None and pair.get("recall") is not None]
    n = len(pairs)
    if not n:
        return UNDEFINED
    precision, recall = (sum(pair[name] for pair in pairs) / n for name in ("precision", "recall"))
    numbers = {
        "precision": precision, "recall": recall, "f_of_means": harmonic(precision, recall),
        "mean_f": sum(harmonic(pair["precision"], pair["recall"]) for pair in pairs) / n,
    }  # fmt: skip
    return (numbers[statistic], n) if statistic in numbers else None


def harmonic(a: float, b: float) -> float:
    """The harmonic mean, 0 where both are 0."""
    return 2 * a * b / (a + b) if a + b else 0.0


def back_translation(run: Run, row: Row, signed: Row) -> Number | None:
    """Accuracy on the original less accuracy on what came back, over pairs with a label on both sides."""
    if row["group"] not in ("", None) or row["analysis"] not in ("cell", "clustered", "without model"):
        return None
    sides = [(signed["first"], signed["repeats"][0]), (signed["second"], signed["repeats"][1])]
    keys = sorted({key[:2] for key in run.cells})
    if row["analysis"] == "cell":
        keys = [key for key in keys if key == (row["model"], row["task"])]
    elif row["analysis"] == "without model":
        keys = [key for key in keys if key[0] != row["model"]]
    right: list[tuple[bool, bool]] = []
    items: set[tuple[str, str]] = set()
    for model, task in keys:
        first, second = (_asked_in(run, model, task, sense, repeat) for sense, repeat in sides)
        for item in first.keys() & second.keys():
            both = (first[item], second[item])
            if all(r["outcome"] == "answered" and r["gold"] is not None for r in both) and _passes(
                run, model, item, signed
            ):
                right.append((both[0]["answer"] == both[0]["gold"], both[1]["answer"] == both[1]["gold"]))
                items.add((task, item))
    counts = [sum(pair[side] for pair in right) for side in (0, 1)]
    parts = {
        f"accuracy {sides[0][0]}": counts[0],
        f"accuracy {sides[1][0]}": counts[1],
        "tax": counts[0] - counts[1],
    }
    return (share(parts[row["statistic"]], len(right)), len(items)) if row["statistic"] in parts else None


def _asked_in(run: Run, model: str, task: str, sense: str, repeat: int) -> dict[str, Row]:
    """The records of a sense, by instruction in the same language or the one there is."""
    found = [key for key in sorted(run.cells) if key[:2] == (model, task) and key[3:] == (sense, repeat)]
    return run.cells[found[0]] if len(found) == 1 else {}


def _passes(run: Run, model: str, item: str, signed: Row) -> bool:
    quality = signed.get("QualityThreshold")
    if quality is None:
        return True
    made = [
        s
        for s in run.scores
        if (s["item"], s["sense"]) == (item, signed["second"]) and s.get("model") in (model, None)
    ]
    return (
        bool(made)
        and made[0][quality["metric"]] is not None
        and made[0][quality["metric"]] >= quality["threshold"]
    )


def recomputed(run: Run, table: str, row: Row, signed: Row) -> Number | None:
    """The number of a row; None if this script does not know the measure."""
    known = ("MeasureSettings", "SimilaritySettings", "TaxSettings")
    settings: Row = next((signed[name] for name in known if signed.get(name)), {})
    rule = settings.get("invalid", "disagree")
    if settings.get("by"):
        return None
    statistic = row.get("statistic")
    if table in ("accuracy", "validity", "outcomes", "labels"):
        records = run.sense(row["model"], row["task"], row["instruction"], row["input"], row["repeat"])
        if table == "accuracy":
            return accuracy(records, rule)
        if table == "labels":
            return label_share(records, row["label"], row["statistic"])
        return validity(records) if table == "validity" else outcome(records, row["statistic"])
    if table in ("consistency", "directions"):
        a, b = (run.cell(row["model"], row["task"], row[side]) for side in ("a", "b"))
        if table == "consistency":
            return consistency(a, b, row["statistic"], rule)
        return direction(a, b, row["from"], row["to"], rule)
    if table == "decomposition":
        return decomposition(
            run, row["model"], row["task"], row["sense"], row["source"], row["statistic"], rule
        )
    if table in ("agreement", "similarity") and statistic is not None:
        a, b = (run.cell(row[f"model_{side}"], row["task"], row[side]) for side in ("a", "b"))
        return agreement(run, row["task"], a, b, statistic, rule)
    if table == "summary":
        return summary(run, row, rule)
    if table == "scores":
        return scored(run, row)
    return back_translation(run, row, signed) if table == "back_translation" else None


def summary(run: Run, row: Row, rule: str) -> Number | None:
    """A row of the summary: one of the measures above, of a language or of a language with its reference."""
    statistic = row["statistic"]
    records = run.sense(row["model"], row["task"], row["instruction"], row["input"])
    if statistic == "accuracy":
        return accuracy(records, rule)
    if statistic == "repeat_consistency":
        return repeated(run, row, rule)
    if statistic == "top_label":
        return top_label(records, row["label"])
    if row["reference"] is not None:
        other = run.cell(row["model"], row["task"], row["reference"])
        if statistic == "consistency":
            return consistency(other, records, statistic, rule)
        if statistic == "chance":
            return by_labels(compared(answers_of(other), answers_of(records), rule), statistic, rule)
        return agreement(run, row["task"], other, records, statistic, rule)
    return outcome(records, statistic)


def check(read: Callable[[str], str | None], names: list[str]) -> tuple[dict[str, list[int]], list[str]]:
    """Recompute every row that is known.

    Returns:
        Table to how many rows agree, differ, and are not known here; and each difference as a line.
    """
    run = Run(read, names)
    counts: dict[str, list[int]] = {}
    differing: list[str] = []
    for table, document in json.loads(read("numbers.json") or "{}").items():
        counts[table] = [0, 0, 0]
        for row in document["rows"]:
            found = recomputed(run, table, row, document["signature"])
            if found is None:
                counts[table][2] += 1
                continue
            alike = same(found[0], row["value"]) and found[1] == row["n"]
            counts[table][0 if alike else 1] += 1
            if not alike:
                about = ", ".join(f"{k}={v}" for k, v in row.items() if isinstance(v, str) and k != "reason")
                claimed = (row["value"], row["n"])
                differing.append(f"{table}: {about}: claimed value and n {claimed}, found {found}")
    return counts, differing


def same(one: float | None, two: float | None) -> bool:
    """Whether two values are the same, up to rounding."""
    if one is None or two is None:
        return one is two
    return abs(one - two) <= TOLERANCE


def main(place: Path) -> int:
    """Check a bundle or its unpacked folder, and say what was found."""
    try:
        if place.is_dir():
            names = [
                path.relative_to(place).as_posix() for path in sorted(place.rglob("*")) if path.is_file()
            ]
            held = {
                name: (place / name).read_text(encoding="utf-8")
                for name in names
                if name.endswith((".json", ".jsonl"))
            }
        else:
            with zipfile.ZipFile(place) as archive:
                names = archive.namelist()
                held = {
                    name: archive.read(name).decode() for name in names if name.endswith((".json", ".jsonl"))
                }
        counts, differing = check(held.get, names)
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        sys.stderr.write(f"cannot be read: {type(error).__name__}: {error}\n")
        return 2
    out = sys.stdout.write
    out(f"{'table':<20}{'agree':>8}{'differ':>8}{'not computed here':>20}\n")
    for table, (agree, differ, unknown) in counts.items():
        out(f"{table:<20}{agree:>8}{differ:>8}{unknown:>20}\n")
    for line in differing:
        out(f"{line}\n")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent))
