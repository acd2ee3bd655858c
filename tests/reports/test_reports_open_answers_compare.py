"""Two runs of open answers beside each other: against direct loops, against what was planted, and from the command line."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from hesperus.analysis.open_answers.differences import SWAPS, paired_differences
from hesperus.analysis.open_answers.open_comparison import compare_open_answers
from hesperus.analysis.run_kinds import described
from hesperus.cli.app import app
from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.measures import (
    Bootstrap,
    benjamini_hochberg,
    draws,
    holm,
    information_statistics,
    permutation_test,
    profile_statistics,
)

Row = dict[str, object]
Call = Callable[..., Result]
STATES = ("compared",) * 8 + (
    "candidate_silent",
    "reference_silent",
    "both_silent",
    "unreadable",
    "untranslated",
)
SIGNATURE = {
    "evaluator": "information",
    "reference": "en",
    "control": True,
    "missing": "leave out",
    "translator": "cipher",
    "translation": {"ladder": "4857", "translator": {"translator": "cipher"}},
    "judge": {"judge": "embedded", "rule": "by the book", "hesperus": "0.1.0", "distinct_texts": 53},
}


def made(seed: int, prompts: int = 24, *, model: str = "m", tags: Sequence[str] = ("de", "hi")) -> list[Row]:
    """A table of pairs with every state; prompts are as hard on both sides of a comparison."""
    rng = np.random.default_rng(seed)
    hard = np.random.default_rng(99).random(prompts)
    return [
        pair(rng, model, item=item, tag=tag, ease=0.3 + 0.6 * float(hard[item]))
        for tag in tags
        for item in range(prompts)
    ]


def pair(rng: np.random.Generator, model: str, *, item: int, tag: str, ease: float) -> Row:
    state = str(rng.choice(STATES))
    seen = state not in ("unreadable", "untranslated")
    if state == "compared":
        precision, recall = (float(rng.binomial(5, ease)) / 5 for _ in range(2))
    else:
        precision = recall = float(state == "both_silent")
    mute = {"candidate_silent": "blocked", "both_silent": "refused"}.get(state, "answered")
    return {
        "model": model, "task": "t", "item": f"i{item}", "instruction": tag, "input": tag, "repeat": 1, "language": tag,
        "outcome": mute, "reference_outcome": "empty" if state == "reference_silent" else "answered", "state": state,
        "precision": precision if seen else None, "recall": recall if seen else None,
        "ceiling_state": "compared" if rng.random() < 0.9 else None,
        "ceiling_precision": 0.8 + 0.2 * float(rng.random()), "ceiling_recall": 0.7 + 0.3 * float(rng.random()),
    }  # fmt: skip


def profiles(seed: int, prompts: int = 30) -> list[Row]:
    rng = np.random.default_rng(seed)
    rows = []
    for row in made(seed, prompts):
        levels = {
            f"{side}.{name}": int(rng.random() < (0.4 + 0.4 * int(side == "reference")))
            for side in ("reference", "candidate")
            for name in ("warm", "asks")
        }
        same = all(levels[f"reference.{name}"] == levels[f"candidate.{name}"] for name in ("warm", "asks"))
        kept = {
            name: value for name, value in row.items() if "precision" not in name and "recall" not in name
        }
        rows.append({**kept, **levels, "agreement": float(same), "ceiling_state": None})
    return rows


def written(
    folder: Path,
    evaluations: Mapping[str, Sequence[Row]],
    *,
    signature: Mapping[str, object] = SIGNATURE,
    words: str = "Tell me about {}.",
    **study: object,
) -> Path:
    """A run folder, as far as a comparison reads it."""
    for what, rows in evaluations.items():
        home = folder / "evaluations" / what
        home.mkdir(parents=True)
        pl.DataFrame(rows, infer_schema_length=None).write_parquet(home / "pairs.parquet")
        (home / "signature.json").write_text(json.dumps({**signature, "evaluator": what}), encoding="utf-8")
    asked = {
        "study": "translate_then_evaluate", "task": "t", "evaluate": list(evaluations), "reference": "en",
        "bootstrap": {"resamples": 100, "seed": 3, "level": 0.9, "interval": "percentile"}, **study,
    }  # fmt: skip
    (folder / "study.yaml").write_text(yaml.safe_dump(asked), encoding="utf-8")
    ids = sorted({str(row["item"]) for rows in evaluations.values() for row in rows})
    pl.DataFrame(
        [{"item": one, "language": "en", "input": "en", "model": None, "field:prompt": words.format(one)} for one in ids],
        schema_overrides={"model": pl.String},
    ).write_parquet(folder / "items.parquet")  # fmt: skip
    return folder


def compared(first: Path, second: Path, what: str = "scores", **more: Any) -> list[Row]:
    found = compare_open_answers((described(first), described(second)), what, **more)
    return [dict(row) for row in found.table.rows]


def row_of(rows: Sequence[Row], **wanted: object) -> Row:
    (found,) = [row for row in rows if all(row[name] == value for name, value in wanted.items())]
    return found


def harmonic(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def by_hand(pairs: Sequence[Row], statistic: str, prefix: str = "") -> float:
    """A statistic of information, in plain loops."""
    p, r = ([float(str(row[f"{prefix}{name}"])) for row in pairs] for name in ("precision", "recall"))
    mean_p, mean_r = sum(p) / len(p), sum(r) / len(r)
    if statistic == "mean_f":
        return sum(map(harmonic, p, r)) / len(p)
    return {"precision": mean_p, "recall": mean_r, "f_of_means": harmonic(mean_p, mean_r)}[statistic]


def kept_by_hand(
    sides: tuple[Sequence[Row], Sequence[Row]], tags: Sequence[str], *, answered: bool
) -> tuple[list[Row], list[Row]]:
    """The pairs that count on both sides, in the same order."""
    fine = {"compared"} if answered else {"compared", "candidate_silent", "reference_silent", "both_silent"}
    first, second = (
        {(row["language"], row["item"]): row for row in side if row["language"] in tags} for side in sides
    )
    keys = [
        key for key in sorted(first) if key in second and {first[key]["state"], second[key]["state"]} <= fine
    ]
    return [first[key] for key in keys], [second[key] for key in keys]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def two(place: Path) -> tuple[Path, Path]:
    return (
        written(place / "one", {"information": made(1), "tone": profiles(11)}),
        written(place / "two", {"information": made(2)[2:], "tone": profiles(12)}),
    )


@pytest.fixture(scope="module")
def rows(two: tuple[Path, Path]) -> list[Row]:
    """The comparison of the two."""
    return compared(*two)


@pytest.fixture
def call() -> Call:
    runner = CliRunner()
    return lambda *arguments: runner.invoke(app, [str(one) for one in arguments])


@pytest.mark.parametrize("ending", ["", "_answered"])
@pytest.mark.parametrize("language", ["de", "hi", "all"])
def test_information_is_what_plain_loops_give(rows: list[Row], language: str, ending: str) -> None:
    tags = ("de", "hi") if language == "all" else (language,)
    given_sides = (made(1), made(2)[2:])
    first, second = kept_by_hand(given_sides, tags, answered=bool(ending))
    union = {
        (row["language"], row["item"]) for side in given_sides for row in side if row["language"] in tags
    }
    over = [
        pair for pair in zip(first, second, strict=True) if all(one["ceiling_state"] for one in pair)
    ]  # fmt: skip
    for statistic in ("precision", "recall", "f_of_means", "mean_f"):
        row = row_of(rows, evaluator="information", language=language, statistic=statistic + ending)
        values = [by_hand(side, statistic) for side in (first, second)]
        assert [row["value_a"], row["value_b"]] == pytest.approx(values)
        assert row["value"] == pytest.approx(values[1] - values[0])
        assert (row["n"], row["prompts"]) == (len(first), len({one["item"] for one in first}))
        assert row["excluded"] == len(union) - len(first)
        shares = [
            by_hand([pair[side] for pair in over], statistic)
            / by_hand([pair[side] for pair in over], statistic, "ceiling_")
            for side in (0, 1)
        ]
        assert [row["relative_a"], row["relative_b"]] == pytest.approx(shares)
        assert row["relative"] == pytest.approx(shares[1] - shares[0])
        low, high = resampled_by_hand(first, second, statistic)
        assert [row["low"], row["high"]] == pytest.approx([low, high])
        assert row["p"] == pytest.approx(exchanged_by_hand(first, second, statistic), abs=0.04)


def resampled_by_hand(first: list[Row], second: list[Row], statistic: str) -> tuple[float, float]:
    """Percentile interval over the resamples of prompts that every measure of the house takes."""
    places: dict[str, list[int]] = {}
    for index, row in enumerate(first):
        places.setdefault(str(row["item"]), []).append(index)
    found = []
    shared = draws(len(places), Bootstrap(100, 3, 0.9, "percentile"))
    assert shared is not None
    for counts in itertools.chain.from_iterable(shared.blocks()):
        picked = [
            index for held, times in zip(places.values(), counts, strict=True) for index in held * int(times)
        ]
        a, b = (by_hand([side[index] for index in picked], statistic) for side in (first, second))
        found.append(b - a)
    low, high = np.quantile(found, [0.05, 0.95])
    return float(low), float(high)


def exchanged_by_hand(first: list[Row], second: list[Row], statistic: str) -> float:
    """The p of random exchanges of whole prompts, with draws of its own."""
    rng = np.random.default_rng(4321)
    seen = abs(by_hand(second, statistic) - by_hand(first, statistic))
    prompts = sorted({str(row["item"]) for row in first})
    extreme = 0
    for _ in range(800):
        turned = {name for name in prompts if rng.random() < 0.5}
        a = [y if x["item"] in turned else x for x, y in zip(first, second, strict=True)]
        b = [x if x["item"] in turned else y for x, y in zip(first, second, strict=True)]
        extreme += abs(by_hand(b, statistic) - by_hand(a, statistic)) >= seen - 1e-9
    return (1 + extreme) / 801


def test_agreement_and_kappa_are_what_plain_loops_give(rows: list[Row]) -> None:
    sides = kept_by_hand((profiles(11), profiles(12)), ("de", "hi"), answered=False)
    row = row_of(rows, evaluator="tone", language="all", statistic="agreement")
    shares = [sum(float(str(one["agreement"])) for one in side) / len(side) for side in sides]
    assert [row["value_a"], row["value_b"], row["value"]] == pytest.approx([*shares, shares[1] - shares[0]])
    assert row["relative"] is None and row["ceiling_a"] is None
    for name in ("warm", "asks"):
        kappas = []
        for side in sides:
            levels = [
                (int(str(one[f"reference.{name}"])), int(str(one[f"candidate.{name}"]))) for one in side
            ]
            same = sum(a == b for a, b in levels) / len(levels)
            chance = sum(
                sum(a == level for a, _ in levels) * sum(b == level for _, b in levels) for level in (0, 1)
            )
            expected = chance / len(levels) ** 2
            kappas.append((same - expected) / (1 - expected))
        row = row_of(rows, evaluator="tone", language="all", statistic=f"kappa.{name}")
        assert [row["value_a"], row["value_b"]] == pytest.approx(kappas)
        assert row["value"] == pytest.approx(kappas[1] - kappas[0]) and row["p"] is not None


def test_p_values_are_adjusted_within_a_statistic(rows: list[Row]) -> None:
    family = [
        row for row in rows if (row["evaluator"], row["statistic"]) == ("information", "recall") and row["language"] != "all"
    ]  # fmt: skip
    values = [float(str(row["p"])) for row in family]
    assert len(values) == 2
    assert [row["p_holm"] for row in family] == holm(values)
    assert [row["p_bh"] for row in family] == benjamini_hochberg(values)
    whole = row_of(rows, evaluator="information", language="all", statistic="recall")
    assert whole["p_holm"] == whole["p"]


def test_every_pair_that_does_not_count_has_its_reason(rows: list[Row]) -> None:
    by_rule = row_of(rows, evaluator="information", language="de", statistic="recall")
    only = row_of(rows, evaluator="information", language="de", statistic="recall_answered")
    for row in (by_rule, only):
        told = [part.split(" (")[0] for part in str(row["reason"]).split("; ")]
        assert sum(int(part.split()[0]) for part in told) == row["excluded"], row["reason"]
        assert int(str(row["n"])) + int(str(row["excluded"])) == 24
    assert "2 not asked on side b" in str(by_rule["reason"])
    assert "without an answer on side" in str(only["reason"]) and "blocked" in str(only["reason"])


def test_groups_hold_their_languages(rows: list[Row], tmp_path: Path) -> None:
    alone = [
        written(tmp_path / name, {"information": pairs})
        for name, pairs in (("a", made(1)), ("b", made(2)[2:]))
    ]
    groups = compared(*alone, what="groups")
    for grouping, group, language in (
        ("all", "all", "all"),
        ("script", "Deva", "hi"),
        ("branch", "Germanic", "de"),
    ):
        found = row_of(groups, evaluator="information", grouping=grouping, group=group, statistic="mean_f")
        same = row_of(rows, evaluator="information", language=language, statistic="mean_f")
        for name in ("value_a", "value_b", "value", "low", "high", "p", "n", "relative"):
            assert found[name] == same[name], (grouping, name)


SCORES = st.lists(
    st.tuples(*[st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0])] * 4), min_size=1, max_size=30
)  # fmt: skip


def stacked_information(sides: Sequence[tuple[float, ...]], *, turned: bool = False) -> dict[str, object]:
    table = np.array(sides)
    first, second = (table[:, 2:], table[:, :2]) if turned else (table[:, :2], table[:, 2:])
    both = np.vstack([first, second])
    return dict(information_statistics(both[:, 0], both[:, 1]))


@settings(max_examples=15, deadline=None)
@given(SCORES)
def test_turning_the_sides_turns_the_sign(sides: list[tuple[float, ...]]) -> None:
    # Pseudo-items of either side have streams of their own, so only counts turn exactly.
    drawn = Bootstrap(60, 7, interval="percentile")
    forth = paired_differences(stacked_information(sides), drawn)  # type: ignore[arg-type]
    back = paired_differences(stacked_information(sides, turned=True), drawn)  # type: ignore[arg-type]
    for name, one in forth.items():
        other = back[name]
        assert one.estimate.value == pytest.approx(-float(str(other.estimate.value)))
        assert (one.first, one.second) == pytest.approx((other.second, other.first))
        assert one.estimate.low == pytest.approx(-float(str(other.estimate.high)))
        assert one.p == pytest.approx(other.p)


@settings(max_examples=15, deadline=None)
@given(SCORES)
def test_the_same_answers_on_both_sides_differ_in_nothing(sides: list[tuple[float, ...]]) -> None:
    same = [(*one[:2], *one[:2]) for one in sides]
    exact = Bootstrap(30, 7, interval="percentile")
    for one in paired_differences(stacked_information(same), exact).values():  # type: ignore[arg-type]
        assert (one.estimate.value, one.estimate.low, one.estimate.high, one.p) == (0.0, 0.0, 0.0, 1.0)
        assert one.detectable is None
    # Of other prompts that is not certain.
    for one in paired_differences(stacked_information(same), Bootstrap(200, 7)).values():  # type: ignore[arg-type]
        low, high = one.estimate.low, one.estimate.high
        assert one.p == 1.0 and low is not None and high is not None and low < 0.0 < high


def test_few_prompts_are_tested_exactly() -> None:
    rng = np.random.default_rng(5)
    sides = [tuple(rng.integers(0, 6, 4) / 5) for _ in range(8)]
    found = paired_differences(stacked_information(sides), Bootstrap(30))  # type: ignore[arg-type]
    for statistic in ("recall", "f_of_means"):
        apart = []
        for turned in itertools.product((False, True), repeat=8):
            a, b = (
                [{"precision": one[2 * side ^ 2 * turn], "recall": one[(2 * side ^ 2 * turn) + 1]}
                 for one, turn in zip(sides, turned, strict=True)]
                for side in (0, 1)
            )  # fmt: skip
            apart.append(abs(by_hand(b, statistic) - by_hand(a, statistic)))
        assert found[statistic].p == sum(value >= apart[0] - 1e-9 for value in apart) / 256
    differences = np.array([one[3] - one[1] for one in sides])
    assert found["recall"].p == pytest.approx(permutation_test(differences).value)
    untested = paired_differences(stacked_information(sides), Bootstrap(0))["recall"]  # type: ignore[arg-type]
    assert (untested.p, untested.estimate.low, untested.detectable) == (None, None, None), (
        "no p of no resamples"
    )


def test_many_prompts_are_tested_as_the_permutation_test_does() -> None:
    rng = np.random.default_rng(6)
    sides = [tuple(rng.integers(0, 6, 4) / 5) for _ in range(200)]
    found = paired_differences(stacked_information(sides), Bootstrap(30))["recall"]  # type: ignore[arg-type]
    other = permutation_test(np.array([one[3] - one[1] for one in sides]), resamples=SWAPS, seed=1)
    assert found.p == pytest.approx(float(str(other.value)), abs=0.02)


def test_a_kappa_that_is_undefined_has_no_test() -> None:
    levels = np.zeros((40, 1), dtype=np.int64)
    found = paired_differences(profile_statistics(levels, levels, properties=["warm"]), Bootstrap(50))
    kappa = found["kappa.warm"]
    assert (kappa.first, kappa.second, kappa.estimate.value, kappa.p, kappa.detectable) == (None,) * 5
    assert "all levels are the same" in kappa.estimate.reason
    assert found["exact"].p == 1.0


def test_what_is_planted_is_found_and_nothing_else() -> None:
    """50 draws of 60 prompts in three languages: intervals cover the truth, false alarms are as rare as said."""
    rng = np.random.default_rng(2024)
    names = ("f_of_means", "mean_f")
    covered, alarms, found = dict.fromkeys(names, 0), dict.fromkeys(names, 0), 0
    runs, prompts = 50, 60
    for _ in range(runs):
        hard = rng.uniform(0.3, 0.9, prompts).repeat(3)
        none = drawn(rng, hard, 0.0)
        for name, one in paired_differences(none, Bootstrap(300, 1)).items():
            if name in names:
                covered[name] += float(str(one.estimate.low)) <= 0 <= float(str(one.estimate.high))
                alarms[name] += float(str(one.p)) < 0.05
        found += float(str(paired_differences(drawn(rng, hard, 0.1), Bootstrap(30))["f_of_means"].p)) < 0.05
    for name in names:
        assert 0.88 <= covered[name] / runs <= 1.0, (name, covered)
        assert alarms[name] / runs <= 0.11, (name, alarms)
    assert found / runs > 0.9


def drawn(rng: np.random.Generator, hard: np.ndarray, less: float) -> Mapping[str, object]:  # type: ignore[type-arg]
    sides = [rng.binomial(5, np.clip(hard - less * side, 0, 1), (2, len(hard))) / 5 for side in (0, 1)]
    both = np.hstack(sides)
    items = np.arange(len(hard)) // 3
    return information_statistics(both[0], both[1], items=np.concatenate([items, items + items.max() + 1]))


def test_an_instrument_that_differs_is_named(two: tuple[Path, Path], place: Path) -> None:
    other = {
        **SIGNATURE,
        "judge": {"judge": "openai/gpt-4o", "rule": "by the book", "hesperus": "0.1.0", "distinct_texts": 9},
        "translation": {"ladder": "9999", "translator": {"translator": "cipher"}},
    }
    judged = written(
        place / "judged", {"information": made(2)}, signature=other, answers={"temperature": 1.0}
    )
    found = compare_open_answers((described(two[0]), described(judged)))
    told = "\n".join(found.warnings)
    for words in ("not measured alike", "judge.judge embedded and openai/gpt-4o", "translation.ladder 4857 and 9999",
                  "not asked alike: answers.temperature unset and 1.0", "evaluators on side a only, excluded: tone"):  # fmt: skip
        assert words in told, words
    assert "distinct_texts" not in told
    assert all(
        "measured otherwise on side b (judge, ladder of repairs)" in str(row["reason"])
        for row in found.table.rows
    )
    differ = found.table.signature["instruments_differ"]
    assert differ == {
        "information": {"judge.judge": ["embedded", "openai/gpt-4o"], "translation.ladder": ["4857", "9999"]}
    }
    assert compare_open_answers((described(two[0]), described(two[0]))).warnings == ()


def test_prompts_in_other_words_are_left_out(two: tuple[Path, Path], place: Path) -> None:
    asked = written(place / "asked", {"information": made(2)})
    items = pl.read_parquet(asked / "items.parquet")
    items.with_columns(
        pl.when(pl.col("item").is_in(["i3", "i4"])).then(pl.lit("Say it!")).otherwise(pl.col("field:prompt")).alias("field:prompt")
    ).write_parquet(asked / "items.parquet")  # fmt: skip
    found = compare_open_answers((described(two[0]), described(asked)))
    assert any("2 prompts have other words" in one for one in found.warnings)
    assert any("asked in other words" in str(row["reason"]) for row in found.table.rows)
    reworded = written(place / "reworded", {"information": made(2)}, words="What of {}?")
    with pytest.raises(DataError, match=r"share no prompt that could be compared: .*asked in other words"):
        compared(two[0], reworded)
    (asked / "items.parquet").unlink()
    unknown = compare_open_answers((described(two[0]), described(asked)))
    assert any("same words in both runs is not known" in one for one in unknown.warnings)


def test_prompts_put_in_another_way_are_compared_by_language(two: tuple[Path, Path], place: Path) -> None:
    rows = [
        {**row, "instruction": "de_from_en@nllb", "input": "de_from_en@nllb"} for row in made(2, tags=("de",))
    ]
    put = written(place / "put", {"information": rows})
    row = row_of(compared(two[0], put), language="de", statistic="recall")
    assert (row["input_a"], row["input_b"]) == ("de", "de_from_en@nllb")
    warned = compare_open_answers((described(two[0]), described(put))).warnings
    assert "languages on side a only, excluded: hi" in warned


def test_replies_that_never_came_are_missing_data(two: tuple[Path, Path], place: Path) -> None:
    rows = [{**row, "outcome": "error"} if row["state"] == "candidate_silent" else row for row in made(2)]
    lost = sum(row["outcome"] == "error" for row in rows)
    failed = written(place / "failed", {"information": rows})
    without = written(place / "without", {"information": [row for row in rows if row["outcome"] != "error"]})
    found, bare = compared(two[0], failed), compared(two[0], without)
    assert lost and any("without a reply (error) on side b" in str(row["reason"]) for row in found)
    for row, other in zip(found, bare, strict=True):
        assert {**row, "reason": "", "answered_b": None} == {**other, "reason": "", "answered_b": None}


def test_replies_in_another_language_are_numbers_of_their_own(two: tuple[Path, Path], place: Path) -> None:
    rows = made(2)
    wrong = [row for row in rows if row["language"] == "hi" and row["state"] == "compared"][:5]
    told = [{**row, "outcome": "wrong_language"} if row in wrong else row for row in rows]
    found = compared(two[0], written(place / "elsewhere", {"information": told}))
    kept = [row for row in rows if row not in wrong]
    bare = compared(two[0], written(place / "kept", {"information": kept}))
    for statistic in ("precision", "f_of_means"):
        of_all, right = (
            row_of(found, language="hi", statistic=statistic + ending) for ending in ("", "_right_language")
        )
        same = row_of(bare, language="hi", statistic=statistic)
        for name in ("value_a", "value_b", "value", "low", "high", "p", "n", "relative"):
            assert right[name] == same[name] != of_all[name], name
        assert "with a reply in another language on side b" in str(right["reason"])
        german = row_of(found, language="de", statistic=f"{statistic}_right_language")
        assert german == {
            **row_of(found, language="de", statistic=statistic), "statistic": german["statistic"],
            "p_holm": german["p_holm"], "p_bh": german["p_bh"],
        }  # fmt: skip


def test_two_models_of_one_run(place: Path) -> None:
    run = written(place / "models", {"information": [*made(1, model="x"), *made(2, model="y")]})
    rows = compared(run, run, matched=("x", "y"))
    one, other = place / "x", place / "y"
    written(one, {"information": made(1, model="x")})
    written(other, {"information": made(2, model="y")})
    apart = compared(one, other)
    assert [row["value"] for row in rows] == [row["value"] for row in apart]
    assert {(row["model_a"], row["model_b"]) for row in rows} == {("x", "y")}
    turned = compared(run, run, matched=("y", "x"))
    for forth, back in zip(rows, turned, strict=True):
        assert forth["value"] == pytest.approx(-float(str(back["value"])))
        assert forth["low"] == pytest.approx(-float(str(back["high"])))
        assert forth["relative"] == pytest.approx(-float(str(back["relative"])))
        assert forth["p"] == pytest.approx(back["p"])
    for row in compared(run, run):
        assert (row["value"], row["p"], row["relative"]) == (0.0, 1.0, 0.0)
    with pytest.raises(UnknownNameError, match="unknown model: 'z'"):
        compared(run, run, matched=("x", "z"))


def test_what_cannot_be_compared_is_refused(two: tuple[Path, Path], place: Path, tmp_path: Path) -> None:
    german = written(place / "german", {"information": made(2)}, signature={**SIGNATURE, "reference": "de"})
    with pytest.raises(DataError, match="side a is compared with answers in en, side b with answers in de"):
        compared(two[0], german)
    other = written(place / "other", {"length": profiles(3)})
    with pytest.raises(DataError, match="share no evaluator"):
        compared(two[0], other)
    renamed = [{**row, "item": f"other-{row['item']}"} for row in made(2)]
    strange = written(place / "strange", {"information": renamed})
    with pytest.raises(DataError, match="share no prompt that could be compared: .* not asked on side"):
        compared(two[0], strange)
    language = written(place / "language", {"information": made(2, tags=("fr",))})
    with pytest.raises(DataError, match=r"share no prompt.*languages on side a only, excluded: de, hi"):
        compared(two[0], language)
    twice = written(place / "twice", {"information": [*made(2), *made(2)[:1]]})
    with pytest.raises(DataError, match="stands several times"):
        compared(two[0], twice)
    warm = [{name.replace("asks", "sighs"): value for name, value in row.items()} for row in profiles(4)]
    sighs = written(place / "sighs", {"tone": warm})
    with pytest.raises(DataError, match="the properties differ"):
        compared(two[0], sighs)
    with pytest.raises(UsageError, match="side b is no run folder of open answers"):
        compared(two[0], tmp_path)
    with pytest.raises(UsageError, match="scores and groups are compared, not counts"):
        compared(*two, "counts")


def test_compare_writes_every_format(two: tuple[Path, Path], call: Call) -> None:
    shown = call("compare", *two, "--resamples", 20)
    assert shown.exit_code == 0, shown.exception
    assert "Difference" in shown.stdout and "f_of_means" in shown.stdout and "_answered" not in shown.stdout
    assert "--format json or csv" in shown.stderr
    document = json.loads(call("compare", *two, "--format", "json").stdout)
    assert document["measure"] == "compare scores"
    assert document["signature"]["bootstrap"] == {
        "resamples": 100, "seed": 3, "level": 0.9, "interval": "percentile",
    }  # fmt: skip
    assert any(row["statistic"] == "f_of_means_answered" for row in document["rows"])
    for what, form, begins in (
        ("groups", "csv", "evaluator,"),
        ("scores", "markdown", "| Evaluator"),
        ("scores", "latex", "\\begin{tabular}"),
    ):
        done = call("compare", *two, what, "--format", form, "--resamples", 0)
        assert done.exit_code == 0 and begins in done.stdout, form
    for more, said in (
        (("scores", "--by", "x"), "groups of languages"),
        (("scores", "--invalid", "drop"), "about labels"),
    ):
        refused = call("compare", *two, *more)
        assert isinstance(refused.exception, UsageError) and said in str(refused.exception)
    alone = call("compare", two[0], two[0].parent / "absent.parquet")
    assert "side b is no run folder of open answers" in str(alone.exception)


def test_check_holds_a_run_to_a_baseline(place: Path, call: Call, tmp_path: Path) -> None:
    good = [{**row, "state": "compared", "precision": 1.0, "recall": 0.9} for row in made(1)]
    worse = [{**row, "recall": 0.6} if row["language"] == "hi" else row for row in good]
    before = written(place / "before", {"information": good, "tone": profiles(11)})
    after = written(place / "after", {"information": worse, "tone": profiles(11)})
    files = ("--junit", tmp_path / "check.xml", "--summary", tmp_path / "check.md")
    points = ("--resamples", 0, "--format", "json")
    done = call("check", after, "--baseline", before, "--max-drop", "0.02", *files, *points)
    assert done.exit_code == 1, done.exception
    rows = json.loads(done.stdout)["rows"]
    assert {row["where"]: row["passed"] for row in rows} == {
        "evaluator=information,language=de": True, "evaluator=information,language=hi": False,
        "evaluator=information,language=all": False, "evaluator=tone,language=de": True,
        "evaluator=tone,language=hi": True, "evaluator=tone,language=all": True,
    }  # fmt: skip
    suite = ElementTree.parse(tmp_path / "check.xml").getroot()
    assert (suite.attrib["tests"], suite.attrib["failures"]) == ("6", "2")
    assert "0 of 1 satisfied; not max-drop 0.02 in 2 of 6 rows" in (tmp_path / "check.md").read_text(
        encoding="utf-8"
    )
    held = ("scores.recall[de]=0", "scores.recall[hi]=0.35", "scores.precision.high=0", "groups.recall[grouping=script, Latn]=0",
            "scores.kappa.warm.low[evaluator=tone, all]=0")  # fmt: skip
    fine = call("check", after, "--baseline", before, *(part for one in held for part in ("--max-drop", one)))
    assert fine.exit_code == 0, (fine.stdout, fine.exception)
    drops = ("scores.recall.high[hi]=0", "groups[Deva]=0.1", "scores=0.1")
    several = (part for one in drops for part in ("--max-drop", one))
    failed = call("check", after, "--baseline", before, *several, "--format", "json")
    told = {row["requirement"] for row in json.loads(failed.stdout)["rows"] if not row["passed"]}
    assert failed.exit_code == 1 and told == {f"max-drop {one}" for one in drops}
    better = call("check", before, "--baseline", after, "--max-drop", "scores.recall=0", "--resamples", 0)
    assert better.exit_code == 0
    for drop, said in (
        ("scores.recal=0", "recall"),
        ("scores[sw]=0", "about no row"),
        ("scores.a.b.c=0", "after the statistic"),
    ):
        refused = call("check", after, "--baseline", before, "--max-drop", drop, "--resamples", 0)
        assert isinstance(refused.exception, UsageError) and said in str(refused.exception), drop


def test_real_runs_of_the_study_are_compared(tmp_path: Path, call: Call) -> None:
    """The larger embedded model was shown more in German than the smaller one."""
    for model in ("s", "l"):
        done = call(
            "run", "translate_then_evaluate", "--task", "atlas-describe", "--model", f"pocket/{model}", "--language", "de",
            "--translator", "pocket/l", "--evaluate", "information", "--evaluate", "refusal", "--limit", 12,
            "--resamples", 200, "--out", tmp_path / model, "--quiet",
        )  # fmt: skip
        assert done.exit_code == 0, (done.stderr, done.exception)
    found = json.loads(call("compare", tmp_path / "s", tmp_path / "l", "--format", "json").stdout)
    row = row_of(found["rows"], evaluator="information", statistic="f_of_means")
    assert row["language"] == "de" and float(str(row["low"])) > 0 and float(str(row["p"])) < 0.05
    assert "instruments_differ" not in found["signature"] and "asked_differently" not in found["signature"]
    better = call("check", tmp_path / "l", "--baseline", tmp_path / "s", "--max-drop", "0", "--resamples", 0)
    worse = call("check", tmp_path / "s", "--baseline", tmp_path / "l", "--max-drop", "scores.high=0")
    assert (better.exit_code, worse.exit_code) == (0, 1)
