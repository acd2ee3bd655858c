"""ROUGE with words of every script."""

from __future__ import annotations

import pytest

from hesperus import translation  # ROUGE, whose package takes a second to import, where it is first asked for
from hesperus.errors import UsageError


def test_worked_example() -> None:
    # 3 of 3 and 3 of 4 words: F = 6/7; 1 of 2 and 1 of 3 pairs: F = 0.4; longest common sequence 2 of 3 and 4: 4/7
    one, two, longest = translation.rouge_scores(["the cat sat"], ["cat sat upon the"])[0]
    assert (one, two, longest) == pytest.approx((6 / 7, 0.4, 4 / 7))


def test_umlauts_are_letters_unless_the_packages_own_tokenizer_is_asked_for() -> None:
    assert translation.rouge_scores(["schöne Grüße"], ["schone Gruße"])[0][0] == 0
    assert translation.rouge_scores(["schöne"], ["sch ne"])[0][0] == 0
    assert translation.rouge_scores(["schöne"], ["sch ne"], words="ascii")[0][0] == 1


def test_marks_stay_with_their_letters() -> None:
    assert translation.rouge_scores(["हिन्दी भाषा"], ["हिन्दी भाषा"])[0] == (1, 1, 1)
    assert translation.rouge_scores(["हिन्दी भाषा"], ["हन्द भष"])[0][0] == 0


def test_scripts_without_spaces_are_read_by_characters() -> None:
    one = translation.rouge_scores(["猫在垫子上"], ["猫坐在垫子上"], words="characters")[0][0]
    assert one == pytest.approx(2 * 5 / 11)
    assert translation.rouge_scores(["GPT 模型"], ["gpt 模型"], words="characters")[0][0] == 1
    # a Thai vowel sign is part of the letter it stands on
    assert translation.rouge_scores(["กิน"], ["กาน"], words="characters")[0][0] == pytest.approx(2 * 1 / 5)


def test_empty_texts_score_0() -> None:
    assert translation.rouge_scores(["", "a"], ["a", ""]) == [(0, 0, 0), (0, 0, 0)]


def test_unequal_numbers_are_told() -> None:
    with pytest.raises(UsageError, match="1 translations cannot be scored by 0 references"):
        translation.rouge_scores(["a"], [])
