"""The packs that ship are complete and hold, and the requests made from them are what the papers sent."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hesperus.answers import read, reader_for
from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.languages import (
    check,
    language,
    languages,
    naturalise_request,
    pack,
    packs,
    paraphrase_request,
    translation_request,
)
from hesperus.languages.wordings import LABELS, TARGETS, pack_files, read_pack

# Told by the text: to read all packs takes half a second, and this file is collected where others run too.
FULL = tuple(tag for tag, file in pack_files().items() if "\nrequests:\n" in file.read_text(encoding="utf-8"))


def test_the_languages_of_both_papers_have_packs() -> None:
    thirty = {tag for tag in languages() if language(tag).paper_family}
    assert len(thirty) == 30
    assert thirty | {"en", "am", "sw"} == set(TARGETS) <= set(FULL)


def test_no_pack_has_a_fault() -> None:
    assert [str(finding) for finding in check()] == []


@pytest.mark.parametrize("tag", packs())
def test_packs_hold_what_every_reader_relies_on(tag: str) -> None:
    words = pack(tag)
    assert words.tag == tag
    assert set(words.groups) == set(LABELS)
    assert len(words.option_letters) >= 8
    assert [int(digit) for digit in words.digits] == list(range(10))
    assert words.latin_letters or words.option_letters[0] not in "AΑА"
    assert set(words.labels["neutral"]) == {
        *words.groups["inference"]["neutral"],
        *words.groups["sentiment"]["neutral"],
    }


@pytest.mark.parametrize(
    ("tag", "yes", "no"),
    [
        ("en", "yes", "no"),
        ("de", "ja", "nein"),
        ("zh", "是", "否"),
        ("fr", "oui", "non"),
        ("es", "sí", "no"),
        ("ja", "はい", "いいえ"),
        ("ko", "예", "아니요"),
        ("th", "ใช่", "ไม่ใช่"),
        ("ar", "نعم", "لا"),
        ("he", "כן", "לא"),
        ("sw", "ndiyo", "hapana"),
    ],
)
def test_template_words_come_first(tag: str, yes: str, no: str) -> None:
    assert (pack(tag).labels["yes"][0], pack(tag).labels["no"][0]) == (yes, no)


def test_the_chinese_no_of_the_paper_is_among_the_words() -> None:
    assert {"否", "不是"} <= set(pack("zh").labels["no"])


@pytest.mark.parametrize(
    ("tag", "served"),
    [
        ("zh", "zh"), ("zh-Hans", "zh"), ("ZH_CN", "zh"), ("zh-SG", "zh"), ("zh-cmn", "zh"),
        ("zh-Hant", "zh-Hant"), ("zh-TW", "zh-Hant"), ("zh-HK", "zh-Hant"), ("zh-MO", "zh-Hant"), ("zh-Hant-TW", "zh-Hant"),
        ("sr", "sr"), ("sr-Cyrl", "sr"), ("sr-RS", "sr"), ("sr-Latn", "sr-Latn"), ("sr-Latn-RS", "sr-Latn"),
        ("sr-ME", "sr-Latn"), ("sh", "sr-Latn"), ("srp_Latn", "sr-Latn"),
        ("pt", "pt"), ("pt_BR", "pt"), ("pt-PT", "pt-PT"), ("pt-AO", "pt-PT"), ("pt-MZ", "pt-PT"),
        ("nb", "nb"), ("no", "nb"), ("nob", "nb"), ("no-NO", "nb"), ("ca-ES", "ca"), ("ekk_Latn", "et"), ("lvs_Latn", "lv"),
        ("iw", "he"), ("fa-AF", "fa"), ("prs", "fa"), ("es-419", "es"), ("de-AT", "de"),
    ],
)  # fmt: skip
def test_a_region_gets_the_nearest_pack_of_its_script(tag: str, served: str) -> None:
    assert pack(tag).tag == served


@pytest.mark.parametrize(
    "tag", ["pa-PK", "pa-Arab", "az-Arab", "az-Cyrl", "uz-AF", "kk-CN", "kk-Latn", "ms-Arab"]
)
def test_a_pack_of_another_script_is_never_used(tag: str) -> None:
    base = tag.split("-")[0]
    why = (
        f"the pack of '{base}' is in {language(base).script}, '{tag}' is in {language(tag).script}"
        if base in packs()
        else ""
    )
    with pytest.raises(UnknownNameError, match=f"{why}.*there are packs for am ar"):
        pack(tag)


@pytest.mark.parametrize("tag", ["cy", "nn", "yue", "yue-Hans", "bs"])
def test_a_near_language_lends_no_pack(tag: str) -> None:
    with pytest.raises(UnknownNameError, match=f"unknown language pack: '{tag}'"):
        pack(tag)


def test_requests_of_the_paper_are_exact() -> None:
    """Ohmer, Bruni and Hupkes 2023, appendix C, with the straight quotation marks of the release."""
    assert translation_request("en", "de", "X") == 'Please translate the following text into German: "X"'
    assert translation_request("en", "zh_CN", "X") == 'Please translate the following text into Chinese: "X"'
    assert translation_request("de", "en", "X") == 'Bitte übersetze den folgenden Text ins Englische: "X"'
    assert translation_request("zho_Hans", "eng", "X") == '请将下面的文字翻译成英语: "X"'


@pytest.mark.parametrize("source", FULL)
def test_every_pair_of_languages_renders(source: str) -> None:
    text = "⟨{text} {target} {language} \\1 %s⟩"
    rendered = {target: translation_request(source, target, text) for target in TARGETS}
    assert len(set(rendered.values())) == len(TARGETS)
    for target, request in rendered.items():
        assert request.count(f'"{text}"') == 1
        assert pack(source).targets[target] in request
        around = request.replace(text, "")
        assert "{" not in around
        assert "}" not in around


@pytest.mark.parametrize("source", FULL)
def test_a_target_without_a_form_is_named_all_the_same(source: str) -> None:
    request = translation_request(source, "cym_Latn", "X")
    assert request.count("Welsh") == 1
    assert request.count('"X"') == 1
    named = pack(source).targets.get("zh-Hant", "Chinese (Traditional)")
    assert named in translation_request(source, "zh-Hant", "X")
    assert named not in translation_request(source, "zh", "X")


@settings(max_examples=60, derandomize=True, deadline=None)
@given(st.sampled_from(FULL), st.text(max_size=40))
def test_the_text_stands_in_a_request_as_it_is(tag: str, text: str) -> None:
    for make in (paraphrase_request, naturalise_request):
        before, _, after = make(tag, "\0").partition("\0")
        assert make(tag, text) == before + text + after
        assert before.endswith('"')
        assert after.startswith('"')


def test_requests_in_a_language_without_a_pack_are_refused() -> None:
    for make in (paraphrase_request, naturalise_request):
        with pytest.raises(UnknownNameError, match="unknown language pack: 'cy'"):
            make("cy", "X")
    with pytest.raises(UnknownNameError, match="unknown language pack"):
        translation_request("cy", "en", "X")
    with pytest.raises(UnknownNameError, match="unknown language: 'klingonish'"):
        translation_request("en", "klingonish", "X")


def test_a_pack_that_reads_answers_only_asks_nothing() -> None:
    assert not pack("is").can_ask
    for ask in (
        lambda: paraphrase_request("is", "X"),
        lambda: naturalise_request("is-IS", "X"),
        lambda: translation_request("is", "en", "X"),
    ):
        with pytest.raises(UsageError) as caught:
            ask()
        said = str(caught.value)
        assert (
            "the language pack 'is' reads answers only: its file lacks the keys 'requests' and 'targets'"
            in said
        )
        assert "Start from texts in another language" in said
        assert "add both keys to the pack" in said


def test_each_chinese_asks_for_the_script_that_is_wanted() -> None:
    assert translation_request("zh-TW", "en", "X") == '請將下面的文字翻譯成英文："X"'
    assert "簡體中文" in translation_request("zh-TW", "zh-CN", "X")
    assert "português do Brasil" in translation_request("pt-PT", "pt-BR", "X")


@pytest.mark.parametrize(
    ("tag", "words", "reply", "label"),
    [
        ("zh-TW", ("正確", "錯誤"), "正确", "true"), ("zh-Hant", ("正確", "錯誤"), "答案是错误。", "false"),
        ("zh", ("正确", "错误"), "正確。", "true"), ("zh", ("正确", "错误"), "答案是錯誤。", "false"),
    ],
)  # fmt: skip
def test_an_answer_in_the_other_chinese_script_is_read(
    tag: str, words: tuple[str, str], reply: str, label: str
) -> None:
    reader = reader_for("label", tag, answers={"true": words[:1], "false": words[1:]})
    assert read(reader, reply).label == label


def test_packs_are_in_the_script_that_their_language_is_said_to_have() -> None:
    assert {language(tag).script for tag in packs()} >= {
        "Arab", "Beng", "Cyrl", "Deva", "Ethi", "Grek", "Gujr", "Guru", "Hans", "Hebr", "Jpan", "Knda", "Kore",
        "Latn", "Mlym", "Taml", "Telu", "Thai",
    }  # fmt: skip


def test_a_pack_of_ones_own_is_read(tmp_path: Path) -> None:
    file = tmp_path / "eu.yaml"
    text = pack_files()["es"].read_text(encoding="utf-8")
    file.write_text(
        text.replace("tag: es", "tag: eu").replace("  zh: chino", "  zh: chino\n  eu: vasco"),
        encoding="utf-8",
    )
    assert read_pack(file).tag == "eu"
    assert read_pack(file).targets["eu"] == "vasco"
    assert check(file) == ()


def test_an_incomplete_pack_is_no_pack(tmp_path: Path) -> None:
    file = tmp_path / "es.yaml"
    lines = pack_files()["es"].read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if not line.startswith(("    no: [no, ", "or_words:"))]
    file.write_text("\n".join(kept), encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_pack(file)
    assert (
        str(caught.value)
        == f"{file}, line 1, field 'or_words': missing (and 1 more: `hesperus languages check`)"
    )


def test_unreadable_files_are_named(tmp_path: Path) -> None:
    file = tmp_path / "es.yaml"
    for reader in (read_pack, check):
        with pytest.raises(UsageError, match="cannot read the language pack .*es.yaml"):
            reader(file)
    file.write_bytes(b"tag: es\xff")
    with pytest.raises(DataError, match="line 1: is not UTF-8"):
        read_pack(file)


@pytest.mark.parametrize(
    ("tag", "similar"),
    [("az", "Oxşar."), ("ka", "მსგავსი."), ("kk", "Ұқсас."), ("uz", "Oʻxshash."), ("uz-Cyrl", "Ўхшаш.")],
)
def test_what_is_similar_is_not_said_to_be_the_same(tag: str, similar: str) -> None:
    words = pack(tag).labels
    reader = reader_for("label", tag, answers={name: words[name][:1] for name in ("same", "different")})
    assert read(reader, similar).label is None
    assert read(reader, f"{words['same'][1].capitalize()}.").label == "same"
