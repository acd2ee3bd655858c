"""What it amounts to: consistency, agreement, accuracy, validity; with intervals, tests and their corrections.

Arrays in, estimates out; numpy only, but for the tests, which need scipy and are loaded when first used. A measure is
a Statistic: per-item columns and how their sums reduce to a number. Everything else (interval, difference, all pairs)
is made from that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hesperus.measures.agreement import (
    Key,
    agreement_statistics,
    kappa_p_statistic,
    rank_consistency_statistic,
)
from hesperus.measures.classes import (
    INVALID,
    INVALID_RULES,
    MISSING,
    Codes,
    Comparison,
    InvalidRule,
    Mask,
    compare,
)
from hesperus.measures.consistency import (
    consistency,
    consistency_statistic,
    direction_statistics,
    range_statistics,
    split_statistics,
)
from hesperus.measures.correctness import (
    accuracy,
    accuracy_statistic,
    label_share_statistic,
    share_statistic,
    validity_statistic,
)
from hesperus.measures.correlation import above_statistics, pearson, pearson_statistic
from hesperus.measures.decomposition import SenseRuns, decomposition_statistics
from hesperus.measures.intervals import smallest_detectable_difference, wilson
from hesperus.measures.multiplicity import benjamini_hochberg, holm
from hesperus.measures.pairs import PairMatrices, hard_pairs, soft_pairs
from hesperus.measures.resample import Bootstrap, Draws, draws
from hesperus.measures.statistic import Statistic, difference, estimate, estimates

if TYPE_CHECKING:
    from hesperus.measures.tests import PValue, mcnemar_test, permutation_test, sign_test

__all__ = [
    "INVALID",
    "INVALID_RULES",
    "MISSING",
    "Bootstrap",
    "Codes",
    "Comparison",
    "Draws",
    "InvalidRule",
    "Key",
    "Mask",
    "PValue",
    "PairMatrices",
    "SenseRuns",
    "Statistic",
    "above_statistics",
    "accuracy",
    "accuracy_statistic",
    "agreement_statistics",
    "benjamini_hochberg",
    "compare",
    "consistency",
    "consistency_statistic",
    "decomposition_statistics",
    "difference",
    "direction_statistics",
    "draws",
    "estimate",
    "estimates",
    "hard_pairs",
    "holm",
    "kappa_p_statistic",
    "label_share_statistic",
    "mcnemar_test",
    "pearson",
    "pearson_statistic",
    "permutation_test",
    "range_statistics",
    "rank_consistency_statistic",
    "share_statistic",
    "sign_test",
    "smallest_detectable_difference",
    "soft_pairs",
    "split_statistics",
    "validity_statistic",
    "wilson",
]

_TESTS = {"PValue", "mcnemar_test", "permutation_test", "sign_test"}


def __getattr__(name: str) -> object:
    if name not in _TESTS:
        raise AttributeError(f"module 'hesperus.measures' has no attribute {name!r}")
    from hesperus.measures import tests

    return getattr(tests, name)


def __dir__() -> list[str]:
    return __all__
