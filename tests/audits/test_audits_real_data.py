"""Public benchmarks, read in place: what the audit says of them, looked at by people."""

from __future__ import annotations

from pathlib import Path

import pytest

from hesperus.audits import Audit, audit_items, file_items


def audited(path: Path, *languages: str, **roles: str) -> Audit:
    material = file_items([path], languages, roles=roles)
    return audit_items(material.items, contract=material.contract, known=material.known)


def found(audit: Audit, kind: str, tag: str) -> set[str]:
    return {finding.item for finding in audit.findings if finding.kind == kind and tag in finding.languages}


def test_xcopa_is_clean(shared_data: Path) -> None:
    audit = audited(shared_data / "parallel_benchmarks" / "xcopa_test_11lang.jsonl.gz")
    assert (audit.items, len(audit.languages), audit.findings) == (500, 11, ())


def test_mgsm_lost_a_condition_in_japanese(shared_data: Path) -> None:
    audit = audited(shared_data / "parallel_benchmarks" / "mgsm_11lang.jsonl.gz")
    assert audit.of("exclude") == ()
    # 139: "22 more than four times" became "four times"; 249: "4 times as many" became "as many".
    assert {"139", "249"} <= found(audit, "number_changed", "ja") | found(audit, "number_lost", "ja")
    assert len(audit.findings) <= 8


def test_xquad_has_text_in_a_wrong_encoding(shared_data: Path) -> None:
    folder = shared_data / "parallel_benchmarks"
    assert found(audited(folder / "xquad_subset_12lang_contexts.jsonl.gz"), "damaged", "tr") == {
        "14",
        "15",
        "17",
    }
    questions = audited(folder / "xquad_subset_12lang_questions.jsonl.gz", "en", "ru", "th")
    assert "56f8094aa6d7ea1400e17395" in found(questions, "untranslated", "th")


def test_bambara_of_sib_200_holds_kikuyu(shared_data: Path) -> None:
    path = shared_data / "parallel_benchmarks" / "sib200_test_all_languages.jsonl.gz"
    audit = audited(path, "en", "bm", "ki", "dyu", "sw", "yo", "zh")
    same = {f.item for f in audit.findings if f.kind == "untranslated" and f.languages == ("bm", "ki")}
    assert {"38", "39"} <= same
    assert {"38", "284", "1149"} <= found(audit, "language", "bm")
    assert {finding.languages[0] for finding in audit.of("exclude")} == {"bm"}


def test_exams_are_known_to_be_sparse(shared_data: Path) -> None:
    path = shared_data / "parallel_benchmarks" / "exams_parallel_3plus_languages.jsonl.gz"
    material = file_items([path])
    assert material.notes in ((), ("'North Macedonian' is no known language: 49 rows were skipped",))
    audit = audit_items(material.items)
    assert {finding.kind for finding in audit.of("exclude")} >= {"missing"}


@pytest.mark.parametrize("name", ["belebele", "winogrande", "mmlu"])
def test_african_benchmarks(shared_data: Path, name: str) -> None:
    folder = shared_data / "idm_african_mcq_outputs"
    if name == "belebele":
        audit = audited(folder / "belebele_first300_12lang.jsonl.gz")
        assert audit.of("exclude") == ()
        assert "53" in found(audit, "answer_leak", "bm")
        assert "9" in found(audit, "repeated_option", "sn")
    elif name == "winogrande":
        audit = audited(folder / "winogrande_first300_12lang.jsonl.gz", "en", "zu", "xh")
        # Twin sentences whose deciding word the translation lost: one text, two golds.
        assert "30P8I9JKOKZ0Z2PP3VHNCTI3OZ4V5G-1" in found(audit, "duplicate_text", "zu")
        assert found(audit, "answer_leak", "zu") == set()
    else:
        audit = audited(folder / "mmlu_medical_12lang.jsonl.gz", "en", "st", "sn", task="item", row="item")
        assert "mmlu-clinical_knowledge/243" in found(audit, "language", "st")
        assert "mmlu-clinical_knowledge/7" in found(audit, "repeated_option", "sn")
