"""What can be answered without knowledge, on items that give themselves away and on items that do not."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from hesperus.analysis.baselines import baselines_table
from hesperus.audits import BASELINES, Guesses, baseline_guesses, file_items
from hesperus.cli.audit import command
from hesperus.errors import UsageError
from hesperus.types import Item

app = typer.Typer()
app.command()(command)


def item(key: str, question: str, options: tuple[str, ...], gold: str | None = "A", tag: str = "en") -> Item:
    return Item(key, tag, {"question": question}, gold, options)


def of(baseline: str, items: list[Item], labels: tuple[str, ...] = ()) -> Guesses:
    (found,) = [each for each in baseline_guesses({"en": items}, labels) if each.baseline == baseline]
    return found


def share(guesses: Guesses) -> Fraction:
    return sum(guesses.right, Fraction(0)) / len(guesses.right)


LANGUAGES = [
    item("1", "What do people speak in Lithuania?", ("Lithuanian", "Polish")),
    item("2", "What do people speak in Poland?", ("Polish", "Lithuanian")),
    item("3", "What do people speak in Chile?", ("Spanish", "Chinese")),
]


def test_a_name_in_the_question_gives_the_answer_away() -> None:
    found = of("shared_string", LANGUAGES)
    assert found.labels == (("A",), ("A",), ("B",))  # "Chi" of Chile points to Chinese
    assert share(found) == Fraction(2, 3)


def test_words_that_all_questions_share_are_not_the_questions_own() -> None:
    many = [
        item(str(n), f"Which place is it, {chr(97 + n % 26) * 3}{n}?", ("place", "öüö")) for n in range(30)
    ]
    assert share(of("shared_string", many)) == Fraction(1, 2)


def test_options_are_judged_by_the_other_items_alone() -> None:
    items = [
        item("1", "x", ("euro", "peso")),
        item("2", "y", ("euro", "dong")),
        item("3", "z", ("dong", "peso")),
    ]
    found = of("options_only", items)
    # Of item 1, euro alone is right elsewhere (item 2); of item 2, either once; of item 3, neither.
    assert found.labels == (("A",), ("A", "B"), ("A", "B"))
    assert share(found) == Fraction(2, 3)


def test_the_longest_option_and_the_most_frequent_letter() -> None:
    items = [
        item("1", "x", ("much longer", "b"), "A"),
        item("2", "y", ("a", "longer"), "A"),
        item("3", "z", ("a", "b"), "B"),
    ]
    assert of("longest_option", items).labels == (("A",), ("B",), ("A", "B"))
    assert share(of("longest_option", items)) == Fraction(1, 2)
    assert of("majority_label", items).labels == (("A",),) * 3 and share(
        of("majority_label", items)
    ) == Fraction(2, 3)


def test_items_with_labels_alone_have_the_majority_only() -> None:
    items = [Item(str(n), "en", {"text": "x"}, gold) for n, gold in enumerate(("yes", "yes", "no", "?"))]
    (found,) = baseline_guesses({"en": items}, ("yes", "no"))
    assert (found.baseline, found.items, share(found)) == ("majority_label", ("0", "1", "2"), Fraction(2, 3))
    assert set(found.chance) == {Fraction(1, 2)}
    assert baseline_guesses({"en": items}) == ()


def test_items_without_a_gold_among_their_options_are_left_out() -> None:
    items = [
        item("1", "x", ("a", "b"), None),
        item("2", "x", ("a", "b"), "E"),
        item("3", "x", ("a",)),
        item("4", "x", ("a", "b")),
    ]
    assert {each.items for each in baseline_guesses({"en": items})} == {("4",)}


texts = st.text("abc é语", min_size=1, max_size=6)
some_items = st.lists(
    st.tuples(texts, st.lists(texts, min_size=2, max_size=5), st.integers(0, 4)), min_size=1, max_size=8
).map(
    lambda rows: [
        item(str(n), question, tuple(options), "ABCDE"[gold % len(options)])
        for n, (question, options, gold) in enumerate(rows)
    ]
)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(some_items)
def test_guesses_are_labels_of_their_item_and_do_not_depend_on_the_order_of_options(
    items: list[Item],
) -> None:
    turned = [
        item(
            i.id,
            i.fields["question"],
            tuple(reversed(i.options or ())),
            "ABCDE"[len(i.options or ()) - 1 - "ABCDE".index(i.gold or "A")],
        )
        for i in items
    ]
    for one, other in zip(baseline_guesses({"en": items}), baseline_guesses({"en": turned}), strict=True):
        for guess, each in zip(one.labels, items, strict=True):
            assert guess and (
                set(guess) <= set("ABCDE"[: len(each.options or ())]) or one.baseline == "majority_label"
            )
        assert all(0 <= right <= 1 for right in one.right)
        if one.baseline != "majority_label":
            assert one.right == other.right


def test_the_table_has_chance_beside_each_number_and_kappa_of_a_model() -> None:
    items = [item(str(n), "x", ("a", "bb"), "AB"[n % 2]) for n in range(8)]
    guesses = baseline_guesses(
        {"en": items, "de": [item(i.id, "x", ("a", "bb"), i.gold, "de") for i in items]}
    )
    said = ["B", "B", "B", "B", "A", "A", None, "B"]
    records = pl.DataFrame(
        {
            "model": ["m"] * 9, "instruction": ["en"] * 9, "input": [*["en"] * 8, "de_from_en"], "repeat": [0] * 9,
            "item": [*map(str, range(8)), "0"], "answer": [*said, "A"],
        },
        schema_overrides={"answer": pl.String()},
    )  # fmt: skip
    table = baselines_table(guesses, records=records, audited="x")
    overall = [row for row in table.rows if row["language"] == "all"]
    assert [row["baseline"] for row in overall] == list(BASELINES)
    assert all(
        row["chance"] == 0.5 and row["n"] == 8 and row["low"] <= row["value"] <= row["high"]
        for row in overall
    )
    kappas = {row["baseline"]: row for row in table.rows if row["statistic"] == "cohen_kappa"}
    # The longest option is always B: no agreement beyond chance is possible. The others cannot decide.
    assert kappas["longest_option"]["value"] == pytest.approx(0.0) and kappas["longest_option"]["n"] == 7
    assert kappas["shared_string"]["value"] is None and kappas["shared_string"]["reason"]
    assert {row["language"] for row in table.rows if row["model"]} == {"en"}


def test_languages_may_hold_different_items() -> None:
    other = [item("9", "x", ("a", "b"), "B", "de")]
    rows = baselines_table(baseline_guesses({"en": LANGUAGES, "de": other})).rows
    assert {(row["language"], row["n"]) for row in rows} == {("all", 4), ("en", 3), ("de", 1)}


def test_kappa_with_a_baseline_is_cohens() -> None:
    items = [
        item(str(n), f"on {word}", (word, "zzzzzz") if n % 2 else ("zzzzzz", word))
        for n, word in enumerate(("kq", "vx", "jz", "wp", "rf", "hg"))
    ]
    said = ["B", "A", "B", "B", "A", "A"]
    records = pl.DataFrame(
        {
            "model": "m",
            "instruction": "en",
            "input": "en",
            "repeat": 0,
            "item": [i.id for i in items],
            "answer": said,
        }
    )
    table = baselines_table(baseline_guesses({"en": items}), records=records)
    (row,) = [r for r in table.rows if r["statistic"] == "cohen_kappa" and r["baseline"] == "shared_string"]
    # Guessed B A B A B A, said B A B B A A: 4 of 6 agree, chance 1/2, so (2/3 - 1/2) / (1 - 1/2).
    assert row["value"] == pytest.approx(1 / 3)


def test_the_command_prints_them_beside_the_findings_and_in_full(tmp_path: Path) -> None:
    file = tmp_path / "en.jsonl"
    rows = [
        {"id": i.id, "question": i.fields["question"], "options": list(i.options or ()), "gold": "A"}
        for i in LANGUAGES
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    shown = CliRunner().invoke(app, [str(file)], catch_exceptions=False)
    assert "shared_string" in shown.stdout and "66.7" in shown.stdout
    full = CliRunner().invoke(app, [str(file), "--baselines", "--format", "json"], catch_exceptions=False)
    found = json.loads(full.stdout)
    assert found["measure"] == "baselines" and {row["baseline"] for row in found["rows"]} == set(BASELINES)
    file.write_text(
        '{"id": "1", "question": "Why, and why not?"}\n{"id": "2", "question": "When then?"}\n',
        encoding="utf-8",
    )
    with pytest.raises(UsageError, match="nothing to guess"):
        CliRunner().invoke(app, [str(file), "--baselines"], catch_exceptions=False)


def test_shared_benchmarks_are_near_chance_by_shared_strings(shared_data: Path) -> None:
    material = file_items([shared_data / "parallel_benchmarks" / "xcopa_test_11lang.jsonl.gz"], ["et", "zh"])
    rows = {
        (row["baseline"], row["language"]): row
        for row in baselines_table(baseline_guesses(material.items)).rows
    }
    for tag in ("et", "zh"):
        assert rows["shared_string", tag]["n"] == 500
        assert 0.4 < rows["shared_string", tag]["value"] < 0.65
        assert 0.4 < rows["longest_option", tag]["value"] < 0.6
