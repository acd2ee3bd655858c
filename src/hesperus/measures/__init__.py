"""What it amounts to: consistency, agreement, accuracy, validity; with intervals, tests and their corrections.

Arrays in, estimates out; numpy only, but for the tests, which need scipy and are loaded when first used. A measure is
a Statistic: per-item columns and how their sums reduce to a number. Everything else (interval, difference, all pairs)
is made from that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hesperus.lazy import lazily

# Three have the name of a file, which would take their place if it were loaded after them.
from hesperus.measures.consistency import consistency as consistency
from hesperus.measures.information import information as information
from hesperus.measures.intervals import wilson as wilson
from hesperus.measures.resample import intervals as intervals

if TYPE_CHECKING:
    from hesperus.measures.agreement import Key as Key
    from hesperus.measures.agreement import PairStatistic as PairStatistic
    from hesperus.measures.agreement import agreement_statistics as agreement_statistics
    from hesperus.measures.agreement import chance_statistic as chance_statistic
    from hesperus.measures.agreement import kappa_p_statistic as kappa_p_statistic
    from hesperus.measures.agreement import rank_consistency_statistic as rank_consistency_statistic
    from hesperus.measures.alpha import LEVELS as LEVELS
    from hesperus.measures.alpha import Level as Level
    from hesperus.measures.alpha import krippendorff_alpha as krippendorff_alpha
    from hesperus.measures.classes import FAILED as FAILED
    from hesperus.measures.classes import INVALID as INVALID
    from hesperus.measures.classes import INVALID_RULES as INVALID_RULES
    from hesperus.measures.classes import MISSING as MISSING
    from hesperus.measures.classes import Codes as Codes
    from hesperus.measures.classes import Comparison as Comparison
    from hesperus.measures.classes import InvalidRule as InvalidRule
    from hesperus.measures.classes import Mask as Mask
    from hesperus.measures.classes import account as account
    from hesperus.measures.classes import compare as compare
    from hesperus.measures.classes import replied as replied
    from hesperus.measures.classes import unanswered as unanswered
    from hesperus.measures.consistency import MANY_CLASSES as MANY_CLASSES
    from hesperus.measures.consistency import consistency_statistic as consistency_statistic
    from hesperus.measures.consistency import direction_statistics as direction_statistics
    from hesperus.measures.consistency import range_statistics as range_statistics
    from hesperus.measures.consistency import split_statistics as split_statistics
    from hesperus.measures.correctness import accuracy as accuracy
    from hesperus.measures.correctness import accuracy_statistic as accuracy_statistic
    from hesperus.measures.correctness import gold_share_statistic as gold_share_statistic
    from hesperus.measures.correctness import label_share_statistic as label_share_statistic
    from hesperus.measures.correctness import share_statistic as share_statistic
    from hesperus.measures.correctness import validity_statistic as validity_statistic
    from hesperus.measures.correlation import FEW as FEW
    from hesperus.measures.correlation import above_statistics as above_statistics
    from hesperus.measures.correlation import mean_statistic as mean_statistic
    from hesperus.measures.correlation import pearson as pearson
    from hesperus.measures.correlation import pearson_p as pearson_p
    from hesperus.measures.correlation import pearson_statistic as pearson_statistic
    from hesperus.measures.correlation import too_few_differ as too_few_differ
    from hesperus.measures.decomposition import SenseRuns as SenseRuns
    from hesperus.measures.decomposition import decomposition_statistics as decomposition_statistics
    from hesperus.measures.information import INFORMATION as INFORMATION
    from hesperus.measures.information import harmonic_mean as harmonic_mean
    from hesperus.measures.information import information_statistics as information_statistics
    from hesperus.measures.mantel import mantel_tests as mantel_tests
    from hesperus.measures.mantel import runs_to_drop as runs_to_drop
    from hesperus.measures.multiplicity import benjamini_hochberg as benjamini_hochberg
    from hesperus.measures.multiplicity import holm as holm
    from hesperus.measures.pair_bootstrap import bootstrap_pairs as bootstrap_pairs
    from hesperus.measures.pair_spread import PairSpread as PairSpread
    from hesperus.measures.paired_runs import HardRuns as HardRuns
    from hesperus.measures.paired_runs import SoftRuns as SoftRuns
    from hesperus.measures.pairs import HardSums as HardSums
    from hesperus.measures.pairs import PairMatrices as PairMatrices
    from hesperus.measures.pairs import SoftSums as SoftSums
    from hesperus.measures.pairs import hard_pairs as hard_pairs
    from hesperus.measures.pairs import rank_pairs as rank_pairs
    from hesperus.measures.pairs import soft_pairs as soft_pairs
    from hesperus.measures.permuting import NO_RESAMPLES as NO_RESAMPLES
    from hesperus.measures.permuting import enough_permutations as enough_permutations
    from hesperus.measures.power import agreement_detectable as agreement_detectable
    from hesperus.measures.power import exchanged_detectable as exchanged_detectable
    from hesperus.measures.power import mcnemar_power as mcnemar_power
    from hesperus.measures.power import resampled_detectable as resampled_detectable
    from hesperus.measures.power import smallest_detectable_difference as smallest_detectable_difference
    from hesperus.measures.properties import CLASSIFIER as CLASSIFIER
    from hesperus.measures.properties import UNCLASSIFIED as UNCLASSIFIED
    from hesperus.measures.properties import classifier_statistics as classifier_statistics
    from hesperus.measures.properties import profile_agreement as profile_agreement
    from hesperus.measures.properties import profile_statistics as profile_statistics
    from hesperus.measures.ranks import spearman as spearman
    from hesperus.measures.ranks import spearman_p as spearman_p
    from hesperus.measures.raters import WEIGHTS as WEIGHTS
    from hesperus.measures.raters import Weights as Weights
    from hesperus.measures.raters import bias_statistic as bias_statistic
    from hesperus.measures.raters import category_statistic as category_statistic
    from hesperus.measures.raters import cohen_statistic as cohen_statistic
    from hesperus.measures.raters import confusion as confusion
    from hesperus.measures.raters import fleiss_statistic as fleiss_statistic
    from hesperus.measures.raters import gwet_statistic as gwet_statistic
    from hesperus.measures.raters import percent_statistic as percent_statistic
    from hesperus.measures.relations import Relation as Relation
    from hesperus.measures.relations import correlations as correlations
    from hesperus.measures.relations import mann_whitney as mann_whitney
    from hesperus.measures.relations import pearson_test as pearson_test
    from hesperus.measures.representation import RepresentationSimilarity as RepresentationSimilarity
    from hesperus.measures.representation import representation_similarity as representation_similarity
    from hesperus.measures.resample import INTERVAL_METHODS as INTERVAL_METHODS
    from hesperus.measures.resample import Bootstrap as Bootstrap
    from hesperus.measures.resample import Draws as Draws
    from hesperus.measures.resample import IntervalMethod as IntervalMethod
    from hesperus.measures.resample import draws as draws
    from hesperus.measures.resample import evened as evened
    from hesperus.measures.several import ac3_statistic as ac3_statistic
    from hesperus.measures.several import nominal_alpha_statistic as nominal_alpha_statistic
    from hesperus.measures.several import pooled_accuracy_statistic as pooled_accuracy_statistic
    from hesperus.measures.several import subset_consistency_statistic as subset_consistency_statistic
    from hesperus.measures.statistic import NoCorners as NoCorners
    from hesperus.measures.statistic import Statistic as Statistic
    from hesperus.measures.statistic import difference as difference
    from hesperus.measures.statistic import estimate as estimate
    from hesperus.measures.statistic import estimates as estimates
    from hesperus.measures.statistic import influences as influences
    from hesperus.measures.statistic import score_interval as score_interval
    from hesperus.measures.statistic import summed_by as summed_by
    from hesperus.measures.tax import TaxPairs as TaxPairs
    from hesperus.measures.tax import discordant as discordant
    from hesperus.measures.tax import item_signal as item_signal
    from hesperus.measures.tax import residue_strata as residue_strata
    from hesperus.measures.tax import side_statistics as side_statistics
    from hesperus.measures.tax import tax_bounds as tax_bounds
    from hesperus.measures.tax import tax_statistic as tax_statistic
    from hesperus.measures.tests import PValue as PValue
    from hesperus.measures.tests import mcnemar_test as mcnemar_test
    from hesperus.measures.tests import permutation_test as permutation_test
    from hesperus.measures.tests import resampled_p as resampled_p
    from hesperus.measures.tests import sign_test as sign_test
    from hesperus.measures.unmatched import unmatched_detectable as unmatched_detectable
    from hesperus.measures.unmatched import unmatched_difference as unmatched_difference
    from hesperus.measures.unmatched import unmatched_p as unmatched_p

__getattr__, __dir__ = lazily(__name__, "consistency", "information", "intervals", "wilson")
