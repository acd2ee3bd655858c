"""Two runs item by item, and the claims of open answers, as the explorer shows them."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import polars as pl

from explorer.explorer_site import explored, served
from explorer.runs import HOSTILE, hostile_run, quiz_run
from hesperus.explorer.state import OpenRuns, with_scores_of
from hesperus.records import KEY, Run, conform


def test_what_changed_between_two_runs_leads_to_the_items() -> None:
    before = quiz_run(("en", "sw"))
    broken = (pl.col("item") == "q01") & (pl.col("input") == "sw")
    was = before.records.filter((pl.col("item") == "q01") & (pl.col("input") == "sw")).row(0, named=True)
    answer = next(label for label in "ABCD" if label not in (was["answer"], was["gold"]))
    after = Run(before.records.with_columns(answer=pl.when(broken).then(pl.lit(answer)).otherwise("answer"),
                                            outcome=pl.when(broken).then(pl.lit("answered")).otherwise("outcome")))  # fmt: skip
    with explored(before=before, after=after) as site:
        page = site.ask("/changes").text
        assert "<h1>1 " in page and ">q01</a>" in page and f"→ {answer}" in page
        kind = "lost" if was["answer"] == was["gold"] else "other"
        assert f"/changes?before=before&amp;after=after&amp;kind={kind}&amp;sense=sw" in page
        assert "<h1>1 " in site.ask(f"/changes?before=before&after=after&kind={kind}&sense=sw").text
        assert "<h1>0 " in site.ask("/changes?sense=en").text and "No answer changed" in site.ask("/changes?sense=en").text  # fmt: skip
        for query, said in (
            ("after=third", "third"), ("kind=odd", "kind of change"), ("sense=xx", "xx"), ("before=after", "changed from"),
            ("page=%E2%91%A0", "whole number"),
        ):  # fmt: skip
            assert said in site.ask(f"/changes?{query}").text, query
        assert site.ask("/changes", Cookie="none=1").status == 404
    with explored(one=before) as site:
        answer_of_one = site.ask("/changes")
        assert answer_of_one.status == 400 and "hesperus view RUN_A RUN_B" in answer_of_one.text
        assert 'href="/changes"' not in site.ask("/").text
    with explored(evil=hostile_run(), **{HOSTILE: hostile_run()}) as site:
        assert "<script>document" not in site.ask("/changes").text


def test_claims_are_under_their_sentences_with_verdicts_both_ways(tmp_path: Path) -> None:
    answers = {
        "en": "Angola is in Africa. Its capital is Luanda.",
        "de": "Angola liegt in Afrika. Die Hauptstadt ist Lima.",
    }
    rows = [
        {"model": "m", "task": "t", "item": "q", "instruction": tag, "input": tag, "answer": text, "reply": text, "rule": "whole text"}
        for tag, text in answers.items()
    ]  # fmt: skip
    records = conform(pl.DataFrame(rows))
    home = tmp_path / "evaluations" / "information"
    home.mkdir(parents=True)
    translated = "Angola is in Africa. The capital is Lima."
    place = records.filter(pl.col("input") == "de").select(*KEY)
    place.with_columns(
        language=pl.lit("de"), state=pl.lit("compared"), precision=0.5, recall=0.5, ceiling_precision=1.0, ceiling_recall=1.0,
        reference_text=pl.lit(answers["en"]), candidate_text=pl.lit(translated),
    ).write_parquet(home / "pairs.parquet")  # fmt: skip
    claims = [
        ("candidate", 1, "Angola is in Africa.", "supported"), ("candidate", 2, f"The capital is Lima. {HOSTILE}", "not supported"),
        ("reference", 1, "Angola is in Africa.", "supported"), ("reference", 2, "Its capital is Luanda.", None),
    ]  # fmt: skip
    columns = ("side", "number", "claim", "verdict")
    details = pl.DataFrame([dict(zip(columns, one, strict=True)) for one in claims])
    details.join(place, how="cross").with_columns(side_by_side=pl.lit("score"), reason=pl.lit("the judge said nothing")).write_parquet(home / "details.parquet")  # fmt: skip
    sentences = [{"sentence": n, "source": source, "translation": text} for n, (source, text) in enumerate(
        zip(answers["de"].split(". "), translated.split(". "), strict=True))]  # fmt: skip
    pl.DataFrame(sentences).join(place, how="cross").with_columns(
        language=pl.lit("de"), side_by_side=pl.lit("score")
    ).write_parquet(home / "sentences.parquet")
    study = {"study": "translate_then_evaluate", "evaluate": ["information"], "reference": "en"}
    run = with_scores_of(Run(records, None, study), tmp_path)
    with served(OpenRuns.of([("open", run)], [tmp_path])) as site:
        page = site.ask("/question?of_item=q").text
        reference, _, candidate = page.partition('id="claims"')[2].partition("This answer")
        assert "1 of 2 claims" in reference and "1 of 2 claims" in candidate
        assert "no verdict (the judge said nothing)" in reference and "Luanda" in reference
        capital = candidate.partition("The capital is Lima")[2]
        assert "Die Hauptstadt ist Lima" in capital and '<li class="gone">' in capital
        assert "<script>document" not in page
        levels = [int(level) for level in re.findall(r"<h([1-6])", page)]
        assert all(below - above <= 1 for above, below in pairwise(levels)), (
            "no level of headings is left out"
        )
        matrix = site.ask("/items?lost=de").text
        assert "<h1>1 " in matrix and "50.0 %" in matrix and "of at most 100.0 %" in matrix
