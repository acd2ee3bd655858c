"""BLEU and chrF: sacrebleu's numbers, the paper's conventions, the released counts."""

from __future__ import annotations

import csv

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from hesperus.errors import MissingExtraError, UnknownNameError, UsageError
from hesperus.translation import Bleu, Chrf, tokenizer_for

words = st.lists(st.sampled_from(["the", "cat", "sat", "on", "a", "mat", "."]), max_size=9).map(" ".join)
corpora = st.lists(st.tuples(words, words), min_size=1, max_size=8)


@settings(max_examples=40, derandomize=True, deadline=None)
@given(corpora)
def test_sums_of_statistics_give_what_sacrebleu_gives_for_the_corpus(corpus: list[tuple[str, str]]) -> None:
    hypotheses, references = [pair[0] for pair in corpus], [pair[1] for pair in corpus]
    both: list[tuple[Bleu | Chrf, BLEU | CHRF]] = [
        (Bleu(), BLEU(force=True)),
        (Bleu(effective_order=True), BLEU(force=True, effective_order=True)),
        *((Chrf(word_order=order), CHRF(word_order=order)) for order in (0, 2)),
    ]
    for ours, theirs in both:
        counts = ours.statistics(hypotheses, references)
        whole = theirs.corpus_score(hypotheses, [references]).score
        each = [theirs.corpus_score([a], [[b]]).score for a, b in corpus]
        assert ours.score(counts.sum(axis=0)) == pytest.approx(whole, abs=1e-9)
        assert ours.score(counts).tolist() == pytest.approx(each, abs=1e-9)
        # As the weights of resamples make them.
        assert ours.score(counts * 1.01).tolist() == ours.score(np.rint(counts * 1.01)).tolist()


def test_a_text_of_fewer_than_four_tokens_scores_0_since_there_is_no_effective_order() -> None:
    assert Bleu().score(Bleu().statistics(["one two three"], ["one two three"])[0]) == 0.0
    loose = Bleu(effective_order=True)
    assert loose.score(loose.statistics(["one two three"], ["one two three"])[0]) == pytest.approx(100)


def test_statistics_have_the_width_that_the_metric_says() -> None:
    for metric in (Bleu(), Bleu(order=2), Chrf(), Chrf(word_order=2)):
        assert metric.statistics(["a b", "c"], ["a", "c"]).shape == (2, metric.width)
        assert metric.statistics([], []).shape == (0, metric.width)


@pytest.mark.parametrize(
    ("tag", "tokenizer"),
    [("de", "13a"), ("ar", "13a"), ("ko", "13a"), ("hi", "13a"), ("zh", "zh"), ("zh-Hant", "zh"), ("zho_Hans", "zh"),
     ("ja", "char"), ("th", "char"), ("my", "char")],
)  # fmt: skip
def test_the_tokenizer_follows_the_script(tag: str, tokenizer: str) -> None:
    assert tokenizer_for(tag) == tokenizer


def test_chinese_is_counted_by_characters_and_thai_is_not_one_long_word() -> None:
    assert Bleu("zh").statistics(["这是一个句子。"], ["这是一个句子。"])[0, 0] == 7
    assert Bleu("char").statistics(["สวัสดีครับ"], ["สวัสดีครับ"])[0, 0] == 10
    assert Bleu("13a").statistics(["สวัสดีครับ"], ["สวัสดีครับ"])[0, 0] == 1


def test_unequal_numbers_and_unknown_tokenizers_are_told() -> None:
    with pytest.raises(UsageError, match="2 translations cannot be scored by 1 references"):
        Bleu().statistics(["a", "b"], ["a"])
    with pytest.raises(UnknownNameError, match="unknown BLEU tokenizer: '13b'; did you mean '13a'"):
        Bleu("13b").statistics(["a"], ["a"])


def test_an_absent_morphological_tokenizer_names_its_package() -> None:
    try:
        import MeCab  # noqa: F401
    except ImportError:
        with pytest.raises(MissingExtraError, match=r"the tokenizer 'ja-mecab' needs sacrebleu\[ja\]"):
            Bleu("ja-mecab").statistics(["犬"], ["犬"])
    else:
        assert Bleu("ja-mecab").statistics(["犬がいる"], ["犬がいる"])[0, 0] > 1


def released(shared_data: object) -> list[dict[str, str]]:
    with (shared_data / "multisense" / "translation_scores_corpus.csv").open(encoding="utf-8") as file:  # type: ignore[operator]
        return list(csv.DictReader(file))


def test_the_released_counts_give_the_released_bleu(shared_data: object) -> None:
    for row in released(shared_data):
        counts = [row["sys_len"], row["ref_len"], *row["counts"].split(), *row["totals"].split()]
        score = Bleu(tokenizer_for(row["sense"][:2])).score(np.array(counts, float))
        assert score == pytest.approx(float(row["bleu"]), abs=1e-9), (row["task"], row["sense"])


def test_the_released_texts_have_the_released_lengths(shared_data: object) -> None:
    checked = 0
    for row in released(shared_data):
        if row["variant"] != "final" or row["task"] != "paws-x" or row["sense"][:2] not in ("de", "zh"):
            continue
        file = shared_data / "multisense" / "translations_paws-x.parquet"  # type: ignore[operator]
        texts = pl.read_parquet(file).filter(pl.col("sense") == row["sense"])
        segments = texts["text1"].to_list() + texts["text2"].to_list()
        statistics = Bleu(tokenizer_for(row["sense"][:2])).statistics(segments, segments).sum(axis=0)
        assert len(segments) == int(row["n_segments"])
        assert statistics[0] == int(row["sys_len"]), row["sense"]
        assert statistics[6:].astype(int).tolist() == [int(n) for n in row["totals"].split()]
        checked += 1
    assert checked == 2
