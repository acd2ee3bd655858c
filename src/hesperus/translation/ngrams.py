"""BLEU and chrF as values: parameters in, statistics of each segment out, any sum of them to a score.

The counting is sacrebleu's, and so are the formulas, here for any number of sums at once: an interval needs thousands.
Splitting a score in two (statistics, then reduce) is what lets one count serve the corpus, the item and every resample of
items; sacrebleu does the same in its significance tests.
References: Papineni et al. 2002 and Post 2018 (BLEU), Popović 2015 (chrF).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from hesperus.errors import MissingExtraError, UnknownNameError, UsageError
from hesperus.languages import language

Counts = npt.NDArray[np.float64]
"""Whole numbers; floats, so that weights times counts is one fast matrix product."""

TOKENIZERS = ("13a", "zh", "char", "intl", "none", "ja-mecab", "ko-mecab")
"""sacrebleu's tokenizers that need no download."""

CHINESE_SCRIPTS = frozenset({"Hans", "Hant", "Hani"})


def tokenizer_for(tag: str) -> str:
    """The tokenizer that BLEU uses in a language, by its script and by nothing that is installed or not.

    ``zh`` for Chinese and ``char`` for the other scripts that write no spaces (Japanese, Thai, Lao, Khmer, Burmese,
    Tibetan); ``13a`` for all others, as in the paper. The morphological tokenizers are used only where asked for,
    since a score must not depend on the machine.
    """
    if language(tag).writes_spaces:
        return "13a"
    return "zh" if language(tag).script in CHINESE_SCRIPTS else "char"


Corners = tuple[tuple[float, ...], ...]
"""Counts of texts at the extremes, [corners][width]."""


@lru_cache
def _sacrebleu(metric: _Ngrams) -> BLEU | CHRF:
    if isinstance(metric, Chrf):
        return CHRF(char_order=metric.char_order, word_order=metric.word_order, beta=metric.beta)
    assert isinstance(metric, Bleu)
    if metric.tokenizer not in TOKENIZERS:
        raise UnknownNameError("BLEU tokenizer", metric.tokenizer, TOKENIZERS)
    try:
        # force: the warning about tokenised input would go to a log nobody reads, once a corpus
        return BLEU(
            tokenize=metric.tokenizer,
            smooth_method="exp",
            effective_order=metric.effective_order,
            max_ngram_order=metric.order,
            force=True,
        )
    except (ImportError, RuntimeError) as error:
        extra = metric.tokenizer.partition("-")[0]
        raise MissingExtraError(
            f"sacrebleu[{extra}]", extra, f"the tokenizer {metric.tokenizer!r}"
        ) from error


class _Ngrams:
    """A score of n-grams, of which statistics of segments can be added up."""

    __slots__ = ()

    @property
    def width(self) -> int:
        """Statistics of a segment."""
        raise NotImplementedError

    def statistics(self, hypotheses: Sequence[str], references: Sequence[str]) -> Counts:
        """Counts of shape (segments, width)."""
        if len(hypotheses) != len(references):
            raise UsageError(
                f"{len(hypotheses)} translations cannot be scored by {len(references)} references"
            )
        if not hypotheses:
            return np.zeros((0, self.width), np.float64)
        found = _sacrebleu(self)._extract_corpus_statistics(hypotheses, [references])
        return np.asarray(found, np.float64)

    def score(self, totals: Counts) -> Counts:
        """Scores of counts summed over any segments; 0 where nothing matches, or nothing is there.

        Args:
            totals: Sums, of shape (..., width); those of resamples need not be whole numbers, and are rounded.

        Returns:
            Scores from 0 to 100, of shape (...).
        """
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Bleu(_Ngrams):
    """BLEU with exponential smoothing, from 0 to 100.

    Attributes:
        tokenizer: One of TOKENIZERS; see tokenizer_for.
        order: Longest n-gram.
        effective_order: Count n-grams only up to the order that a text has; off, a segment of fewer than ``order``
            tokens scores 0.
    """

    tokenizer: str = "13a"
    order: int = 4
    effective_order: bool = False

    @property
    def width(self) -> int:
        """Statistics of a segment: length, length of the reference, matches and n-grams of each order."""
        return 2 + 2 * self.order

    def score(self, totals: Counts) -> Counts:
        """See _Ngrams: the geometric mean of the precisions, lowered where the text is shorter than its reference."""
        counts = np.rint(totals)
        ours, theirs = counts[..., 0], counts[..., 1]
        matched, grams = counts[..., 2 : 2 + self.order], counts[..., 2 + self.order :]
        reached = np.logical_and.accumulate(grams > 0, axis=-1)
        # Where an order has no match it is smoothed: half a match, then a quarter, …
        unmatched = reached & (matched == 0)
        halves = 0.5 ** np.cumsum(unmatched, axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            # In per cent before the logarithm, as sacrebleu has it: 50 comes out a bit above a threshold of 50 there, too.
            logs = np.log(100.0 * np.where(unmatched, halves, matched) / grams).sum(axis=-1, where=reached)
            mean = logs / (reached.sum(axis=-1) if self.effective_order else self.order)
            shortness = np.where(ours < theirs, np.exp(1.0 - theirs / ours), 1.0)
        is_scored = matched.any(axis=-1) & (self.effective_order | reached.all(axis=-1))
        return np.where(is_scored, shortness * np.exp(mean), 0.0)

    def corners(self, mean: Counts) -> Corners:
        """Counts of a text of mean counts that is all matched, and of one in which nothing is."""
        grams = mean[-self.order :]
        ends = [np.concatenate([mean[[1, 1]], matched, grams]) for matched in (grams, np.zeros_like(grams))]
        return tuple(tuple(map(float, end)) for end in ends)


@dataclass(frozen=True, slots=True)
class Chrf(_Ngrams):
    """ChrF (``word_order`` 0) or chrF++ (2), from 0 to 100.

    Attributes:
        char_order: Longest character n-gram.
        word_order: Longest word n-gram.
        beta: Weight of recall.
    """

    char_order: int = 6
    word_order: int = 0
    beta: int = 2

    @property
    def width(self) -> int:
        """Statistics of a segment: n-grams of both sides and matches, for each order."""
        return 3 * (self.char_order + self.word_order)

    def score(self, totals: Counts) -> Counts:
        """See _Ngrams: F of precision and recall, each the mean over the orders that both texts reach."""
        ours, theirs, matched = (np.rint(totals[..., place::3]) for place in range(3))
        reached = (ours > 0) & (theirs > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            precision, recall = (
                (matched / of).sum(axis=-1, where=reached) / reached.sum(axis=-1) for of in (ours, theirs)
            )
            both = self.beta**2 * precision + recall
            return np.where(both > 0, 100.0 * (1 + self.beta**2) * precision * recall / both, 0.0)

    def corners(self, mean: Counts) -> Corners:
        """Counts of a text of mean counts that is all matched, and of one in which nothing is."""
        theirs = np.repeat(mean[1::3], 3)
        none = mean.copy()
        none[2::3] = 0.0
        return tuple(map(float, theirs)), tuple(map(float, none))
