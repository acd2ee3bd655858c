"""What a rater's browser is sent: the shown texts, the questions, the rater's own judgements, and nothing else."""

from __future__ import annotations

import json
import re

from hesperus.annotation.adjudication import Ratings, anonymous, differing, ratings
from hesperus.annotation.scales import LONGEST_COMMENT
from hesperus.annotation.scheme import Question, Scheme
from hesperus.annotation.store import Rater, RatingStore
from hesperus.annotation.units import Text, Unit
from hesperus.fingerprint import JSON, fingerprint
from hesperus.languages import language

_DECEPTIVE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202d\u202e\ufff9-\ufffb\U000e0000-\U000e0fff]")
"""Control characters, overrides of direction and invisible tags; marks, joiners and isolates, which scripts need, stay."""

RESULT_FORMAT = "hesperus.ratings"
"""Format of the file that a mailed page gives back."""

RESULT_VERSION = 1


def payload(store: RatingStore, rater: Rater) -> dict[str, JSON]:
    """The page's data for one rater.

    A rater gets the units assigned to them and their own judgements. An adjudicator gets the units in which raters
    differ, with the ratings that differ, without names, and those decided before.
    """
    scheme = store.sheet.scheme
    own = [entry for key, entry in store.current().items() if key[0] == rater.name]
    asked: dict[str, tuple[str, ...]] = {}
    said: Ratings = {}
    if rater.role == "adjudicator":
        said, asked = ratings(store), dict(differing(store))
        decided: dict[str, set[str]] = {}
        for entry in own:
            decided.setdefault(entry.judgement.unit, set()).add(entry.judgement.question)
        for code, names in decided.items():
            both = names | set(asked.get(code, ()))
            asked[code] = tuple(question.name for question in scheme.questions if question.name in both)
    else:
        asked = {
            code: tuple(question.name for question in scheme.questions) for code in store.assigned(rater)
        }
    titles = {shown.name: shown.title for shown in scheme.shows}
    units: list[JSON] = []
    for code in store.assigned(rater):
        if not asked.get(code):
            continue
        shown = _unit(store.sheet.by_code[code], code, titles)
        shown["asked"] = list(asked[code])
        if rater.role == "adjudicator":
            by_question = anonymous(store, said, code)
            shown["ratings"] = {
                name: [dict(rating) for rating in by_question.get(name, [])] for name in asked[code]
            }
        units.append(shown)
    return {
        "format": RESULT_FORMAT,
        "version": RESULT_VERSION,
        "sheet": store.sheet.fingerprint,
        "rater": rater.name,
        "place": fingerprint([store.sheet.fingerprint, rater.name, rater.role]),
        "role": rater.role,
        **_asked(scheme),
        "units": units,
        "judgements": [
            {
                "unit": entry.judgement.unit,
                "question": entry.judgement.question,
                "state": entry.judgement.state,
                "value": entry.judgement.value,
            }
            for entry in own
        ],
    }


def script_json(value: JSON) -> str:
    """JSON that may be in a script element of a page: nothing in it can end the element or begin a comment."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _asked(scheme: Scheme) -> dict[str, JSON]:
    return {
        "title": scheme.title,
        "instructions": [part.strip() for part in scheme.instructions.split("\n\n") if part.strip()],
        "longest_comment": LONGEST_COMMENT,
        "questions": [_question(question) for question in scheme.questions],
    }


def _question(question: Question) -> JSON:
    return {
        "name": question.name,
        "title": question.title,
        "help": question.help,
        "ordinal": question.level == "ordinal",
        "labels": question.labels,
        "cannot_judge": question.cannot_judge,
        "choices": [
            {"value": choice.value, "label": choice.label or choice.value, "anchor": choice.anchor}
            for choice in question.choices
        ],
    }


def _unit(unit: Unit, code: str, titles: dict[str, str]) -> dict[str, JSON]:
    return {
        "code": code,
        "labels": list(unit.labels),
        "texts": [_text(text, titles[text.name]) for text in unit.texts],
    }


def _text(text: Text, title: str) -> JSON:
    known = language(text.language) if text.language is not None else None
    return {
        "title": title,
        # What would hide or reorder text is shown as its code
        "text": _DECEPTIVE.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text.text),
        "language": known.tag if known else "",
        "direction": known.direction if known else "auto",
        "language_name": known.name if known else "",
    }
