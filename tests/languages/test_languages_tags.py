"""Tags in every style become one, and what is known of a language is right."""

from __future__ import annotations

import csv
import gzip
import json
import subprocess
import sys
from pathlib import Path

import langcodes
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hesperus.errors import UnknownNameError
from hesperus.languages import language, languages, normalise

STYLES = {
    "iw": "he", "in": "id", "ji": "yi", "mo": "ro", "sh": "sr-Latn", "tl": "fil", "no": "no", "nob": "nb",
    "ZH_CN": "zh-CN", "zh-Hant": "zh-Hant", "zh-Hant-TW": "zh-TW", "zh-Hans-CN": "zh-CN", "zh-cmn": "zh",
    "zho_Hans": "zh", "zho_Hant": "zh-Hant", "zho_Hani": "zh", "cmn_Hans": "zh", "yue_Hant": "yue",
    "swh_Latn": "sw", "kor_Hang": "ko", "jpn_Jpan": "ja", "arb_Arab": "ar", "arb_Latn": "ar-Latn", "pes_Arab": "fa",
    "prs_Arab": "fa-AF", "srp_Cyrl": "sr", "sr_Latn": "sr-Latn", "kas_Deva": "ks-Deva", "pan_Guru": "pa",
    "pbt_Arab": "ps", "arz_Arab": "arz", "twi_Latn": "tw", "fat": "fat", "pt_BR": "pt-BR", "de_DE.UTF-8": "de-DE",
    "ca_ES@valencia": "ca-ES", "eng": "en", "FA": "fa", " fr ": "fr", "AR_XY": "ar-XY", "ES_LA": "es-419",
    "en-Latn-US": "en-US", "de-1901": "de-1901", "aab": "aab",
    "German": "de", "german": "de", "Deutsch": "de", "日本語": "ja", "Chinese (Simplified)": "zh",
    "Chinese (Traditional)": "zh-Hant", "traditional_chinese": "zh-Hant", "Portuguese (Brazil)": "pt-BR",
    "Brazilian Portuguese": "pt-BR", "Kashmiri (Arabic)": "ks", "Farsi": "fa", "Tagalog": "fil", "norsk": "no",
}  # fmt: skip


@pytest.mark.parametrize(("given_tag", "expected"), STYLES.items())
def test_every_style_has_one_spelling(given_tag: str, expected: str) -> None:
    assert normalise(given_tag) == expected
    assert normalise(expected) == expected
    assert language(given_tag).tag == expected


def test_names_of_known_languages_lead_back_to_them() -> None:
    for tag in languages():
        assert normalise(tag) == tag
        found = language(tag)
        assert found.tag == tag
        assert found.name
        assert found.autonym
        assert found.family
        assert found.branch
        assert len(found.script) == 4
        assert normalise(found.name) == tag


def test_an_english_name_is_never_the_code_of_another_language() -> None:
    """Names are tried before codes, so a short name must not hide a code."""
    for tag in languages():
        name = language(tag).name.casefold()
        if len(name) <= 3 and langcodes.tag_is_valid(name):
            assert langcodes.Language.get(name).to_alpha3() == langcodes.Language.get(tag).to_alpha3()


SUBTAGS = st.sampled_from(
    [*languages(), "zho", "arb", "cmn", "swh", "iw", "eng", "aab", "sh", "prs", "xyz", "q"]
)
SCRIPTS = st.sampled_from(["", "Latn", "Hans", "hant", "ARAB", "Hang", "Hani", "Deva", "Cyrl"])
REGIONS = st.sampled_from(["", "CN", "tw", "BR", "419", "XY", "US", "LA"])


@settings(max_examples=300, derandomize=True, deadline=None)
@given(SUBTAGS, SCRIPTS, REGIONS, st.sampled_from("-_"))
def test_normalising_twice_changes_nothing(base: str, script: str, region: str, joint: str) -> None:
    try:
        once = normalise(joint.join(filter(None, (base, script, region))))
    except UnknownNameError:
        return
    assert normalise(once) == once
    assert normalise(once.upper().replace("-", "_")) == once
    assert language(once).tag == once


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.text(max_size=20))
def test_nonsense_gives_a_tag_or_an_error_of_ours(text: str) -> None:
    try:
        assert normalise(normalise(text)) == normalise(text)
    except UnknownNameError as error:
        assert "unknown language" in str(error)


def test_flores_codes_stay_apart_and_are_known(shared_data: Path) -> None:
    with gzip.open(shared_data / "parallel_benchmarks" / "sib200_test_all_languages.jsonl.gz", "rt") as lines:
        codes = sorted(json.loads(next(lines))["text"])
    tags = {code: normalise(code) for code in codes}
    assert len(codes) > 190
    assert len(set(tags.values())) == len(codes)
    for code, tag in tags.items():
        found = language(tag)
        assert found.family
        assert found.name != tag
        expected = {"Hang": "Kore"}.get(code[4:], code[4:])
        assert found.script == expected, code


def test_families_are_those_of_glottolog(shared_data: Path) -> None:
    source = shared_data / "language_metadata" / "glottolog_iso639_3_family.csv.gz"
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        families = {row["iso639_3"]: row["family"] for row in csv.DictReader(lines)}
    # N'Ko is a written standard of Manding, which Glottolog keeps among artificial languages.
    families["nqo"] = families["bam"]
    for tag in languages():
        found = language(tag)
        assert families[str(found.iso639_3)] == found.family, tag


def test_the_papers_thirty_languages_are_grouped_as_printed() -> None:
    grouped = [language(tag) for tag in languages() if language(tag).paper_family]
    assert len(grouped) == 30
    assert language("iw").paper_family == "Other"
    assert language("de").paper_family == "Romance"
    assert language("de").branch == "Germanic"
    assert language("fa").paper_family == "Indo-Aryan"
    assert language("fa").branch == "Iranian"
    assert sorted(found.tag for found in grouped if found.paper_script == "Perso-Arabic") == [
        "ar",
        "fa",
        "ur",
    ]
    assert language("en").paper_family is None


@pytest.mark.parametrize(
    ("tag", "name", "script", "direction"),
    [
        ("zh-TW", "Chinese (Taiwan)", "Hant", "ltr"),
        ("zh-Hant", "Chinese (Traditional)", "Hant", "ltr"),
        ("pa", "Punjabi", "Guru", "ltr"),
        ("pa-PK", "Punjabi (Pakistan)", "Arab", "rtl"),
        ("ks-Deva", "Kashmiri (Devanagari)", "Deva", "ltr"),
        ("ar-XY", "Arabic (XY)", "Arab", "rtl"),
        ("he", "Hebrew", "Hebr", "rtl"),
        ("dv", "Divehi", "Thaa", "rtl"),
        ("am", "Amharic", "Ethi", "ltr"),
        ("acm", "Mesopotamian Arabic", "Arab", "rtl"),
        ("pnb", "Western Punjabi", "Arab", "rtl"),
        ("lah", "Lahnda", "Arab", "rtl"),
        ("afb", "Gulf Arabic", "Arab", "rtl"),
        ("hbo", "Ancient Hebrew", "Hebr", "rtl"),
        ("ur-Aran", "Urdu", "Arab", "rtl"),
        ("fa_Aran", "Persian", "Arab", "rtl"),
        ("fa-AF", "Dari", "Arab", "rtl"),
        ("ff-Adlm", "Fula (Adlm)", "Adlm", "rtl"),
        ("tok", "Toki Pona", "Latn", "ltr"),
        ("lzh", "Literary Chinese", "Hans", "ltr"),
    ],
)
def test_script_and_direction(tag: str, name: str, script: str, direction: str) -> None:
    found = language(tag)
    assert (found.name, found.script, found.direction) == (name, script, direction)


@pytest.mark.parametrize(
    ("tag", "autonym"),
    [
        ("zh", "中文"), ("zh-CN", "中文"), ("zh-TW", "繁體中文"), ("zh-Hant", "繁體中文"), ("sr-Latn", "srpski"),
        ("sr-ME", "srpski"), ("sr-RS", "српски"), ("pa-PK", "پنجابی"), ("fa-AF", "دری"), ("prs_Arab", "دری"),
        ("kas_Deva", "कॉशुर"), ("uz-AF", "اوزبیک"), ("shn", "ၵႂၢမ်းတႆး"), ("de-AT", "Deutsch"), ("hi-Latn", "hi-Latn"),
    ],
)  # fmt: skip
def test_the_autonym_is_in_the_script_of_the_tag(tag: str, autonym: str) -> None:
    assert language(tag).autonym == autonym


def test_members_by_which_a_row_was_looked_up_lead_to_it() -> None:
    for tag in languages():
        found = language(str(language(tag).iso639_3))
        assert found.tag in languages(), (tag, found.tag)
        assert found.family == language(tag).family
    for member, tag in {"quz": "qu", "fuc": "ff", "crk": "cr", "esi": "ik", "mww": "hmn"}.items():
        assert normalise(member) == tag
    assert (normalise("quy"), normalise("fuv")) == ("quy", "fuv")


MISSING_BEFORE = (
    "pnb lah skr bal arq afb apd acx ayl shu zgh rif hmn mww gsw nds bar sco hak gan cdo lzh rom tok haz mzn glk bcl pam "
    "hil mad hbo"
)


@pytest.mark.parametrize("tag", MISSING_BEFORE.split())
def test_languages_of_benchmarks_and_wide_use_are_known(tag: str) -> None:
    found = language(tag)
    assert found.tag in languages()
    assert found.name != tag
    assert found.script != "Zzzz"
    right_to_left = [
        "pnb",
        "lah",
        "skr",
        "bal",
        "arq",
        "afb",
        "apd",
        "acx",
        "ayl",
        "shu",
        "haz",
        "mzn",
        "glk",
        "hbo",
    ]
    assert found.direction == ("rtl" if tag in right_to_left else "ltr")


def test_nko_is_no_artificial_language() -> None:
    assert language("nqo").family == "Mande"
    assert language("tok").family == "Artificial Language"


def test_of_a_registered_language_outside_the_table_little_is_said() -> None:
    found = language("aab")
    assert (found.name, found.autonym, found.script, found.family, found.branch) == (
        "aab",
        "aab",
        "Zzzz",
        None,
        None,
    )


@pytest.mark.parametrize(
    ("tag", "message"),
    [
        ("jp", "unknown language: 'jp' (JP is a region; for its language write 'ja')"),
        ("Germn", "did you mean 'German'"),
        ("", "unknown language: ''"),
        ("xx", "`hesperus languages` lists them"),
        ("und", "unknown language: 'und'"),
        ("mul", "unknown language: 'mul'"),
        ("en--us", "unknown language: 'en--us'"),
        ("isiNdebele", "did you mean"),
        ("../../etc/passwd", "unknown language"),
        ("\x1b[31m", r"unknown language: '\x1b[31m'"),
        ("de" * 5000, "unknown language: 'dedede"),
        (False, "a bare no in YAML means false"),
    ],
)
def test_unknown_tags_say_what_to_do(tag: str, message: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        normalise(tag)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 500


def test_importing_the_room_loads_nothing() -> None:
    code = (
        "import sys, hesperus.languages as room; "
        "print([m for m in ('yaml', 'langcodes', 'hesperus.languages.tags') if m in sys.modules], sorted(dir(room)) == room.__all__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] True"


def test_the_public_surface_is_what_it_says() -> None:
    import hesperus.languages as room

    assert room.__all__ == sorted(room.__all__)
    assert all(callable(getattr(room, name)) for name in room.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = room.nothing
