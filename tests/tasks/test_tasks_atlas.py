"""The atlas is sound, and its audit finds what is not."""

from __future__ import annotations

import shutil
import string
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hesperus.errors import DataError, UnknownNameError
from hesperus.tasks import atlas
from hesperus.tasks.atlas.world import folder

SCRIPTS = {
    **dict.fromkeys(("de", "en", "es", "fr", "sw"), "Latn"),
    "ar": "Arab",
    "hi": "Deva",
    "ja": "Jpan",
    "ko": "Kore",
    "ru": "Cyrl",
    "th": "Thai",
    "zh": "Hans",
}
LANGUAGES = sorted(SCRIPTS)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the atlas's files, to be damaged."""
    target = tmp_path / "atlas"
    shutil.copytree(str(folder()), target, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    return target


def damage(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text, f"{old!r} is no longer in {file.name}: the planted fault needs another place"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


# What the atlas promises


def test_twelve_languages_in_eight_scripts_right_to_left_among_them() -> None:
    assert atlas.languages() == tuple(LANGUAGES)
    assert len(LANGUAGES) >= 12
    assert len(set(SCRIPTS.values())) == 8
    assert "Arab" in SCRIPTS.values()


def test_two_hundred_facts_about_forty_countries() -> None:
    assert len(atlas.facts()) == 200
    assert Counter(fact.relation for fact in atlas.facts()) == dict.fromkeys(atlas.RELATIONS, 40)
    assert {fact.country for fact in atlas.facts()} == set(atlas.entities("country")) == set(atlas.places())
    assert all(fact.id == f"{fact.relation}/{fact.country}" for fact in atlas.facts())
    assert [len(atlas.entities(kind)) for kind in atlas.KINDS] == [40, 40, 5, 25, 24]


def test_the_audit_finds_nothing_in_the_atlas_as_shipped() -> None:
    assert atlas.audit() == []


def test_gold_letters_are_balanced_in_every_relation() -> None:
    letters = Counter((item.groups["relation"], item.gold) for item in atlas.items("choice", "en"))
    assert letters == {(relation, letter): 10 for relation in atlas.RELATIONS for letter in atlas.LETTERS}


def test_planted_beliefs_are_not_always_at_the_same_letter() -> None:
    places = Counter(atlas.options(fact).index(fact.distractors[0]) for fact in atlas.facts())
    assert min(places[place] for place in range(4)) >= 30


def test_options_do_not_depend_on_the_order_of_the_distractors_file() -> None:
    fact = atlas.fact("capital/france")
    one, two, three = fact.distractors
    turned = atlas.Fact(fact.id, fact.relation, fact.country, fact.gold, (three, one, two))
    assert atlas.options(turned) == atlas.options(fact)
    assert set(atlas.options(fact)) == {fact.gold, one, two, three}


@pytest.mark.parametrize("language", LANGUAGES)
def test_items_are_aligned_and_their_gold_is_the_same_in_every_language(language: str) -> None:
    for form in ("choice", "open"):
        pairs = zip(atlas.items(form, language), atlas.items(form, "en"), strict=True)
        for item, english in pairs:
            assert (item.id, item.gold, item.groups) == (english.id, english.gold, english.groups)
            assert item.language == language
            assert item.options is not None and len(set(item.options)) == 4
    for choice, open_ in zip(atlas.items("choice", language), atlas.items("open", language), strict=True):
        assert choice.options == open_.options and choice.fields == open_.fields
        assert choice.gold is not None and choice.options is not None
        right = choice.options[atlas.LETTERS.index(choice.gold)]
        entity = atlas.entity(right, language)
        assert entity == atlas.fact(choice.id).gold
        assert open_.gold == atlas.name(entity, "en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_describe_items_ask_about_every_country_and_have_no_gold(language: str) -> None:
    items = atlas.items("describe", language)
    assert [item.groups["country"] for item in items] == list(atlas.entities("country"))
    assert all(item.gold is None and item.options is None for item in items)
    assert all(atlas.name(item.groups["country"], language) in item.fields["request"] for item in items)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.sampled_from(LANGUAGES), st.sampled_from(atlas.facts()), st.integers(0, 2), st.data())
def test_sentences_hold_the_names_they_are_about(
    language: str, fact: atlas.Fact, k: int, data: st.DataObject
) -> None:
    country = atlas.name(fact.country, language)
    thing = data.draw(st.sampled_from(atlas.options(fact)))
    assert country in atlas.question(fact, language, k)
    said = atlas.statement(fact, thing, language, k)
    assert country in said and atlas.name(thing, language) in said
    objects = {
        relation: atlas.fact(f"{relation}/{fact.country}").distractors[k] for relation in atlas.RELATIONS
    }
    text = atlas.description(fact.country, objects, language, k)
    assert all(atlas.name(entity, language) in text for entity in (fact.country, *objects.values()))
    assert not set("{}") & set(atlas.question(fact, language, k) + said + text)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.sampled_from(LANGUAGES), st.sampled_from(atlas.KINDS), st.data())
def test_a_name_leads_back_to_its_entity(language: str, kind: atlas.Kind, data: st.DataObject) -> None:
    entity = data.draw(st.sampled_from(atlas.entities(kind)))
    name = atlas.name(entity, language)
    assert atlas.entity(name, language) == atlas.entity(f" {name.upper()} ", language) == entity
    assert atlas.entity(name + "?", language) is None


def test_a_name_inside_another_is_reported() -> None:
    assert ("Nepal", "Nepali") in atlas.contained_names("en")
    assert ("コロン", "コロンビア") in atlas.contained_names("ja")


@pytest.mark.parametrize("task", ["atlas", "atlas-open", "atlas-describe"])
def test_an_instruction_fills_its_layout_in_every_language(task: str) -> None:
    asking = atlas.asking(task)
    assert sorted(asking.instructions) == LANGUAGES
    known = {"prefix", "suffix", *asking.fields, *(f"{field}.word" for field in asking.fields)}
    known |= {f"option.{letter}" for letter in atlas.LETTERS}
    slots = {slot for _, slot, _, _ in string.Formatter().parse(asking.layout) if slot}
    assert slots <= known and set(asking.fields) <= slots
    form = {"atlas": "choice", "atlas-open": "open", "atlas-describe": "describe"}[task]
    for language in LANGUAGES:
        assert list(atlas.items(form, language)[0].fields) == list(asking.fields)  # type: ignore[arg-type]
        assert asking.instructions[language].answers == {label: (label,) for label in asking.labels}
    assert asking.labels == (atlas.LETTERS if task == "atlas" else ())


def test_the_public_names_are_sorted_and_exist() -> None:
    assert atlas.__all__ == sorted(atlas.__all__)
    assert all(hasattr(atlas, name) for name in atlas.__all__)


# What is not there


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: atlas.name("paris", "tlh"), "unknown language of the atlas: 'tlh'"),
        (lambda: atlas.name("pariss", "en"), "unknown entity of the atlas: 'pariss'; did you mean 'paris'"),
        (lambda: atlas.templates("xx"), "unknown language of the atlas: 'xx'"),
        (lambda: atlas.entity("Paris", "xx"), "unknown language of the atlas: 'xx'"),
        (lambda: atlas.contained_names("xx"), "unknown language of the atlas: 'xx'"),
        (lambda: atlas.fact("capital/frnce"), "did you mean 'capital/france'"),
        (lambda: atlas.entities("city"), "unknown kind of entity: 'city'; known: capital"),
        (lambda: atlas.items("yesno", "en"), "unknown form of the atlas: 'yesno'; known: choice"),
        (lambda: atlas.items("choice", "xx"), "unknown language of the atlas: 'xx'"),
        (lambda: atlas.asking("atlas-yesno"), "unknown task of the atlas: 'atlas-yesno'"),
        (
            lambda: atlas.description("peru", {"capital": "lima"}, "en"),
            "unknown relation given an object: 'continent'; known: capital",
        ),
        (
            lambda: atlas.options(
                atlas.Fact("capital/x", "capital", "x", "paris", ("rome", "lima", "quito"))
            ),
            "unknown fact of the atlas: 'capital/x'",
        ),
    ],
)
def test_what_does_not_exist_is_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(UnknownNameError) as error:
        call()
    assert message in str(error.value)


def test_there_is_no_fourth_template() -> None:
    with pytest.raises(IndexError):
        atlas.question(atlas.fact("capital/france"), "en", 3)


# Planted faults: the audit must find each


FAULTS = [
    ("names/fr.yaml", "lima: Lima", "lima: pérou", "'pérou' (lima) stands for more than one entity"),
    ("names/fr.yaml", "lima: Lima", "lima: Quito", "options of capital/peru are not four distinct names"),
    (
        "names/ru.yaml",
        "paris: Париж",
        "paris: Paris",
        "'Paris' has 'P', which is not of the language's script",
    ),
    ("names/ar.yaml", "paris: باريس", "paris: Париж", "names/ar: paris: 'Париж' has 'П'"),
    ("names/en.yaml", "paris: Paris", "paris: Pаris", "which is not of the language's script"),
    ("names/es.yaml", "paris: París", "paris: Pari\u0301s", "is not composed (NFC)"),
    ("names/en.yaml", "paris: Paris", 'paris: " Paris"', "is empty or has blanks around it"),
    ("names/hi.yaml", "  lima: लीमा\n", "", "names/hi: capital lima is not in every language"),
    ("names/th.yaml", "  lima:", "  lyma:", "names/th: capital lyma is not in every language"),
    (
        "facts.yaml",
        "  capital/peru: {gold: lima, distractors: [quito, bogota, santiago]}\n",
        "",
        "facts: capital/peru is missing",
    ),
    (
        "facts.yaml",
        "capital/peru:",
        "capital/atlantis:",
        "capital/atlantis is about no country of the names files",
    ),
    ("facts.yaml", "  capital/peru:", "  capital/atlantis:", "facts: atlantis has no entry in the world"),
    ("facts.yaml", "{gold: lima,", "{gold: peru,", "capital/peru names peru, which is no entity of its kind"),
    (
        "facts.yaml",
        "{gold: lima, distractors: [quito, bogota, santiago]}",
        "{gold: lima, distractors: [quito, lima, santiago]}",
        "capital/peru has fewer than four distinct options",
    ),
    (
        "facts.yaml",
        "borders: [chile, ecuador, colombia]",
        "borders: [chile]",
        "ecuador borders peru, but not",
    ),
    (
        "facts.yaml",
        "{gold: chile, distractors: [argentina,",
        "{gold: chile, distractors: [ecuador,",
        "neighbour/peru has the distractor ecuador, which is true",
    ),
    (
        "facts.yaml",
        "language/finland: {gold: finnish, distractors: [hungarian,",
        "language/finland: {gold: finnish, distractors: [swedish,",
        "language/finland has the distractor swedish, which is true",
    ),
    (
        "facts.yaml",
        "currency/cambodia: {gold: riel, distractors: [dong,",
        "currency/cambodia: {gold: riel, distractors: [us-dollar,",
        "currency/cambodia has the distractor us-dollar, which is true",
    ),
    (
        "facts.yaml",
        "{gold: chile, distractors: [argentina,",
        "{gold: egypt, distractors: [argentina,",
        "neighbour/peru has the gold egypt, which is no neighbour",
    ),
    (
        "templates/de.yaml",
        '    - "Nenne die Hauptstadt von {country}."\n',
        "",
        "question.capital has 2 templates, 3 were expected",
    ),
    (
        "templates/de.yaml",
        "Das weiß ich nicht.",
        "Das kann ich leider nicht beantworten.",
        "same template twice",
    ),
    (
        "templates/ja.yaml",
        "{country}は{object}に",
        "{country}は",
        "must have ('country', 'object'), each once",
    ),
    ("templates/ja.yaml", "わかりません", "{country}わかりません", "must have no slot, each once"),
    (
        "templates/zh.yaml",
        "{country}的首都是哪里",
        "{country}的首都}是哪里",
        "has a brace that belongs to no slot",
    ),
    ("templates/ko.yaml", "이웃 나라입니까", "공동 이웃 나라입니까", "has the name '동' written into it"),
    (
        "templates/en.yaml",
        "Tell me briefly about",
        "Tell me in Europe about",
        "has the name 'Europe' written into it",
    ),
    ("templates/th.yaml", "ไม่ทราบ", "I do not know", "templates/th: decline: 'I do not know' has 'I'"),
    (
        "names/en.yaml",
        "spanish: Spanish",
        "spanish: Official",
        "question 0 of language/peru holds its answer 'Official'",
    ),
    (
        "names/de.yaml",
        "lima: Lima",
        "lima: Per",
        "templates/de: question 2 of capital/peru holds its answer 'Per'",
    ),
    ("instructions.yaml", "    th:\n", "    vi:\n", "atlas and the names files do not both have th"),
    (
        "instructions.yaml",
        'words: {question: "Frage"}',
        "words: {}",
        "atlas.de: words are not those of the layout",
    ),
    ("instructions.yaml", '\\"C\\" oder \\"D\\"', '\\"D\\" oder so', "the suffix does not name the answer C"),
    ("instructions.yaml", "Ответьте на следующий", "Answer the следующий", "atlas.ru: 'Answer the"),
]


@pytest.mark.parametrize(("file", "old", "new", "finding"), FAULTS, ids=[fault[3][-45:] for fault in FAULTS])
def test_a_planted_fault_is_found(copy: Path, file: str, old: str, new: str, finding: str) -> None:
    damage(copy / file, old, new)
    findings = atlas.audit(copy)
    assert any(finding in line for line in findings), findings


def test_an_undamaged_copy_has_no_findings(copy: Path) -> None:
    assert atlas.audit(copy) == []


BREAKS = [
    (
        "facts.yaml",
        "\nworld:\n",
        "\nworlds:\n",
        "missing world and unknown worlds; the keys are world, facts",
    ),
    ("facts.yaml", "    currencies: []", "    currencies: ~", "expected a list of texts, found NoneType"),
    ("facts.yaml", "[quito, bogota, santiago]", "[quito, bogota]", "expected three distractors, found 2"),
    (
        "facts.yaml",
        "capital/peru",
        "capitol/peru",
        "field 'capitol/peru': write RELATION/COUNTRY with a relation of",
    ),
    ("facts.yaml", "facts:\n", "facts:\n  - x\n", "the file is not YAML"),
    ("names/en.yaml", "paris: Paris", "paris: 7", "expected text, found int 7; quote it"),
    ("names/en.yaml", "language:\n", "languages:\n", "missing language and unknown languages"),
    ("names/en.yaml", "  paris: Paris", "  75: Paris", "expected a mapping with text keys, found dict"),
    ("templates/en.yaml", "decline:", "refuse:", "missing decline and unknown refuse"),
    (
        "instructions.yaml",
        "\n  form: choice",
        "\n  form: letter",
        "'letter' is no form; write choice or text",
    ),
    ("instructions.yaml", "suffix:", "tail:", "missing suffix and unknown tail"),
]


@pytest.mark.parametrize(("file", "old", "new", "message"), BREAKS, ids=[entry[3][-45:] for entry in BREAKS])
def test_a_broken_file_is_refused(copy: Path, file: str, old: str, new: str, message: str) -> None:
    damage(copy / file, old, new)
    with pytest.raises(DataError) as error:
        atlas.audit(copy)
    assert message in str(error.value)
    assert file in str(error.value)


def test_a_missing_file_and_a_wrong_encoding_are_refused(copy: Path) -> None:
    (copy / "templates" / "th.yaml").write_bytes("ไทย".encode("cp874"))
    with pytest.raises(DataError, match="th.yaml: the file is not UTF-8"):
        atlas.audit(copy)
    (copy / "templates" / "th.yaml").unlink()
    with pytest.raises(DataError, match="th.yaml: the file is missing"):
        atlas.audit(copy)
