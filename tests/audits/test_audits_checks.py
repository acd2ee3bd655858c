"""Every kind of fault, planted in a clean set, is found; the clean set has none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import settings as trials
from hypothesis import strategies as st

from hesperus.audits import KINDS, Audit, AuditSettings, Contract, audit_items
from hesperus.audits.finding import Finding
from hesperus.audits.lengths import numbers_in
from hesperus.audits.wrong_language import script_of
from hesperus.errors import UnknownNameError, UsageError
from hesperus.tasks import load_items, task
from hesperus.types import Item

TAGS = ("en", "de", "es", "ru", "zh")
Sides = dict[str, list[Item]]

WORDS = {
    "en": ("Which of the following answers is the right one for the question about the",
           "river", "mountain", "village", "harbour", "forest", "and what does it mean that they were there in"),
    "de": ("Welche der folgenden Antworten ist die richtige auf die Frage nach dem",
           "Fluss", "Berg", "Dorf", "Hafen", "Wald", "und was bedeutet es, dass sie dort gewesen sind im Jahr"),
    "es": ("Cuál de las siguientes respuestas es la correcta para la pregunta sobre el",
           "río", "monte", "pueblo", "puerto", "bosque", "y qué significa que ellos hayan estado allí en"),
    "ru": ("Какой из следующих ответов является верным на вопрос про",
           "реку", "гору", "село", "гавань", "лес", "и что значит то, что они были там в году"),
    "zh": ("以下哪一个答案是关于这个问题的正确答案", "河流", "山脉", "村庄", "港口", "森林", "他们在那里这件事说明了什么在"),
}  # fmt: skip
OPTIONS = {
    "en": ("a long way", "a short way", "no way"),
    "de": ("ein langer Weg", "ein kurzer Weg", "kein Weg"),
    "es": ("un camino largo", "un camino corto", "ningún camino"),
    "ru": ("долгий путь", "короткий путь", "нет пути"),
    "zh": ("很长的路", "很短的路", "没有路"),
}


def clean(tags: tuple[str, ...] = TAGS) -> Sides:
    """Sixty items whose texts differ by a thing and a number."""
    sides: Sides = {}
    for tag in tags:
        first, *things, last = WORDS[tag]
        sides[tag] = [
            Item(
                f"q{n}",
                tag,
                {"question": f"{first} {things[n % 5]} {last} {1900 + n}?"},
                "ABC"[n % 3],
                tuple(
                    f"{option} ({n + 10 * place} km)" for place, option in enumerate(OPTIONS[tag], start=1)
                ),
            )
            for n in range(60)
        ]
    return sides


def change(sides: Sides, tag: str, place: int, **values: object) -> Sides:
    sides[tag][place] = replace(sides[tag][place], **values)  # type: ignore[arg-type]
    return sides


def ask(sides: Sides, tag: str, text: str, place: int = 7) -> Sides:
    return change(sides, tag, place, fields={"question": text})


def choose(sides: Sides, tag: str, *options: str, place: int = 7) -> Sides:
    return change(sides, tag, place, options=options)


def of_kind(audit: Audit, kind: str) -> list[Finding]:
    return [finding for finding in audit.findings if finding.kind == kind]


def test_a_clean_set_has_no_finding() -> None:
    audit = audit_items(clean())
    assert audit.findings == () and audit.notes == ()
    assert (audit.items, audit.languages, audit.summary()) == (60, TAGS, ())


def test_the_atlas_has_no_finding() -> None:
    atlas = task("atlas")
    assert audit_items(load_items(atlas, atlas.languages)).findings == ()


def twice_the_id(s: Sides) -> Sides:
    s["de"].append(s["de"][7])
    return s


def same_text(s: Sides) -> Sides:
    return change(s, "es", 7, fields=s["es"][12].fields, options=s["es"][12].options)


def asked_twice(s: Sides) -> Sides:
    for tag in s:
        change(s, tag, 7, fields=s[tag][12].fields, options=s[tag][12].options)
    return s


def leak_in_german(s: Sides) -> Sides:
    s = choose(s, "de", "Alexanderplatz 17 km", "Kurfürstendamm 27 km", "Tiergarten 37 km")
    return ask(s, "de", WORDS["de"][0] + " Kurfürstendamm 27 km und dem Platz im Jahr 1907?")


EN7, DE7 = (clean()[tag][7].fields["question"] for tag in ("en", "de"))
FRENCH = "Quelle est la bonne réponse pour la question suivante de 1907 ?"
PLANTED: list[tuple[str, str, str, Callable[[Sides], Sides]]] = [
    ("missing", "exclude", "de", lambda s: s | {"de": s["de"][:7] + s["de"][8:]}),
    ("duplicate_id", "exclude", "de", twice_the_id),
    ("duplicate_text", "exclude", "es", same_text),
    ("duplicate_text", "review", "en de es ru zh", asked_twice),
    ("option_count", "exclude", "ru", lambda s: choose(s, "ru", "долгий путь 17", "короткий путь 27")),
    ("option_count", "exclude", "ru", lambda s: change(s, "ru", 7, options=None)),
    ("option_order", "exclude", "es", lambda s: choose(s, "es", *reversed(s["es"][7].options or ()))),
    ("repeated_option", "exclude", "zh", lambda s: choose(s, "zh", "很长的路 (17 km)", "很短的路 (27 km)", "很短的路  (27 km)")),
    ("repeated_option", "review", "zh", lambda s: choose(s, "zh", "很短的路 (17 km)", "没有路 (27 km)", "很短的路 (17 km)")),
    ("doubled_label", "exclude", "de", lambda s: choose(s, "de", "A. weit 17", "B. kurz 27", "C. nicht 37")),
    ("doubled_label", "exclude", "ru", lambda s: choose(s, "ru", "А) путь 17", "Б) дорога 27", "В) нет 37")),
    ("doubled_label", "exclude", "de", lambda s: choose(s, "de", "(A) A) weit 17", "(B) B) kurz 27", "(C) C) nicht 37")),
    ("doubled_label", "exclude", "en", lambda s: ask(s, "en", f"{EN7} A. A. far B. B. near")),
    ("doubled_label", "review", "en", lambda s: choose(s, "en", "A. A. Milne 17", "near 27", "none 37")),
    ("gold_range", "exclude", "en", lambda s: change(s, "en", 7, gold="D")),
    ("gold_differs", "exclude", "zh", lambda s: change(s, "zh", 7, gold="C")),
    ("gold_missing", "exclude", "es", lambda s: change(s, "es", 7, gold=None)),
    ("empty", "exclude", "de", lambda s: ask(s, "de", " \n")),
    ("empty", "exclude", "de", lambda s: ask(s, "de", "?!")),
    ("empty", "exclude", "ru", lambda s: choose(s, "ru", "долгий путь 17", "", "нет пути 37")),
    ("placeholder", "exclude", "es", lambda s: ask(s, "es", "NS")),
    ("placeholder", "exclude", "es", lambda s: choose(s, "es", "un camino (17 km)", "nan", "ningún camino (37 km)")),
    ("placeholder", "review", "de", lambda s: ask(s, "de", f"{DE7} TODO: prüfen")),
    ("placeholder", "review", "de", lambda s: ask(s, "de", f"Here is the translation: {DE7}")),
    ("damaged", "exclude", "de", lambda s: ask(s, "de", DE7.replace("e", "\ufffd"))),
    ("damaged", "review", "es", lambda s: ask(s, "es", s["es"][7].fields["question"].replace("é", "Ã©"))),
    ("damaged", "review", "en", lambda s: ask(s, "en", f"{EN7} &amp;")),
    ("script", "exclude", "ru", lambda s: ask(s, "ru", EN7)),
    ("script", "exclude", "de", lambda s: ask(s, "de", s["ru"][7].fields["question"])),
    ("script", "exclude", "zh", lambda s: ask(s, "zh", "以下哪一個答案是關於這個問題的正確答案，這件事說明了什麼？ 1907")),
    ("script", "review", "ru", lambda s: choose(s, "ru", "a way that is long 17", "one that is short 27", "none 37")),
    ("mixed_script", "review", "ru", lambda s: ask(s, "ru", s["ru"][7].fields["question"].replace("верным", "вepным"))),
    ("untranslated", "exclude", "de", lambda s: ask(s, "de", EN7.upper())),
    ("untranslated", "exclude", "es", lambda s: ask(s, "es", EN7.replace("village", "pueblo"))),
    ("untranslated", "exclude", "es ru", lambda s: ask(ask(s, "es", FRENCH), "ru", FRENCH)),
    ("language", "exclude", "es", lambda s: ask(s, "es", DE7 + " wirklich")),
    ("length", "review", "de", lambda s: ask(s, "de", DE7 + DE7 + DE7 + DE7)),
    ("number_changed", "review", "es", lambda s: ask(s, "es", s["es"][7].fields["question"].replace("1907", "1973"))),
    ("number_lost", "review", "es", lambda s: ask(s, "es", s["es"][7].fields["question"].replace("1907", ""))),
    ("answer_leak", "review", "de", leak_in_german),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "severity", "tags", "plant"), PLANTED, ids=[f"{p[0]}-{i}" for i, p in enumerate(PLANTED)]
)
def test_a_planted_fault_is_found(
    kind: str, severity: str, tags: str, plant: Callable[[Sides], Sides]
) -> None:
    found = of_kind(audit_items(plant(clean())), kind)
    assert found, kind
    assert {finding.severity for finding in found} == {severity}
    assert {finding.item for finding in found} <= {"q7", "q12"}
    assert found[0].languages == tuple(tags.split())


def test_every_kind_is_planted() -> None:
    assert {planted[0] for planted in PLANTED} == set(KINDS) - {"known_fault"}


def test_what_is_no_fault_is_not_reported() -> None:
    sides = clean()
    for tag in TAGS:
        # An option that is the word None everywhere, genotypes that differ by case, names with initials.
        choose(sides, tag, "None", "DD", "Dd", place=1)
        choose(sides, tag, "C. difficile", "A. B. Smith", "S. aureus", place=2)
        choose(sides, tag, "E = mc²", "H₂O", "β-Carotin", place=3)
        ask(sides, tag, f"{sides[tag][4].fields['question']} Johann Sebastian Bach", place=4)
    ask(sides, "es", sides["es"][5].fields["question"] + " todo", place=5)
    ask(sides, "de", sides["de"][6].fields["question"].replace("1906", "1.906,00"), place=6)
    assert [f for f in audit_items(sides).findings if f.item in {"q1", "q2", "q3", "q4", "q5", "q6"}] == []


def test_labels_and_gold_of_the_language_are_a_tasks_word() -> None:
    sides: Sides = {
        tag: [Item(str(n), tag, {"text": f"{WORDS[tag][0]} {n}"}, "yes") for n in range(3)]
        for tag in ("en", "de")
    }
    change(sides, "de", 1, gold="ja")
    strict = audit_items(sides, contract=Contract(labels=("yes", "no")))
    assert {(f.kind, f.severity) for f in strict.findings} == {
        ("gold_range", "exclude"),
        ("gold_differs", "exclude"),
    }
    assert strict.findings[0].detail == "'ja' is none of the labels of the task"
    mild = audit_items(sides, contract=Contract(gold_by_language=True))
    assert [(f.kind, f.severity, f.languages) for f in mild.findings] == [("gold_differs", "review", ("de",))]
    assert audit_items(sides, contract=Contract(parallel=False)).findings == ()


def test_a_whole_language_in_another_script_is_said_once() -> None:
    sides = clean(("en", "ru"))
    latin = [
        replace(item, fields={"question": f"Koji je od sledećih odgovora tačan za reku {n}"})
        for n, item in enumerate(sides["ru"])
    ]
    notes = audit_items(sides | {"ru": latin}).notes
    assert any("in another script than Cyrl; if that is meant, name it in the tag" in note for note in notes)
    few = audit_items({"en": sides["en"][:3]}).notes
    assert few == (
        "fewer than 50 items, too few to learn the small words of en",
        "one language: nothing could be compared with another",
    )


def test_nothing_to_audit_is_an_error() -> None:
    with pytest.raises(UsageError, match="nothing to audit"):
        audit_items({"en": []})
    with pytest.raises(UnknownNameError, match="unknown language"):
        audit_items({"klingon!": clean()["en"]})


def test_settings_are_checked_and_signed() -> None:
    with pytest.raises(UsageError, match="leak_share is 1.5; it must be more than 0 and at most 1"):
        AuditSettings(leak_share=1.5)
    with pytest.raises(UsageError, match="function_hits is 0; it must be more than 0"):
        AuditSettings(function_hits=0)
    signed = audit_items(clean(("en", "de")), AuditSettings(length_factor=3.0)).signature()["AuditSettings"]
    assert isinstance(signed, dict) and signed["length_factor"] == 3.0
    assert set(signed) == {field.name for field in fields(AuditSettings)}


def test_the_summary_counts_by_kind_and_severity() -> None:
    sides = change(change(clean(), "zh", 7, gold="C"), "de", 9, gold="B")
    audit = audit_items(sides)
    (row,) = audit.summary()
    assert (row["kind"], row["findings"], row["items"], row["languages"]) == ("gold_differs", 2, 2, "de zh")
    assert audit.of("review") == () and len(audit.of("exclude", "review")) == 2


def test_the_order_of_languages_and_items_changes_no_verdict() -> None:
    sides = same_text(change(ask(clean(), "ru", EN7), "zh", 9, gold="C"))
    turned = {tag: sides[tag][::-1] for tag in reversed(TAGS)}

    def verdicts(audit: Audit) -> set[tuple[str, str, str, frozenset[str]]]:
        return {(f.kind, f.severity, f.item, frozenset(f.languages)) for f in audit.findings}

    assert verdicts(audit_items(sides)) == verdicts(audit_items(turned))


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1,234.5 and 1 000 in 2010 200 times", {"12345", "1000", "2010", "200"}),
        ("১৬টি, ١٬٢٣٤, ３", {"16", "1234", "3"}),
        ("$5.00, 5,0 % and 007", {"5", "7"}),
        ("no number", set()),
    ],
)
def test_numbers_in_any_digits(text: str, numbers: set[str]) -> None:
    assert numbers_in(text) == numbers


@given(st.text(max_size=60))
@trials(max_examples=60, derandomize=True, deadline=None)
def test_any_text_is_audited(text: str) -> None:
    sides = ask(clean(("en", "de", "zh")), "zh", text)
    audit = audit_items({tag: many[:25] for tag, many in sides.items()})
    assert {finding.item for finding in audit.findings} <= {"q7"}


def test_scripts_are_told_by_their_unicode_names() -> None:
    assert [script_of(c) for c in "aßжअ語가ひＡ1. "] == [
        "Latn", "Latn", "Cyrl", "Deva", "Hans", "Kore", "Jpan", "Latn", None, None, None,
    ]  # fmt: skip
