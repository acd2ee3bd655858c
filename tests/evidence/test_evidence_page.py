"""A page holds the numbers that it claims, and they are made again from its run or from a bundle."""

from __future__ import annotations

import json
import random
import re
import shutil
from pathlib import Path

import polars as pl
import pytest
from forgery import FEW, MakeBundle

import hesperus as hs
from command_line import hesperus
from hesperus.api.bundling import claimed
from hesperus.api.pages import page_claims_of, page_of
from hesperus.errors import DataError, UsageError
from hesperus.evidence.claims import differences
from hesperus.evidence.page import PageClaims, page_claims
from hesperus.evidence.shown import Shown, shown_on
from hesperus.packed_text import packed, unpacked
from hesperus.records import Run, conform, write_run
from hesperus.reports.html_page import html

STUDIES = ("multisense", "similarity", "open_answers", "tax")
MAIN = {
    "multisense": "consistency",
    "similarity": "means",
    "open_answers": "scores",
    "tax": "back_translation",
}


@pytest.fixture(scope="module")
def tax(demo_runs: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's audit with a page of few resamples, which is soon made again; change a copy."""
    run = tmp_path_factory.mktemp("audit") / "run"
    shutil.copytree(demo_runs["tax"], run)
    hs.report(run, resamples=20)
    return run


@pytest.mark.parametrize("study", STUDIES)
def test_the_page_of_a_study_is_verified_by_its_run(study: str, demo_runs: dict[str, Path]) -> None:
    page = demo_runs[study] / "report.html"
    claims, changed = page_claims(page)
    assert {"summary", MAIN[study]} <= set(claims.tables) and not changed
    found = hs.verify(page)
    assert found.passed, found.differences[:5]
    assert found.numbers > 300
    line = str(claims.tables["summary"]["signature"]["short"])  # type: ignore[index, call-overload]
    shown = page.read_text(encoding="utf-8").rpartition("<footer>")[2]
    assert f"Signature: <code>{line}</code>" in shown
    assert hs.verify(demo_runs[study], signature=line).passed


def test_a_page_claims_the_tables_that_it_shows(demo_runs: dict[str, Path]) -> None:
    claims, _ = page_claims(demo_runs["multisense"] / "report.html")
    assert list(claims.tables) == ["summary", "consistency", "decomposition"]


def test_a_page_elsewhere_is_verified_by_a_bundle(
    demo_runs: dict[str, Path], tax: Path, bundled: MakeBundle, tmp_path: Path
) -> None:
    page = shutil.copy(tax / "report.html", tmp_path / "page.html")
    bundle = bundled("tax", **FEW)
    assert hs.verify(page, run=bundle.path, id=bundle.id).passed
    other = hs.verify(page, run=demo_runs["similarity"])
    assert not other.passed
    with pytest.raises(UsageError, match="not a run folder"):
        hs.verify(page)
    with pytest.raises(UsageError, match="is no page"):
        hs.verify(bundle.path, run=demo_runs["tax"])


def test_a_bundle_of_hashes_says_what_it_cannot_make_again(tmp_path: Path) -> None:
    """Answers that are texts are no labels; their hashes look like some."""
    rows = [
        {"model": "m", "task": "mine", "item": f"q{n}", "instruction": tag, "input": tag, "outcome": "answered",
         "answer": f"A long answer in {tag} to question {n}, which nobody gives in the same words."}
        for n in range(6) for tag in ("en", "de")
    ]  # fmt: skip
    run = tmp_path / "run"
    write_run(Run(conform(pl.DataFrame(rows))), run)
    page = hs.report(run, resamples=10)
    made = hs.bundle(run, out=tmp_path / "made.zip", texts="hash")
    assert hs.verify(page).passed
    with pytest.raises(DataError, match="summary: it reads texts.*give the run folder"):
        hs.verify(page, run=made.path)


def test_a_changed_number_or_record_is_named(tax: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(tax, run)
    page = run / "report.html"
    text = page.read_text(encoding="utf-8")
    block = re.search(r'<template id="hesperus-numbers">(.*?)</template>', text)
    assert block is not None
    forged = re.sub(r'"value":0\.\d+,', '"value":0.123456,', unpacked(block[1]), count=1)
    page.write_text(text.replace(block[1], packed(forged)), encoding="utf-8")
    found = hs.verify(page)
    assert [(one.column, one.claimed) for one in found.differences] == [("value", 0.123456)]

    page.write_text(text, encoding="utf-8")
    records = pl.read_parquet(run / "records.parquet")
    flipped = pl.when(pl.col("answer") == "A").then(pl.lit("B")).otherwise(pl.col("answer"))
    records.with_columns(flipped.alias("answer")).write_parquet(
        run / "records.parquet", metadata={"hesperus.records": "2"}
    )
    assert not hs.verify(page).passed


def block_of(tables: dict[str, object], settings: dict[str, object]) -> str:
    page = PageClaims(tables, settings, "0").written_on("<html><body></body></html>")  # type: ignore[arg-type]
    return page.removeprefix("<html><body>").removesuffix("</body></html>")


def template_of(text: str) -> str:
    return f'<template id="hesperus-numbers">{packed(text)}</template>'


def test_no_mark_up_stands_in_the_block() -> None:
    row = {"label": "</template><script>alert(1)</script>&\u202e", "value": 0.5}
    block = block_of({"summary": {"rows": [row]}}, {})
    inner = block.removeprefix('<template id="hesperus-numbers">').removesuffix("</template>")
    assert not re.search("[<>&]", inner) and inner.isascii()
    assert json.loads(unpacked(inner))["tables"]["summary"]["rows"] == [row]


KINDS = [
    re.compile(kind, re.DOTALL)
    for kind in (
        r"<t[dh]\b[^>]*>([^<]*)", r'\bdata-(?:value|low|high)="([^"]*)"', r"<(?:p|li|dd|caption|figcaption)\b[^>]*>([^<]*)",
        r"<h\d[^>]*>([^<]*)", r"<svg\b[^>]*>(.*?)</svg>", r"<title>([^<]*)", r'\b(?:aria-label|title)="([^"]*)"',
        r'<script type="text/plain"[^>]*>([^<]*)', r"<code>([^<]*)",
    )
]  # fmt: skip
"""Where digits are on a page."""


@pytest.mark.parametrize("study", STUDIES)
def test_a_digit_changed_anywhere_on_a_page_is_caught(study: str, demo_runs: dict[str, Path]) -> None:
    """In a cell, a sentence, a figure or what a tooltip says, but for links: the block is left as it was.

    One of each kind, and some wherever they are, which is mostly in figures and in what is packed.
    """
    text = (demo_runs[study] / "report.html").read_text(encoding="utf-8")
    before, mark, block = text.rpartition('<template id="hesperus-numbers">')
    intact, start = shown_on(before), before.index("<h1>")
    passed = [
        found.span()
        for found in re.finditer(
            r'(?:tabindex|data-leads|data-under)="[^"]*"|<code class="step">.*?</code>|</?h\d|<script>.*',
            before,
            re.DOTALL,
        )
    ]
    digits = {found.start() + start for found in re.finditer(r"\d", before[start:])}
    digits -= {place for first, last in passed for place in range(first, last)}
    draw = random.Random(4)
    places = draw.sample(sorted(digits), 4)
    for kind in KINDS:
        of_kind = {
            place
            for found in kind.finditer(before, start)
            for place in range(*found.span(1))
            if place in digits
        }
        places += draw.sample(sorted(of_kind), min(1, len(of_kind)))
    assert len(places) >= 4 + len(KINDS) - 2
    for place in places:
        other = str((int(before[place]) + 1) % 10)
        changed = seen(before[:place] + other + before[place + 1 :])
        assert changed != intact, before[place - 40 : place + 10]


def seen(page: str) -> Shown | None:
    """What a page shows; None if something packed in it is broken."""
    try:
        return shown_on(page)
    except DataError:
        return None


def test_a_printed_number_that_was_changed_is_named(tax: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(tax, run)
    page = run / "report.html"
    text = page.read_text(encoding="utf-8")
    cell = re.search(r'(<td class="n" data-value="[0-9.]+"[^>]*>)(\d+\.\d)', text)
    assert cell is not None
    page.write_text(text.replace(cell[0], f"{cell[1]}12.3", 1), encoding="utf-8")
    found = hs.verify(page)
    assert {(one.claimed.split()[0], one.found.split()[0]) for one in found.differences} == {
        ("12.3", cell[2])
    }  # type: ignore[union-attr]
    assert all(one.place.startswith("the table “") and one.column.endswith("%") for one in found.differences)


def test_whoever_writes_a_false_page_with_fitting_claims_is_held_to_the_run(
    tax: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    shutil.copytree(tax, run)
    page = run / "report.html"
    claims, _ = page_claims(page)
    bare = re.sub(
        r"<p>Signature:.*?</details>|<template id=.*?</template>", "", page.read_text(encoding="utf-8")
    )
    page.write_text(claims.written_on(bare), encoding="utf-8", newline="\n")
    assert hs.verify(page).passed
    page.write_text(claims.written_on(bare.replace("100.0", "99.0", 1)), encoding="utf-8", newline="\n")
    assert not page_claims(page)[1]
    assert not hs.verify(page).passed


def test_pages_of_other_commands_are_held_to_what_they_were_written_with(
    demo_runs: dict[str, Path], tmp_path: Path
) -> None:
    tax, replies = tmp_path / "tax.html", tmp_path / "evaluated.html"
    given = ["--resamples", "30", "--min-valid", "0.5", "--out", str(tax)]
    assert hesperus("report", demo_runs["tax"], *given).returncode == 0
    found = hs.verify(tax, run=demo_runs["tax"])
    assert found.passed and found.numbers > 300 and "only its main tables" in found.notes[0]
    hs.evaluate(
        "length", demo_runs["open_answers"], models=["pocket/s"], resamples=0, store=tmp_path / "a", translations=tmp_path / "b"
    ).report(replies)  # fmt: skip
    assert "it claims no table" in str(hs.verify(replies))
    assert "Signature: <code>hesperus|scores|" in replies.read_text(encoding="utf-8")
    for page in (tax, replies):
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace("of 12 ", "of 13 ", 1).replace("[", "[1", 1), encoding="utf-8")
        assert not hs.verify(page, run=demo_runs["tax"]).passed


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ("", "no numbers"),
        (block_of({}, {}) * 2, "more than once"),
        ('<template id="hesperus-numbers">{</template>', "cannot be read"),
        (template_of("[]"), "not of version"),
        (template_of('{"page": 2, "tables": 3}'), "no tables"),
        (
            template_of('{"page": 2, "tables": {}, "settings": {}}'),
            "tables, texts and figures",
        ),
        (block_of({}, {}) + "<b" * 300_000, "broken in line 1"),
        (block_of({"plan": {"rows": []}}, {}), "none of: 'plan'"),
        (block_of({}, {"by": "x"}), "none of: 'by'"),
        (block_of({}, {"resamples": 10**12}), "whole number up to"),
    ],
)
def test_a_page_that_claims_nothing_readable_is_refused(block: str, said: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(f"<html><body>{block}</body></html>", encoding="utf-8")
    with pytest.raises(DataError, match=said):
        hs.verify(page)


def test_the_command(tax: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    shutil.copy(tax / "report.html", page)
    well = hesperus("verify", page, "--run", tax)
    assert (well.returncode, well.stdout.startswith("verified: ")) == (0, True)
    alone = hesperus("verify", page)
    assert alone.returncode == 2


def test_a_page_that_is_large_by_its_figures_is_verified_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It packs rows, which it would not without them; figures are drawn again only then."""
    write_run(Run(conform(labelled()), study={"study": "similarity", "task": "t"}), tmp_path / "run")
    blocks = hs.open_run(tmp_path / "run").page(resamples=0).page
    sizes = [len(html(blocks, drawn=drawn).encode()) for drawn in (False, True)]
    monkeypatch.setattr("hesperus.reports.html_page._LARGE", sum(sizes) // 2)
    monkeypatch.setattr("hesperus.reports.html_page._MOST_ROWS", 1)
    page = hs.report(tmp_path / "run", resamples=0)
    assert 'class="rows"' in page.read_text(encoding="utf-8")
    assert hs.verify(page).passed
    shown = [shown_on(html(blocks, drawn=drawn)) for drawn in (True, False)]
    assert shown[0].tables == shown[1].tables and shown[0].figures and not shown[1].figures


ANSWERS = {"m": ("ABCABD", "ABCABA"), "n": ("ABDABC", "ABDACC")}
"""Of two models in two languages, to six questions."""


def labelled(**more: str) -> pl.DataFrame:
    """Two models and two languages; further columns as they are given."""
    rows = [
        {"model": model, "task": "t", "item": f"q{n}", "instruction": tag, "input": tag, "answer": answer, "gold": "ABCABC"[n],
         "options": list("ABCD"), "subject": "even" if n % 2 == 0 else "odd"}
        for model, told in ANSWERS.items() for tag, answers in zip(("en", "de"), told, strict=True)
        for n, answer in enumerate(answers)
    ]  # fmt: skip
    return pl.DataFrame(rows).with_columns(pl.lit(value).alias(name) for name, value in more.items())


SEVERAL = pl.concat([labelled(), labelled(task="other")])
COMPARED: dict[str, tuple[pl.DataFrame, dict[str, object]]] = {
    "plain": (labelled(), {}),
    "by group": (labelled(), {"comparison": {"by": "subject"}}),
    "mean of groups": (labelled(), {"comparison": {"macro": "subject"}}),
    "two tasks": (SEVERAL, {}),
    "no gold": (labelled().with_columns(gold=pl.lit(None, pl.String)), {}),
}


@pytest.mark.parametrize("kind", COMPARED)
def test_what_a_page_has_measured_is_what_measure_gives(kind: str, tmp_path: Path) -> None:
    """A page claims its tables as they are, and `verify` makes them again by `measure`."""
    records, study = COMPARED[kind]
    run = tmp_path / "run"
    write_run(Run(conform(records), study={"study": "similarity", "task": "t", **study}), run)
    page = page_of([run], resamples=20, seed=3)
    claims = page_claims_of(run, page.found, page.given)
    again, absent = claimed(run, claims.settings, list(claims.tables))
    assert not absent and list(differences(claims.tables, again)) == []
    assert set(claims.tables) == {"summary", *(() if kind == "two tasks" else ("means", "contrasts"))}
