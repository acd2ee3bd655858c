"""How statistics, groups, states and evaluators of open answers are called wherever a person reads them."""

from __future__ import annotations

from collections.abc import Mapping

from hesperus.analysis.open_answers.open_findings import OpenFindings
from hesperus.analysis.open_answers.open_tables import UNKNOWN
from hesperus.analysis.open_answers.statistics import UNSEEN_WORDS
from hesperus.wording import property_names

EMBEDDED = "embedded"
"""Name of the judge that needs no model."""

GROUPING_NAMES: Mapping[str, str] = {
    "all": "all languages",
    "script": "script",
    "family": "family (Glottolog)",
    "branch": "branch (Glottolog)",
    "paper_script": "script, as the paper groups it",
    "paper_family": "family, as the paper groups it",
    "trained_on": "declared training languages",
}

STATE_WORDS: Mapping[str, str] = {
    "compared": "compared",
    "reference_silent": "only the reference gives no answer",
    "candidate_silent": "only this language gives no answer",
    "both_silent": "neither gives an answer",
    "unreadable": UNSEEN_WORDS["unreadable"],
    "no_answer": UNSEEN_WORDS["no_answer"],
    "untranslated": UNSEEN_WORDS["untranslated"],
    "failed": UNSEEN_WORDS["failed"],
    "absent": UNSEEN_WORDS["absent"],
}
"""States of pairs in words, in the order of counting.STATES."""

FAULT_WORDS: Mapping[str, str] = {
    "empty": "empty",
    "repetition": "repeats itself",
    "length": "too long or too short",
    "copy": "left as it was",
    "script": "another script",
    "language": "another language",
    "numbers": "numbers lost or added",
    "verbatim": "code or addresses changed",
}

RUNG_WORDS: Mapping[str, str] = {
    "first": "at once",
    "verbatim": "around code and addresses",
    "sample": "by sampling",
    "beam": "by beam search",
    "split": "clause by clause",
}

SCRIPT_NAMES: Mapping[str, str] = {
    "Arab": "Arabic", "Armn": "Armenian", "Beng": "Bengali", "Cyrl": "Cyrillic", "Deva": "Devanagari",
    "Ethi": "Ethiopic", "Geor": "Georgian", "Grek": "Greek", "Gujr": "Gujarati", "Guru": "Gurmukhi",
    "Hans": "Simplified Chinese", "Hant": "Traditional Chinese", "Hebr": "Hebrew", "Jpan": "Japanese", "Khmr": "Khmer",
    "Knda": "Kannada", "Kore": "Korean", "Laoo": "Lao", "Latn": "Latin", "Mlym": "Malayalam", "Mymr": "Burmese",
    "Orya": "Odia", "Sinh": "Sinhala", "Taml": "Tamil", "Telu": "Telugu", "Thai": "Thai", "Tibt": "Tibetan",
}  # fmt: skip


def group_name(grouping: str, group: str) -> str:
    """A group of languages in words."""
    if grouping == "script":
        return SCRIPT_NAMES.get(group, group)
    if grouping == "trained_on":
        return {"in": "declared as training languages", "out": "not declared"}.get(group, group)
    return "not in the paper" if group == UNKNOWN and grouping.startswith("paper") else group


def judge_name(signature: Mapping[str, object]) -> str:
    """Who judged, from the signature of an evaluation: a judge, a grader or a classifier."""
    judge = signature.get("judge")
    if not isinstance(judge, Mapping):
        return ""
    for name in ("judge", "grader", "classifier", "evaluator"):
        held = judge.get(name)
        if isinstance(held, str) and held:
            return held
    return ""


def agreement_name(what: str, properties: int) -> str:
    """What the share of pairs that agree is called: of a property, of a profile of so many, or of whole contents."""
    if not properties:
        return "Equivalence"
    return f"Same {property_names(what)}" + (" profile" if properties > 1 else "")


def measured_name(found: OpenFindings) -> str:
    """What the main statistic of an evaluator measures, as an axis is headed."""
    if found.is_information:
        return "Information kept (F of means)"
    return agreement_name(found.what, len(found.properties))
