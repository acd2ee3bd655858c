"""What it amounts to: consistency, agreement, accuracy, validity; with intervals, tests and their corrections.

Arrays in, estimates out; numpy only, but for the tests, which need scipy and are loaded when first used. A measure is
a Statistic: per-item columns and how their sums reduce to a number. Everything else (interval, difference, all pairs)
is made from that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hesperus.lazy import lazily
from hesperus.measures.agreement import (
    Key,
    PairStatistic,
    agreement_statistics,
    chance_statistic,
    kappa_p_statistic,
    rank_consistency_statistic,
)
from hesperus.measures.alpha import LEVELS, Level, fleiss_kappa, krippendorff_alpha
from hesperus.measures.classes import (
    FAILED,
    INVALID,
    INVALID_RULES,
    MISSING,
    Codes,
    Comparison,
    InvalidRule,
    Mask,
    account,
    compare,
    replied,
    unanswered,
)
from hesperus.measures.consistency import (
    MANY_CLASSES,
    consistency,
    consistency_statistic,
    direction_statistics,
    range_statistics,
    split_statistics,
)
from hesperus.measures.correctness import (
    accuracy,
    accuracy_statistic,
    gold_share_statistic,
    label_share_statistic,
    share_statistic,
    validity_statistic,
)
from hesperus.measures.correlation import (
    FEW,
    above_statistics,
    mean_statistic,
    pearson,
    pearson_p,
    pearson_statistic,
    too_few_differ,
)
from hesperus.measures.decomposition import SenseRuns, decomposition_statistics
from hesperus.measures.information import INFORMATION, harmonic_mean, information, information_statistics
from hesperus.measures.intervals import wilson
from hesperus.measures.multiplicity import benjamini_hochberg, holm
from hesperus.measures.pair_bootstrap import bootstrap_pairs
from hesperus.measures.pair_spread import PairSpread
from hesperus.measures.paired_runs import HardRuns, SoftRuns
from hesperus.measures.pairs import (
    Block,
    HardSums,
    PairMatrices,
    SoftSums,
    hard_pairs,
    rank_pairs,
    soft_pairs,
    streamed_pairs,
)
from hesperus.measures.permuting import NO_RESAMPLES, enough_permutations
from hesperus.measures.properties import (
    CLASSIFIER,
    UNCLASSIFIED,
    classifier_statistics,
    profile_agreement,
    profile_statistics,
)
from hesperus.measures.ranks import spearman, spearman_p
from hesperus.measures.raters import (
    WEIGHTS,
    Weights,
    bias_statistic,
    category_statistic,
    cohen_statistic,
    confusion,
    fleiss_statistic,
    gwet_statistic,
    percent_statistic,
)
from hesperus.measures.representation import RepresentationSimilarity, representation_similarity
from hesperus.measures.resample import (
    INTERVAL_METHODS,
    Bootstrap,
    Draws,
    IntervalMethod,
    draws,
    evened,
    intervals,
)
from hesperus.measures.several import (
    ac3_statistic,
    nominal_alpha_statistic,
    pooled_accuracy_statistic,
    subset_consistency_statistic,
)
from hesperus.measures.statistic import (
    NoCorners,
    Statistic,
    difference,
    estimate,
    estimates,
    influences,
    score_interval,
    summed_by,
)
from hesperus.measures.tax import (
    TaxPairs,
    discordant,
    item_signal,
    residue_strata,
    side_statistics,
    tax_bounds,
    tax_statistic,
)
from hesperus.measures.unmatched import unmatched_detectable, unmatched_difference, unmatched_p

if TYPE_CHECKING:
    from hesperus.measures.mantel import mantel_test, mantel_tests, runs_to_drop
    from hesperus.measures.power import (
        agreement_detectable,
        exchanged_detectable,
        mcnemar_power,
        resampled_detectable,
        smallest_detectable_difference,
    )
    from hesperus.measures.relations import Relation, correlations, mann_whitney, pearson_test
    from hesperus.measures.tests import PValue, mcnemar_test, permutation_test, resampled_p, sign_test

__all__ = [
    "CLASSIFIER",
    "FAILED",
    "FEW",
    "INFORMATION",
    "INTERVAL_METHODS",
    "INVALID",
    "INVALID_RULES",
    "LEVELS",
    "MANY_CLASSES",
    "MISSING",
    "NO_RESAMPLES",
    "UNCLASSIFIED",
    "WEIGHTS",
    "Block",
    "Bootstrap",
    "Codes",
    "Comparison",
    "Draws",
    "HardRuns",
    "HardSums",
    "IntervalMethod",
    "InvalidRule",
    "Key",
    "Level",
    "Mask",
    "NoCorners",
    "PValue",
    "PairMatrices",
    "PairSpread",
    "PairStatistic",
    "Relation",
    "RepresentationSimilarity",
    "SenseRuns",
    "SoftRuns",
    "SoftSums",
    "Statistic",
    "TaxPairs",
    "Weights",
    "above_statistics",
    "ac3_statistic",
    "account",
    "accuracy",
    "accuracy_statistic",
    "agreement_detectable",
    "agreement_statistics",
    "benjamini_hochberg",
    "bias_statistic",
    "bootstrap_pairs",
    "category_statistic",
    "chance_statistic",
    "classifier_statistics",
    "cohen_statistic",
    "compare",
    "confusion",
    "consistency",
    "consistency_statistic",
    "correlations",
    "decomposition_statistics",
    "difference",
    "direction_statistics",
    "discordant",
    "draws",
    "enough_permutations",
    "estimate",
    "estimates",
    "evened",
    "exchanged_detectable",
    "fleiss_kappa",
    "fleiss_statistic",
    "gold_share_statistic",
    "gwet_statistic",
    "hard_pairs",
    "harmonic_mean",
    "holm",
    "influences",
    "information",
    "information_statistics",
    "intervals",
    "item_signal",
    "kappa_p_statistic",
    "krippendorff_alpha",
    "label_share_statistic",
    "mann_whitney",
    "mantel_test",
    "mantel_tests",
    "mcnemar_power",
    "mcnemar_test",
    "mean_statistic",
    "nominal_alpha_statistic",
    "pearson",
    "pearson_p",
    "pearson_statistic",
    "pearson_test",
    "percent_statistic",
    "permutation_test",
    "pooled_accuracy_statistic",
    "profile_agreement",
    "profile_statistics",
    "range_statistics",
    "rank_consistency_statistic",
    "rank_pairs",
    "replied",
    "representation_similarity",
    "resampled_detectable",
    "resampled_p",
    "residue_strata",
    "runs_to_drop",
    "score_interval",
    "share_statistic",
    "side_statistics",
    "sign_test",
    "smallest_detectable_difference",
    "soft_pairs",
    "spearman",
    "spearman_p",
    "split_statistics",
    "streamed_pairs",
    "subset_consistency_statistic",
    "summed_by",
    "tax_bounds",
    "tax_statistic",
    "too_few_differ",
    "unanswered",
    "unmatched_detectable",
    "unmatched_difference",
    "unmatched_p",
    "validity_statistic",
    "wilson",
]

__getattr__, _ = lazily(__name__)


def __dir__() -> list[str]:
    return __all__
