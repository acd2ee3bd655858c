"""Every column that a person sees: its heading, its unit, what it means.

A column of all formats is one line: of this file, or of the measure that declares its statistic. A table shows the columns that COLUMNS has under its name, in that order, as far as its rows have them; `n`, the share
answered and what was excluded close most tables. Terminals drop the columns of the highest rank first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from hesperus.analysis.measure_names import MEASURES, offered_measures
from hesperus.analysis.registry import measure_of
from hesperus.types import OUTCOMES
from hesperus.wording import OUTCOME_WORDS

Unit = Literal[
    "text", "detail", "sense", "target", "side", "language", "count", "p", "percentage", "points", "size", "number", "score",
    "value", "difference", "smallest", "excluded", "range",
]  # fmt: skip
"""How a value is written. ``detail``: a long text; ``side``: instruction and input of a comparison; ``p``: a p value, with the
corrected one in brackets; ``value``, ``difference`` and ``smallest`` (the size of a difference): by the statistic of the row, so
that the unit is in the heading, or in the cells where it is not the same in all; ``range``: from one number to another, as a text;
the rest as in hesperus.rounding."""

_TEXTS = ("text", "detail", "sense", "target", "side", "language", "excluded")
_SHORT_SIGNS = {"percentage": ", %", "points": ", pts", "size": ", pts"}
_SIGNS = {"percentage": ", %", "points": ", points", "size": ", points"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column.

    Attributes:
        key: Statistic or column of the rows that it shows.
        heading: What people call it, without its unit; empty: the key.
        unit: How its values are written.
        help: What it means, one sentence.
        short: Heading if there is little room; empty: the heading.
        rank: 0 is always shown; of the others a narrow terminal leaves out the highest first.
        of_a_part: Whether it is of a part of the items of its line, as its heading says.
        is_own: Whether every line says it, also where all say the same: what is counted line by line is no constant.
    """

    key: str
    heading: str = ""
    unit: Unit = "text"
    help: str = ""
    short: str = ""
    rank: int = 0
    of_a_part: bool = False
    is_own: bool = False

    @property
    def numeric(self) -> bool:
        """Whether it is set flush right."""
        return self.unit not in _TEXTS or self.unit == "excluded"

    @property
    def name(self) -> str:
        """The heading with its unit."""
        return f"{self.heading or self.key}{_SIGNS.get(self.unit, '')}"

    @property
    def short_name(self) -> str:
        """The short heading with its unit."""
        return f"{self.short or self.heading or self.key}{_SHORT_SIGNS.get(self.unit, '')}"


def _shares(*names: str, rank: int = 0) -> tuple[Column, ...]:
    return tuple(Column(name, OUTCOME_WORDS[name].capitalize(), "percentage", rank=rank) for name in names)


N = Column("n", "Items", "count", "Items that the number is of.", rank=1)
ANSWERED = Column("answered", "Answered", "percentage", "Share of the questions that were answered.", rank=2)
EXCLUDED = Column("excluded", "Excluded", "excluded", "Items missing from the number, and why.", rank=2)
RESTS_ON = (N, ANSWERED, EXCLUDED)
_P = Column("p", "p (Holm)", "p", "p value; in brackets corrected over all lines.", "p")
_KAPPA = Column("kappa_p", "κp", "number", "Agreement beyond what both accuracies alone give.")
_DIFFER = Column("discordant", "Right on the first only / second only", "text", "Items that tell the sides apart.", "Only 1st/2nd", 1)  # fmt: skip
_COHEN = Column(
    "cohen_kappa", "Cohen's κ", "number", "Agreement beyond that of two independent runs.", rank=2
)

_PAIRS = (
    replace(N, heading="Pairs"),
    replace(ANSWERED, heading="Replies answered", short="Answered"),
    EXCLUDED,
)
_TAX = (N, ANSWERED, Column("lost", "Excluded", "detail", "Items missing from the number, and why."))

KEYS: Mapping[str, Column] = {
    column.key: column
    for column in (
        Column("model", "Model"),
        Column("model_a", "First model", short="Model"),
        Column("model_b", "Second model", short="and model"),
        Column("task", "Task"),
        Column("instruction", "Instruction", "sense"),
        Column("input", "Input", "sense"),
        Column("repeat", "Repeat", "count"),
        Column("source", "From", "sense"),
        Column("target", "Into", "target"),
        Column("sense", "Sense", "sense"),
        Column("language", "Language", "language"),
        Column("reference", "Reference", "sense", rank=3),
        Column("a", "One sense", "side"),
        Column("b", "Another", "side"),
        Column("prompt", "Prompt", short="Instruction / input"),
        Column("statistic", "Statistic"),
        Column("value", "Value", "value"),
        Column("reason", "Note", "detail", rank=3),
        Column("group", "Group"),
        Column("evaluator", "Evaluator"),
        Column("label", "Label"),
    )
}
"""Columns that name a line, and those that any table may have."""

COLUMNS: Mapping[str, tuple[Column, ...]] = {
    "summary": (
        Column("accuracy", "Right", "percentage", "Answers that are the gold label."),
        Column("consistency", "Same answer as the reference", "percentage", "Answers that are those of the reference.", "Same"),
        Column("answered", "Answered", "percentage", "Share of the questions that were answered.", rank=1),
        Column("kappa_p", "κp", "number", "Agreement with the reference beyond what accuracy alone gives.", rank=1),
        Column("repeat_consistency", "Asked again", "percentage", "Same answer to the same prompt, the noise floor.", "Again", 2),
        Column("chance", "By chance", "percentage", "What the same shares of labels would give by chance.", "Chance", 2),
        Column("asked", "Asked", "count", "Questions.", rank=1),
        KEYS["reference"], EXCLUDED,
    ),
    "consistency": (
        Column("T", "T", "percentage", "Same answer with instruction and input in the other sense."),
        Column("I", "I", "percentage", "Same answer with only the instruction in the other sense."),
        Column("X", "X", "percentage", "Same answer with only the input in the other sense."),
        Column("T_correct", "T where the source is right", "percentage", "T over the items that the source answers right.", "T if right", 2, of_a_part=True),
        Column("T_min", "T, least", "percentage", "T under the strictest rule for invalid answers.", rank=3),
        Column("T_max", "T, most", "percentage", "T under the most lenient rule for invalid answers.", rank=3),
        *RESTS_ON,
    ),
    "conditional consistency": (
        Column("consistency_correct", "Same where the source is right", "percentage"),
        Column("consistency_incorrect", "Same where the source is wrong", "percentage"),
        Column("consistency_min", "Same, least", "percentage"), Column("consistency_max", "Same, most", "percentage"),
    ),
    "pairs": (Column("consistency", "Same answer", "percentage", "Same answer on both sides."), *RESTS_ON),
    "decomposition": (
        Column("total", "Changed", "percentage", "Answers that change."),
        Column("noise", "by noise", "percentage", "What asking again changes.", "noise"),
        Column("instruction", "by the instruction", "percentage", "What the instruction alone changes.", "instr."),
        Column("input", "by the input", "percentage", "What the input alone changes.", "input"),
        Column("interaction", "by both together", "percentage", "What is left.", "both", 1),
        Column("invalid", "of which invalid", "percentage", "Changes to or from an invalid answer.", "invalid", 2),
        *RESTS_ON,
    ),
    "accuracy": (
        Column("accuracy", "Right", "percentage", "Answers that are the gold label of the input's language."),
        Column("validity", "Valid", "percentage", "Replies that carry an answer."),
        *RESTS_ON,
    ),
    "outcomes": (*_shares("answered"), *_shares(*OUTCOMES[1:], rank=1), Column("n", "Asked", "count"), EXCLUDED),
    "labels": RESTS_ON,
    "directions": (
        Column("share", "Of the changed", "percentage", "Share of the answers that change."),
        Column("n", "Changed", "count", "Answers that change."),
    ),
    "agreement": (
        Column("raw", "Same answer", "percentage", "Same answer on both sides."), _KAPPA, _COHEN,
        Column("error_consistency", "Error consistency", "number", "κ of being right on the same items.", rank=2),
        *RESTS_ON,
    ),
    "bins": (
        Column("consistency", "Same answer", "percentage", "Same answer with the input translated."),
        Column("answers", "Answers", "count"), Column("n", "Items", "count"),
    ),
    "card": (
        Column("accuracy", "Right", "percentage"), Column("consistency", "Same answer as the reference", "percentage"),
        Column("repeat_consistency", "Asked again", "percentage"), *_shares("answered", "refused"),
        Column("right_language", "Reply in its language", "percentage"),
        Column("tokens_in_ratio", "Prompt tokens, times the reference", "number"),
        Column("tokens_out_ratio", "Reply tokens, times the reference", "number"),
        Column("asked", "Asked", "count"), EXCLUDED,
    ),
    "translation": (
        Column("mean", "Score, mean", "number"),
        Column("correlation", "r with the same answer", "number", "Pearson's r of the score and agreement.", "r, same"),
        Column("p_correlation", "p (Holm)", "p", "By permutation of items; in brackets corrected over all correlations.", "p"),
        Column("correlation_correct", "r with being right", "number", "Pearson's r of the score and accuracy.", "r, right", 1),
        Column("p_correlation_correct", "p (Holm)", "p", "By permutation of items.", "p", 1),
        Column("consistency", "Same answer", "percentage", short="Same"),
        Column("share_above", "Above the threshold", "percentage", "Items with a score above it.", "Above", 1),
        Column("consistency_above", "Same answer above it", "percentage", "Of the items with a score above it.", "Same above", 1, of_a_part=True),
        *RESTS_ON,
    ),
    "language": (
        Column("right_language", "In the language asked for", "percentage", short="Right language"),
        Column("line_pass_rate", "Without a foreign line", "percentage", short="No foreign line"), N, EXCLUDED,
    ),
    "tokens": (
        Column("tokens_in", "Prompt tokens", "number", short="In"), Column("tokens_out", "Reply tokens", "number", short="Out"),
        Column("tokens_in_ratio", "Prompt, times the reference", "number", short="In, ×"),
        Column("tokens_out_ratio", "Reply, times the reference", "number", short="Out, ×", rank=1), N, EXCLUDED,
    ),
    "compare": (
        Column("value_a", "First", "value"), Column("value_b", "Second", "value"),
        Column("value", "Difference", "difference", "Second less first."), Column("p", "p (Holm)", "p", short="p"),
        Column("detectable", "Detectable", "smallest", "Smallest difference that the test would find with 80 % power.", rank=2),
        N, Column("answered_a", "First answered", "percentage", "Share of the first run's questions that were answered.", rank=2),
        Column("answered_b", "Second answered", "percentage", "Share of the second run's questions that were answered.", rank=2),
        Column("prompts", "Prompts", "count", rank=3), EXCLUDED,
    ),
    "check": (
        Column("requirement", "Requirement"), Column("passed", "Holds"), Column("model", "Model"), Column("task", "Task", rank=2),
        Column("where", "Where", "side"), Column("value", "Value", "number"), Column("threshold", "Threshold", "number", rank=3),
        *RESTS_ON, Column("reason", "Note", "detail"),
    ),
    "plan": (
        Column("model", "Model"), Column("stage", "Stage"), Column("what", "What", "side"), Column("language", "Language", "language", rank=2),
        Column("requests", "Requests", "count", rank=2), Column("to_ask", "To ask", "count", "Requests that the store does not have."),
        Column("tokens_in", "Tokens in", "count"), Column("tokens_out", "Tokens out", "count"), Column("price", "Price", "number", rank=1),
    ),
    "reporting checklist": (
        Column("section", "Section"), Column("item", "Point"), Column("status", "Status"), Column("finding", "Finding", "detail"),
        Column("command", "Command", "detail"),
    ),
    "doctor": (Column("status", "Status"), Column("check", "Check"), Column("detail", "Detail")),
    "models": (
        Column("name", "Name"), Column("key_set", "Key set"), Column("key", "Key"), Column("logprobs", "Log-probabilities", short="Logprobs"),
        Column("note", "Note", rank=1), Column("address", "Address", rank=2), Column("key_needed", "Key needed", rank=2),
    ),
    "languages": (
        Column("tag", "Tag"), Column("name", "Name"), Column("pack", "Pack"), Column("reviewed", "Reviewed"), Column("script", "Script"),
        Column("direction", "Direction", rank=1), Column("family", "Family", rank=1), Column("branch", "Branch", rank=2),
        Column("autonym", "Autonym", rank=2),
    ),
    "similarity": (
        Column("kappa_p", "κp", "number", "Agreement beyond what both accuracies alone give."),
        Column("kappa_p_soft", "κp of probabilities", "number", "κp with the probabilities of the options."),
        Column("raw", "Share of same answers", "percentage"), Column("raw_soft", "Chance of the same answer", "percentage"),
        Column("cohen_kappa", "Cohen's κ", "number"), Column("scott_pi", "Scott's π", "number"),
        Column("error_consistency", "Error consistency", "number"), Column("rank_consistency", "RankC", "number"), *RESTS_ON,
    ),
    "similar_models": (
        Column("languages", "Languages", "count"), Column("accuracy", "Right, mean of languages", "percentage", short="Right, mean"),
        Column("within_model", "{measure} of two languages", "number"), Column("pivot", "… of which with {pivot}", "number"),
        Column("between_models_of", "{measure} with other models", "number"), Column("partner", "… with its partner", "number"),
        Column("most", "Most alike"), Column("least", "Least alike"),
    ),
    "similar_languages": (
        Column("accuracy", "Right, mean of models", "percentage", short="Right, mean"), Column("value", "{measure} of two models", "number"), Column("pairs", "Pairs", "count"),
        Column("most", "Most alike"), Column("least", "Least alike"), ANSWERED, EXCLUDED,
    ),
    "means": (Column("value", "{measure}", "number"), Column("pairs", "Pairs", "count"), *RESTS_ON),
    "contrasts": (
        Column("value", "{measure}", "number"), Column("detectable", "Detectable", "number", "What so many items show with 80 % power.", rank=2),
        Column("p_items", "p, items (Holm)", "p", "From the same resamples of items as the interval.", "p, items"),
        Column("p_mantel", "p, Mantel (Holm)", "p", "From permuted runs.", "p, Mantel", 1),
        Column("p_mann_whitney", "p, Mann–Whitney (Holm)", "p", "Of the ranks of pairs.", "p, M–W", 2), *RESTS_ON,
    ),
    "correlations": (
        Column("value", "r", "number", "Pearson's r."), _P, Column("n", "Points", "count"), Column("origin", "Source of the numbers", rank=2),
        Column("without", "Without a number", "count", rank=1),
    ),
    "all_languages": (
        Column("languages", "Languages", "count"), Column("krippendorff_alpha", "Krippendorff's α", "number", short="α"),
        Column("accuracy", "Right, of all answers", "percentage", short="Right, all"), ANSWERED, EXCLUDED,
    ),
    "scoring": (
        Column("disagreement", "Differ", "percentage", "The label that was read is not the most probable option."),
        Column("accuracy_label", "Right by label", "percentage", short="By label"),
        Column("accuracy_probs", "Right by probability", "percentage", short="By probability"),
        Column("accuracy_difference", "Difference", "points", rank=1), *RESTS_ON,
    ),
    "scores": (
        Column("precision", "Precision", "percentage", "What the answer says that the reference says too.", rank=1),
        Column("recall", "Recall", "percentage", "What the reference says that the answer says too.", rank=1),
        Column("f_of_means", "F of means", "percentage", "Harmonic mean of precision and recall."),
        Column("mean_f", "Mean F", "percentage", "Mean of each pair's own F.", rank=2),
        Column("agreement", "{measured}", "percentage"),
        Column("ceiling", "Ceiling", "percentage", "The same of the reference's answers, sent there and back."),
        Column("relative", "Of the ceiling", "percentage", "The score over its ceiling.", rank=1), *_PAIRS,
    ),
    "properties": (
        Column("agreement", "Same", "percentage", "Pairs with the same level."), Column("ceiling", "Ceiling", "percentage"),
        Column("relative", "Of the ceiling", "percentage"), Column("kappa", "κ", "number", "The same beyond chance, Cohen's κ."),
        Column("kappa_ceiling", "Ceiling of κ", "number"), Column("change", "Change", "points", "How much more often the answer has it."), *_PAIRS,
    ),
    "prompts": (
        Column("bleu", "BLEU", "score"), Column("chrf", "chrF", "score"),
        Column("unrepaired", "Texts with a fault that stayed", "percentage", short="Faulty"), Column("n", "Texts", "count"),
    ),
    "losses": (
        Column("item", "Item"), Column("prompt", "Prompt"), Column("loss", "Lost", "percentage"), Column("score", "Mean score", "percentage"),
        Column("ceiling", "Mean ceiling", "percentage"), Column("losing", "Answers that lose", "range"),
    ),
    "models_of_tax": (
        Column("difference", "Difference", "points", "First minus second."), Column("first", "{first}", "percentage", short="First"),
        Column("second", "{second}", "percentage", short="Second"), _DIFFER, _P, *_TAX,
    ),
    "pooled": (Column("difference", "Difference", "points", "First minus second."), _DIFFER, _P, *_TAX),
    "native": (
        Column("translated", "Right on the translated", "percentage"), Column("native", "Right on the native", "percentage"),
        Column("gap", "Gap", "points", "Translated minus native."), _P, *_TAX,
    ),
    "rating": (
        Column("value", "ρ", "number", "Spearman's ρ."), _P, N, ANSWERED, Column("tied", "Tied at no tax", "count", rank=1), _DIFFER,
        Column("remarks", "Remarks", rank=3),
    ),
    "raters": (Column("value", "Value", "number"), Column("n", "Units", "count")),
    "bounds": (
        Column("value", "Valid on both sides", "points"), Column("bounds", "Bounds, points", "range"),
        Column("ends", "With the intervals of the bounds", "range", rank=1), *_TAX[:2],
    ),
    "audit": (
        Column("kind", "Kind"), Column("severity", "Severity"), Column("findings", "Findings", "count", is_own=True),
        Column("items", "Items", "count", is_own=True), Column("languages", "Languages", rank=1), Column("meaning", "Meaning"),
    ),
    "annotation": (
        Column("rater", "Rater"), Column("role", "Role"), Column("question", "Question"),
        Column("assigned", "Assigned", "count", is_own=True), Column("rated", "Rated", "count", is_own=True),
        Column("cannot_judge", "Cannot judge", "count", is_own=True), Column("open", "Open", "count", is_own=True),
    ),
    "audit overview": (Column("tax", "Tax", "points"), Column("effect", "Effect", "points")),
    "translators": (Column("name", "Name"), Column("ready", "Ready"), Column("note", "What it is")),
}  # fmt: skip
"""Table to its columns: statistics, or columns of its rows."""


def columns_of_table(table: str) -> tuple[Column, ...]:
    """The columns of a table: those of COLUMNS, and before what they rest on the statistics that its measure declares besides."""
    known = COLUMNS.get(table, ())
    is_measure = table in MEASURES or (not known and table in offered_measures())
    measure = measure_of(table) if is_measure else None
    declared = measure.statistics if measure is not None else {}
    held = {one.key for one in known}
    more = [
        Column(name, one.heading, one.unit, one.help) for name, one in declared.items() if name not in held
    ]
    if not known:
        return (*(more or (KEYS["statistic"], KEYS["value"])), *RESTS_ON)
    place = next((at for at, one in enumerate(known) if one in RESTS_ON), len(known))
    return (*known[:place], *more, *known[place:])


def column(key: str, table: str = "") -> Column:
    """A column by its key, as a table has it; one that no registry knows is called by its key."""
    held = next((one for one in COLUMNS.get(table, ()) if one.key == key), None)
    return held or KEYS.get(key) or Column(key, key.replace("_", " ").capitalize())


def worded(table: str, **words: str) -> tuple[Column, ...]:
    """The columns of a table with words in the places that headings leave open, such as ``{measure}``."""
    return tuple(replace(one, heading=_worded(one.heading, words)) for one in COLUMNS[table])


def statistic_name(statistic: str) -> str:
    """How a measure of pairs is called in figures and sentences."""
    found = next((one.heading for one in COLUMNS["similarity"] if one.key == statistic), statistic)
    return (
        found if found[:2].isupper() or found.split()[0].endswith("'s") else f"{found[0].lower()}{found[1:]}"
    )


def _worded(heading: str, words: Mapping[str, str]) -> str:
    text = heading.format(**words)
    return f"{text[:1].upper()}{text[1:]}" if heading.startswith("{") and text[:1] != "κ" else text
