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

from hesperus.audits import baseline_guesses
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
    return copied(tmp_path / "atlas")


def copied(target: Path) -> Path:
    shutil.copytree(str(folder()), target, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    return target


def damage(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text, f"{old!r} is no longer in {file.name}: the planted fault needs another place"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def named(entity: str, language: str, text: str) -> bool:
    return any(spelling.casefold() in text.casefold() for spelling in atlas.spellings(entity, language))


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
    assert [len(atlas.entities(kind)) for kind in atlas.KINDS] == [40, 40, 5, 28, 21]


def test_the_audit_finds_nothing_in_the_atlas_as_shipped() -> None:
    assert atlas.audit() == []


def test_gold_letters_are_balanced_in_every_relation() -> None:
    letters = Counter((item.groups["relation"], item.gold) for item in atlas.items("choice", "en"))
    assert letters == {(relation, letter): 10 for relation in atlas.RELATIONS for letter in atlas.LETTERS}


def test_planted_beliefs_are_not_always_at_the_same_letter() -> None:
    places = Counter(atlas.options(fact).index(fact.distractors[0]) for fact in atlas.facts())
    assert min(places[place] for place in range(4)) >= 30


def test_options_do_not_depend_on_the_order_of_the_distractors_file() -> None:
    fact = atlas.fact("capital/italy")
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
    opened = {item.id: item for item in atlas.items("open", language)}
    for choice in atlas.items("choice", language):
        if choice.groups["relation"] == "neighbour":  # a country has several: no open question with one gold
            assert choice.id not in opened
            continue
        open_ = opened[choice.id]
        assert choice.options == open_.options and choice.fields == open_.fields
        assert choice.gold is not None and choice.options is not None
        right = choice.options[atlas.LETTERS.index(choice.gold)]
        entity = atlas.entity(right, language)
        assert entity == atlas.fact(choice.id).gold
        assert open_.gold == atlas.name(entity, "en")
        assert open_.accepted[open_.gold] == atlas.accepted(entity, language)
        accepted = [text.casefold() for texts in open_.accepted.values() for text in texts]
        assert len(accepted) == len(set(accepted))


@pytest.mark.parametrize("language", LANGUAGES)
def test_describe_items_ask_about_every_country_and_have_no_gold(language: str) -> None:
    items = atlas.items("describe", language)
    assert [item.groups["country"] for item in items] == list(atlas.entities("country"))
    assert all(item.gold is None and item.options is None for item in items)
    assert all(named(item.groups["country"], language, item.fields["request"]) for item in items)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.sampled_from(LANGUAGES), st.sampled_from(atlas.facts()), st.integers(0, 2), st.data())
def test_sentences_hold_the_names_they_are_about(
    language: str, fact: atlas.Fact, k: int, data: st.DataObject
) -> None:
    thing = data.draw(st.sampled_from(atlas.options(fact)))
    assert named(fact.country, language, atlas.question(fact, language, k))
    said = atlas.statement(fact, thing, language, k)
    assert named(fact.country, language, said) and named(thing, language, said)
    objects = {
        relation: atlas.fact(f"{relation}/{fact.country}").distractors[k] for relation in atlas.RELATIONS
    }
    text = atlas.description(fact.country, objects, language, k)
    assert all(named(entity, language, text) for entity in (fact.country, *objects.values()))
    assert not set("{}") & set(atlas.question(fact, language, k) + said + text)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.sampled_from(LANGUAGES), st.sampled_from(atlas.KINDS), st.data())
def test_a_name_leads_back_to_its_entity(language: str, kind: atlas.Kind, data: st.DataObject) -> None:
    entity = data.draw(st.sampled_from(atlas.entities(kind)))
    name = atlas.name(entity, language)
    assert atlas.entity(name, language) == atlas.entity(f" {name.upper()} ", language) == entity
    assert atlas.entity(name + "?", language) is None


def test_a_name_inside_another_is_reported() -> None:
    assert ("franc", "Swiss franc") in atlas.contained_names("en")
    assert ("フラン", "フランス語") in atlas.contained_names("ja")


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


# Names in sentences


@pytest.mark.parametrize(
    ("relation", "country", "language", "k", "asked"),
    [
        ("capital", "chile", "fr", 0, "Quelle est la capitale du Chili ?"),
        ("currency", "ethiopia", "fr", 1, "Quelle monnaie utilise-t-on en Éthiopie ?"),
        ("capital", "hungary", "fr", 0, "Quelle est la capitale de la Hongrie ?"),
        ("capital", "saudi-arabia", "ru", 0, "Как называется столица Саудовской Аравии?"),
        ("currency", "vietnam", "ru", 1, "Какая валюта используется во Вьетнаме?"),
        ("neighbour", "sweden", "ru", 0, "Какая страна граничит со Швецией?"),
        ("continent", "iraq", "ko", 0, "이라크는 어느 대륙에 있습니까?"),
        ("continent", "bhutan", "ko", 0, "부탄은 어느 대륙에 있습니까?"),
        ("neighbour", "senegal", "ko", 0, "세네갈과 국경을 맞대고 있는 나라는 어디입니까?"),
        ("continent", "jordan", "ar", 0, "في أي قارة يقع الأردن؟"),
        ("continent", "india", "ar", 0, "في أي قارة تقع الهند؟"),
        ("capital", "iraq", "de", 0, "Wie heißt die Hauptstadt des Irak?"),
        ("neighbour", "senegal", "de", 2, "Nenne ein Land, das an den Senegal grenzt."),
        ("capital", "india", "es", 0, "¿Cuál es la capital de la India?"),
        ("language", "india", "es", 1, "En la India, ¿cuál es el principal idioma oficial?"),
        ("continent", "chile", "ru", 0, "На каком континенте находится Чили?"),
        ("currency", "moldova", "de", 1, "Welche Währung wird in der Republik Moldau verwendet?"),
    ],
)
def test_names_take_the_form_that_their_sentence_needs(
    relation: str, country: str, language: str, k: int, asked: str
) -> None:
    assert atlas.question(atlas.fact(f"{relation}/{country}"), language, k) == asked


def test_a_form_that_begins_a_sentence_has_a_capital() -> None:
    assert atlas.statement(atlas.fact("language/zambia"), "english", "ru", 2).startswith("Английский — ")
    assert atlas.statement(atlas.fact("neighbour/italy"), "austria", "fr", 0).startswith("L’Italie partage")
    assert atlas.statement(atlas.fact("neighbour/bangladesh"), "india", "es", 2).startswith("La India es ")


@pytest.mark.parametrize(
    ("text", "language", "kind", "entity"),
    [
        ("Mandarin", "en", None, "chinese"),
        ("renminbi", "en", "currency", "yuan"),
        ("دينار", "ar", "currency", "dinar"),
        ("بولا", "ar", None, "pula"),
        ("อาหรับ", "th", "language", "arabic"),
        ("จีน", "th", None, "china"),
        ("จีน", "th", "language", "chinese"),
        ("Central America", "en", None, "north-america"),
        ("Mittelamerika", "de", None, "north-america"),
        ("Kisuaheli", "de", None, "swahili"),
        ("Utopia", "en", None, None),
    ],
)
def test_other_right_names_are_read(
    text: str, language: str, kind: atlas.Kind | None, entity: str | None
) -> None:
    assert atlas.entity(text, language, kind) == entity


def test_the_name_that_is_shown_is_the_first_that_is_accepted() -> None:
    for language in LANGUAGES:
        for entity, kind in atlas.kinds().items():
            texts = atlas.accepted(entity, language)
            assert texts[0] == atlas.name(entity, language)
            assert all(atlas.entity(text, language, kind) == entity for text in texts)


# What can be guessed


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_shared_string_hardly_tells_the_answer(language: str) -> None:
    guesses = {
        guess.baseline: guess for guess in baseline_guesses({language: atlas.items("choice", language)})
    }
    found = guesses["shared_string"]
    right: dict[str, list[float]] = {relation: [] for relation in atlas.RELATIONS}
    for item, share in zip(found.items, found.right, strict=True):
        right[atlas.fact(item).relation].append(float(share))
    for relation, shares in right.items():
        assert len(shares) == 40 and sum(shares) / 40 <= 0.35, relation


@pytest.mark.parametrize("relation", atlas.RELATIONS)
def test_options_alone_hardly_tell_the_answer(relation: str) -> None:
    facts = [fact for fact in atlas.facts() if fact.relation == relation]
    golds = Counter(fact.gold for fact in facts)
    shown = Counter(entity for fact in facts for entity in atlas.options(fact))
    for score in (lambda entity: golds[entity], lambda entity: golds[entity] / shown[entity]):
        right = 0.0
        for fact in facts:
            scores = {entity: score(entity) for entity in atlas.options(fact)}
            best = [entity for entity in scores if scores[entity] == max(scores.values())]
            right += (fact.gold in best) / len(best)
        assert right / len(facts) <= 0.33, relation


def test_no_entity_is_the_answer_or_an_option_too_often() -> None:
    for relation in atlas.RELATIONS:
        facts = [fact for fact in atlas.facts() if fact.relation == relation]
        golds = Counter(fact.gold for fact in facts)
        shown = Counter(entity for fact in facts for entity in atlas.options(fact))
        most = 1 / 3 if relation == "continent" else 0.15
        assert max(golds.values()) <= most * 40 and max(shown.values()) <= most * 160, relation


def test_no_continent_is_contested() -> None:
    for fact in atlas.facts():
        if fact.relation == "continent" and "america" in fact.gold:
            assert not {"north-america", "south-america"} & set(fact.distractors)
    assert not {"egypt", "spain", "france", "turkey", "russia"} & set(atlas.entities("country"))


# What is not there


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: atlas.name("rome", "tlh"), "unknown language of the atlas: 'tlh'"),
        (
            lambda: atlas.name("nairobii", "en"),
            "unknown entity of the atlas: 'nairobii'; did you mean 'nairobi'",
        ),
        (lambda: atlas.templates("xx"), "unknown language of the atlas: 'xx'"),
        (lambda: atlas.entity("Rome", "xx"), "unknown language of the atlas: 'xx'"),
        (lambda: atlas.contained_names("xx"), "unknown language of the atlas: 'xx'"),
        (lambda: atlas.fact("capital/itly"), "did you mean 'capital/italy'"),
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
        atlas.question(atlas.fact("capital/italy"), "en", 3)


# Planted faults: the audit must find each


FAULTS = [
    (
        "names/ru.yaml",
        "{gen: Чили, acc",
        "{gne: Чили, acc",
        "asks for the form 'gen', which names/ru lacks for chile",
    ),
    ("names/de.yaml", "der: die Republik", "der: die Републик", "names/de: moldova.der: 'die Републик"),
    ("names/en.yaml", "chinese: [Mandarin,", "chinese: [Urdu,", "'urdu' stands for chinese and urdu"),
    (
        "facts.yaml",
        "language/nigeria: {gold: english,",
        "language/nigeria: {gold: spanish,",
        "spanish is the answer to 7 of 40 facts of language",
    ),
    ("names/fr.yaml", "lima: Lima", "lima: pérou", "'pérou' (lima) stands for more than one entity"),
    ("names/fr.yaml", "lima: Lima", "lima: Managua", "options of capital/peru are not four distinct names"),
    (
        "names/ru.yaml",
        "rome: Рим",
        "rome: Rim",
        "'Rim' has 'R', which is not of the language's script",
    ),
    ("names/ar.yaml", "rome: روما", "rome: Рим", "names/ar: rome: 'Рим' has 'Р'"),
    ("names/en.yaml", "managua: Managua", "managua: Mаnagua", "which is not of the language's script"),
    ("names/es.yaml", "yaounde: Yaundé", "yaounde: Yaunde\u0301", "is not composed (NFC)"),
    ("names/en.yaml", "rome: Rome", 'rome: " Rome"', "is empty or has blanks around it"),
    ("names/hi.yaml", "  lima: लीमा\n", "", "names/hi: capital lima is not in every language"),
    ("names/th.yaml", "  lima:", "  lyma:", "names/th: capital lyma is not in every language"),
    (
        "facts.yaml",
        "borders: [nicaragua]\n    languages: [english, arabic]",
        "borders: []\n    languages: [english, arabic]",
        "nicaragua borders honduras, but not",
    ),
    (
        "facts.yaml",
        "  capital/peru: {gold: lima, distractors: [tegucigalpa, managua, san-jose]}\n",
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
        "{gold: lima, distractors: [tegucigalpa, managua, san-jose]}",
        "{gold: lima, distractors: [tegucigalpa, lima, san-jose]}",
        "capital/peru has fewer than four distinct options",
    ),
    (
        "facts.yaml",
        "neighbour/chile: {gold: peru, distractors: [guinea,",
        "neighbour/chile: {gold: peru, distractors: [argentina,",
        "neighbour/chile has the distractor argentina, which is true",
    ),
    (
        "facts.yaml",
        "language/finland: {gold: finnish, distractors: [dzongkha,",
        "language/finland: {gold: finnish, distractors: [swedish,",
        "language/finland has the distractor swedish, which is true",
    ),
    (
        "facts.yaml",
        "currency/hungary: {gold: forint, distractors: [pound,",
        "currency/hungary: {gold: forint, distractors: [euro,",
        "currency/hungary has the distractor euro, which is true",
    ),
    (
        "facts.yaml",
        "neighbour/peru: {gold: chile, distractors:",
        "neighbour/peru: {gold: kenya, distractors:",
        "neighbour/peru has the gold kenya, which is no neighbour",
    ),
    (
        "templates/de.yaml",
        '    - "Nenne die Hauptstadt {country.von}."\n',
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
    (
        "templates/ko.yaml",
        "공용어는 무엇입니까",
        "공동 언어는 무엇입니까",
        "has the name '동' written into it",
    ),
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
    ("instructions.yaml", "„C“ oder „D“", "„D“ oder so", "the suffix does not name the answer C"),
    ("instructions.yaml", "Ответьте на следующий", "Answer the следующий", "atlas.ru: 'Answer the"),
]


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """By what must be found: what is, in a copy in which each file has one fault at most."""
    of_files: dict[str, list[tuple[str, str, str]]] = {}
    for file, *fault in FAULTS:
        of_files.setdefault(file, []).append((fault[0], fault[1], fault[2]))
    found: dict[str, list[str]] = {}
    for place in range(max(map(len, of_files.values()))):
        planted = {file: faults[place] for file, faults in of_files.items() if place < len(faults)}
        target = copied(tmp_path_factory.mktemp("atlas") / "atlas")
        for file, (old, new, _) in planted.items():
            damage(target / file, old, new)
        found |= dict.fromkeys([finding for _, _, finding in planted.values()], atlas.audit(target))
    return found


@pytest.mark.parametrize("finding", [fault[3] for fault in FAULTS], ids=lambda finding: finding[-45:])
def test_a_planted_fault_is_found(findings: dict[str, list[str]], finding: str) -> None:
    assert any(finding in line for line in findings[finding]), findings[finding]


def test_an_undamaged_copy_has_no_findings(copy: Path) -> None:
    assert atlas.audit(copy) == []


BREAKS = [
    ("facts.yaml", "\nworld:\n", "\nworlds:\n", "unknown field `worlds`"),
    ("facts.yaml", "    currencies: []", "    currencies: ~", "Expected `array`, got `null`"),
    ("facts.yaml", "[tegucigalpa, managua, san-jose]", "[tegucigalpa, managua]", "of length 3, got 2"),
    (
        "facts.yaml",
        "capital/peru",
        "capitol/peru",
        "field 'capitol/peru': write RELATION/COUNTRY with a relation of",
    ),
    ("facts.yaml", "facts:\n", "facts:\n  - x\n", "no YAML"),
    ("names/en.yaml", "rome: Rome", "rome: 7", "Expected `str`, got `int` - at `$.capital"),
    ("names/en.yaml", "language:\n", "languages:\n", "unknown field `languages`"),
    (
        "names/en.yaml",
        "aliases:\n",
        "aliases:\n  atlantis: [Atlantis]\n",
        "'atlantis' is no entity of this file",
    ),
    ("templates/en.yaml", "decline:", "refuse:", "unknown field `refuse`"),
    ("templates/en.yaml", "  continent:", "  continents:", "Invalid enum value 'continents'"),
    (
        "instructions.yaml",
        "\n  form: choice",
        "\n  form: letter",
        "Invalid enum value 'letter' - at `$[...].form`",
    ),
    ("instructions.yaml", "suffix:", "tail:", "unknown field `tail`"),
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
    with pytest.raises(DataError, match="th.yaml, line 1: is not UTF-8"):
        atlas.audit(copy)
    (copy / "templates" / "th.yaml").unlink()
    with pytest.raises(DataError, match="th.yaml: the file is missing"):
        atlas.audit(copy)
