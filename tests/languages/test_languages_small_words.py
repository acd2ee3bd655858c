"""Texts that are plainly in the language asked for need no identification; no text in another language is one."""

from __future__ import annotations

import pytest

from hesperus.languages import are_alike
from hesperus.languages.small_words import plainly_in
from languages.said_in import SAID


@pytest.mark.parametrize("asked", sorted(SAID))
def test_a_report_in_another_language_is_never_plain(asked: str) -> None:
    plain = [said for said, text in SAID.items() if plainly_in(text, asked) and not are_alike(said, asked)]
    assert plain in ([], [asked])


@pytest.mark.parametrize("tag", ["en", "ro", "fa", "th", "ta", "el", "ko", "ja", "zh", "de", "ar"])
def test_many_reports_are_plainly_in_their_language(tag: str) -> None:
    assert plainly_in(SAID[tag].split(". ")[0], tag)


def test_what_is_too_short_says_nothing_of_another_language() -> None:
    assert plainly_in("Lima", "de")
    assert not plainly_in("столица у моря", "de")
    assert not plainly_in("The river is long. " * 500, "en")


def test_a_few_words_of_another_script_leave_a_text_plain() -> None:
    assert plainly_in("这两个句子是相同的,都是说约翰在音乐上受到了Holly的影响.", "zh")
    assert not plainly_in("これは二つの文です。", "zh")
    assert not plainly_in("这两个句子是相同的。", "ja")
