"""Replies derived from a pack find the faults of its grammar: one planted fault of each kind, which must be named."""

from __future__ import annotations

from pathlib import Path

import pytest

from hesperus.answers.probes import false_answers
from hesperus.languages import check, pack, packs
from planted_pack import planted

PLANTED = [
    # language, what stands there, what is planted, key of the finding, the probe and what is read
    ("de", "negators: [nicht,", 'negators: [nicht, "von wegen, das ist",', "grammar.negators", "'von wegen, das ist wahr.' as a label reply is read as 'true' (rule sole); it means false"),
    ("th", "negators: [ไม่, ", "negators: [", "grammar.negators", "'ไม่เป็นจริง.' as a label reply is read as 'true' (rule sole); it means false"),
    ("ru", "conditions: [если, ли,", 'conditions: [если, ли, "когда: всегда",', "grammar.conditions", "'когда: всегда ложь.' as a label reply is read as 'false' (rule sole); it means no answer"),
    ("de", "wrong: [", "wrong: [da ist nichts dran, ", "grammar.wrong", "'Option A da ist nichts dran.' as a choice reply is read as 'A'"),
    ("de", "excludes: [", 'excludes: ["raus.", ', "grammar.excludes", "'raus. Option A.' as a choice reply is read as 'A'"),
    ("fr", "regrets: [", 'regrets: ["-- zut", ', "grammar.regrets", "'-- zut, ….' as a text reply is read as 'zut' (rule own words)"),
    ("de", "or_words: [oder,", 'or_words: [oder, ".",', "or_words", "'Option B . C.' as a choice reply is read as"),
    ("de", "joins: [und, sowie, dann, danach, als auch, wie auch]", 'joins: [und, sowie, dann, danach, als auch, wie auch, "."]', "grammar.joins", "'Option B . C.' as a choice reply is read as"),
    ("en", '  - "cannot answer"', '  - "cannot; the answer is no"', "refusals", "'cannot; the answer is no.' as a label reply is read as 'no' (rule cue); it means no answer"),
    ("en", '  - "cannot answer"', '  - "cannot. … answer"', "refusals", "it is one of the pack's own"),
    ("fa", "endings: [است,", "endings: [است, ست,", "grammar.apostrophe", "\"A'است.\" as a choice reply is read as 'A' (rule sole); it means no answer"),
    ("fa", "spellings: [", 'spellings: [["ج", "ب"], ', "option_letters", "'ج' as a choice reply is read as 'B' (rule exact); it means C"),
    ("fa", "letter_names: [[ا], [ب]", "letter_names: [[ا], [ب, بلکه]", "grammar.but", "'بلکه.' as a choice reply is read as 'B' (rule exact); it means no answer"),
    ("de", 'Mio: "1000000"', 'Mio: "1000000", MIO: "1000"', "grammar.magnitudes", "'3Mio.' as a number reply is read as '3000' (rule last number); it means 3000000"),
]  # fmt: skip


@pytest.mark.parametrize("tag", packs())
def test_no_reply_derived_from_a_pack_is_read_as_a_false_answer(tag: str) -> None:
    assert list(false_answers(pack(tag))) == []


@pytest.mark.parametrize(("tag", "old", "new", "key", "message"), PLANTED)
def test_a_false_answer_is_named_with_its_pack_probe_and_reading(
    tag: str, old: str, new: str, key: str, message: str, tmp_path: Path
) -> None:
    findings = check(planted(tmp_path, tag, old, new), probe=false_answers)
    found = [
        finding for finding in findings if finding.key.split("[")[0] == key and message in finding.message
    ]
    assert found, [str(finding) for finding in findings]
    text = (tmp_path / f"{tag}.yaml").read_text(encoding="utf-8").splitlines()
    name = key.rpartition(".")[2]
    assert found[0].language == tag
    assert name in text[found[0].line - 1] or name in ("refusals", "apostrophe")


def test_a_pack_whose_shape_is_wrong_is_not_probed(tmp_path: Path) -> None:
    file = planted(
        tmp_path,
        "de",
        "no: [nein, nee, nicht wirklich, nicht ganz, keineswegs, keinesfalls, auf keinen Fall, natürlich nicht]",
        "no: [ja]",
    )
    (finding,) = check(file, probe=false_answers)
    assert finding.key == "labels.polarity.no"
