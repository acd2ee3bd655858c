"""What a row compares, and how senses are called."""

from __future__ import annotations

import pytest

from hesperus import wording
from hesperus.analysis.compared_pairs import Side, pair
from hesperus.untrusted import has_right_to_left, isolated, one_line, shortened, visible


@pytest.mark.parametrize(
    ("a", "b", "kind", "target"),
    [
        ("en", ("de_from_en", "de_from_en"), "T", "German (de)"),
        ("en", ("de_from_en", "en"), "I", "German (de)"),
        ("en", ("en", "de_from_en"), "X", "German (de)"),
        ("en", ("de_from_en@nllb", "de_from_en@nllb"), "T", "German (de) from English, by nllb"),
        ("en", ("en~paraphrase", "en~paraphrase"), "T", "English (en), paraphrase"),
        ("en", ("en_via_zh", "en_via_zh"), "T", "English (en) via Chinese"),
        ("en", ("de", "de"), "versions", "German (de), original"),
        ("de_from_en", ("zh_from_en", "zh_from_en"), "versions", "Chinese (zh)"),
        ("de", ("zh_from_en", "zh_from_en"), "versions", "Chinese (zh)"),
        ("en", ("de", "en"), "other", "English (en), original"),
        ("en", ("de_from_en", "zh_from_en"), "other", "Chinese (zh)"),
    ],
)
def test_the_condition_follows_from_the_senses(a: str, b: tuple[str, str], kind: str, target: str) -> None:
    found = pair(f"instruction={a},input={a}", f"instruction={b[0]},input={b[1]}")
    assert (found.kind, found.target_label) == (kind, target)


def test_the_same_prompt_again_is_a_repeat() -> None:
    found = pair("instruction=en,input=en,repeat=1", "instruction=en,input=en,repeat=2")
    assert (found.kind, found.source, found.b.repeat) == ("repeat", "en", 2)
    mixed = pair("instruction=en,input=de", "instruction=en,input=de,repeat=2")
    assert (mixed.kind, mixed.source) == ("repeat", None)
    assert pair("instruction=en,input=de", "instruction=en,input=en").kind == "other"


@pytest.mark.parametrize("text", ["en", "instruction=en", "instruction=,input=de"])
def test_what_is_no_side_is_told(text: str) -> None:
    with pytest.raises(ValueError, match="no side of a comparison"):
        Side.parse(text)


def test_codes_of_another_tool_may_hold_commas_and_equal_signs() -> None:
    assert Side.parse("instruction=a,b=<c>,input=a,b=<c>,repeat=2") == Side("a,b=<c>", "a,b=<c>", 2)


def test_senses_in_words() -> None:
    assert wording.sense_label("xx!") == "xx!" == wording.sense_sentence("xx!") == wording.target_label("xx!")
    assert wording.sense_sentence("de") == "German, as the benchmark has it"
    assert wording.sense_sentence("de_from_en") == "German, translated from English"
    assert wording.sense_sentence("de_from_en@nllb") == "German, translated from English by nllb"
    assert wording.sense_sentence("en_via_zh~natural") == (
        "English, translated into Chinese and back, natural"
    )
    assert wording.sense_sentence("en~paraphrase") == "English, paraphrase"
    assert wording.language_label("xx") == "xx"
    assert (wording.direction("ar"), wording.direction("de"), wording.direction("xx")) == (
        "rtl",
        "ltr",
        "ltr",
    )


def test_lists_in_words() -> None:
    assert [wording.joined(x) for x in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]


def test_untrusted_text_is_shown_as_what_it_is() -> None:
    assert visible("a\x1b[1m\u202eb\u2066c\ufeff\U000e0041\r\nd\te\rf") == (
        "a⟨U+001B⟩[1m⟨U+202E⟩b⟨U+2066⟩c⟨U+FEFF⟩⟨U+E0041⟩\nd\te\nf"
    )
    assert visible("می\u200cخواهم ক্‍ষ") == "می\u200cخواهم ক্‍ষ"  # joiners belong to the spelling
    assert visible("\ud800") == "⟨U+D800⟩"
    assert one_line("\n a\n \r\n b\t\tc ") == "⏎ a ⏎ b  c"
    assert shortened("abcdef", 4) == "abcd … (+2 characters)"
    assert shortened("abcd", 4) == "abcd"
    assert has_right_to_left("x שלום") and not has_right_to_left("日本") and isolated("a") == "a"
