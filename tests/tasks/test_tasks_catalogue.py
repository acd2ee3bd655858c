"""The catalogue: complete, pinned, and its prompts exactly those that were released."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

import pytest

from hesperus.errors import UnknownNameError
from hesperus.languages import language as look_up
from hesperus.languages import normalise, pack, packs
from hesperus.senses import instruction_parts, placeholders, recompose, render, trim_quotes
from hesperus.tasks import Task, load_items, task, tasks
from hesperus.tasks.task_registry import family
from hesperus.tasks.task_wordings import shared_wording, shared_wordings
from hesperus.types import Instruction, Item

BLEND = "as az cn dz es et gb gr id ir jb kp kr mx ng us"
MULTILOKO = "ar bn cs de es fa fil fr he hi id it ja km ko mr ms nl pl pt ro ru sv th tr ur vi yue zh zh-hant"
NAMES = (
    "afrimgsm", "afrimmlu", "afrixnli", "arabicmmlu", "atlas", "atlas-describe", "atlas-open", "belebele",
    *sorted(f"blend-{place}" for place in ("choices", *BLEND.split())),
    "bmlama", "boolq", "c-eval", "cmmlu", "culturalbench-easy", "exams", "flores", "global-mmlu", "global-mmlu-lite",
    "global-piqa-nonparallel", "global-piqa-parallel", "include", "include-lite", "information-prompts", "kmmlu",
    "kmmlu-hard", "m-arc", "m-hellaswag", "m-mmlu", "m-truthfulqa", "m3exam", "mgsm", "mkqa", "mmlu-prox",
    "mmlu-prox-lite", "mmlu-redux", "mmlu-redux-es", "mmmlu", "multi-if", "multiloko",
    *(f"multiloko-{place}" for place in MULTILOKO.split()),
    "multinrc-es", "multinrc-fr", "multinrc-zh", "paws-x",
    "polymath-high", "polymath-low", "polymath-medium", "polymath-top", "seeker-posts", "sib-200",
    "truthfulqa-multi", "turkishmmlu", "xcopa", "xnli", "xstorycloze",
)  # fmt: skip

# One edition represents all of its family: they differ in words that are put in
FAMILIES = tuple({family(name): name for name in NAMES}.values())


def test_the_catalogue_holds_the_benchmarks() -> None:
    assert tasks() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_entry_is_complete_and_pinned(name: str) -> None:
    found = task(name)
    assert found.name == name
    assert found.description.endswith(".") and found.licence and found.citation
    source = found.source
    if source.hub and source.revision:
        assert re.fullmatch("[0-9a-f]{40}", source.revision)
    elif not source.builtin:
        assert source.revision_note and (source.hub or source.obtain)
    if not source.builtin:
        assert found.url.startswith("https://arxiv.org/")
    assert found.share != "unknown" or found.unverified
    # In one line of 80 columns beside the name, the numbers and whether texts may be shared
    assert len(found.licence) <= 16
    assert found.instructions
    if found.form in ("label", "choice"):
        assert all(set(i.answers) == set(found.labels) for i in found.instructions.values())
    assert all(language == normalise(language) for language in found.languages)
    codes = Counter(source.languages.values())
    assert all(count == 1 for count in codes.values())
    assert not re.search(r"\{edition", f"{found}")


def example(found: Task, language: str) -> Item:
    options = tuple(f"option {letter}" for letter in found.labels) if found.form == "choice" else None
    groups = {"asks": "cause"} if "asks" in found.columns.groups else {}
    return Item("1", language, {name: f"text of {name}" for name in found.fields}, None, options, groups)


@pytest.mark.parametrize("name", FAMILIES)
def test_every_instruction_renders_without_loss(name: str) -> None:
    found = task(name)
    assert placeholders(found.layout)
    for language, instruction in found.instructions.items():
        text = render(found.layout, instruction, example(found, language))
        assert "  " not in text.replace("  " + instruction.suffix, "")
        assert text == text.strip()
        for part in (instruction.prefix, instruction.suffix):
            assert part in text
        same = {part: part for part in instruction_parts(instruction)}
        assert recompose(instruction, same, language) == instruction


@pytest.mark.parametrize("name", [name for name in FAMILIES if task(name).labels])
def test_the_labels_have_words_in_every_pack(name: str) -> None:
    found = task(name)
    for language in packs():
        words = found.answer_words(language)
        assert list(words) == list(found.labels)
        first = [many[0].casefold() for many in words.values()]
        assert len(set(first)) == len(first)


def test_an_instruction_falls_back_from_region_to_language() -> None:
    assert task("paws-x").instruction("zh_CN").language == "zh"
    assert task("paws-x").find_instruction("zh-TW") is None
    assert task("global-piqa-parallel").instruction("pt-BR").language == "pt"
    assert task("belebele").instruction("zh-TW").language == "zh-Hant"
    assert task("belebele").find_instruction("bn-Latn") is None
    with pytest.raises(UnknownNameError, match="language of the instructions of 'paws-x'"):
        task("paws-x").instruction("it")


def test_data_in_another_script_are_never_taken() -> None:
    belebele, xnli = task("belebele").source, task("xnli").source
    assert (belebele.code("zh-TW"), belebele.code("zh-CN")) == ("zho_Hant", "zho_Hans")
    assert (xnli.code("zh-CN"), xnli.code("de-AT")) == ("zh", "de")
    for tag in ("zh-TW", "zh-Hant", "hi-Latn", "sr-Latn"):
        with pytest.raises(UnknownNameError, match=f"unknown language of this task's data: '{tag}'"):
            xnli.code(tag)


@pytest.mark.parametrize("name", [name for name in NAMES if task(name).source.builtin])
def test_the_size_of_what_comes_along_is_told_right(name: str) -> None:
    items = load_items(name, task(name).languages[0])
    assert task(name).size == len(items.ids)


def test_a_wording_can_be_put_before_the_others() -> None:
    paper, natural = task("xnli"), task("xnli@entailment")
    assert paper.presets == natural.presets == ("ohmer2023", "entailment")
    assert (paper.wordings["zh"], natural.wordings["zh"]) == ("ohmer2023", "entailment")
    assert paper.instruction("zh").prefix.startswith("对于给出的一对句子")
    assert natural.instruction("zh").prefix.startswith("下面哪一项符合")
    assert natural.name == "xnli@entailment" and natural.instruction("fr") == paper.instruction("fr")
    with pytest.raises(
        UnknownNameError, match="unknown wording of 'xnli': 'entailmnt'; did you mean 'entailment'"
    ):
        task("xnli@entailmnt")
    with pytest.raises(UnknownNameError, match="wording of 'atlas'"):
        task("atlas@entailment")


def test_every_shared_wording_is_used_and_says_what_nobody_confirmed() -> None:
    used = {name for one in NAMES for name in task(one).presets}
    assert set(shared_wordings()) <= used
    assert any("no native reader has confirmed it" in text for text in task("belebele").unverified)


def test_letters_are_named_only_where_every_item_has_them() -> None:
    assert task("global-mmlu").instruction("de").suffix == "Bitte antworte mit „A“, „B“, „C“ oder „D“."
    assert task("xcopa").instruction("it").suffix == 'Per favore, rispondi con "A" o "B".'
    for name in ("mmlu-prox", "m-arc", "arabicmmlu", "exams", "turkishmmlu"):
        assert task(name).instruction("en").suffix == "Please answer with the letter of the right option."


def test_topics_are_asked_for_by_the_preferred_words_of_the_pack() -> None:
    found = task("sib-200")
    for language, instruction in found.instructions.items():
        words = [instruction.answers[label][0] for label in found.labels]
        places = [instruction.suffix.find(word) for word in words]
        assert -1 not in places and places == sorted(places), (language, words)


@pytest.mark.parametrize("name", shared_wordings())
def test_a_suffix_names_exactly_the_letters_of_the_options(name: str) -> None:
    for tag, part in shared_wording(name).instructions.items():
        for number, suffix in part.suffix.items():
            letters = re.findall(r"(?<!\w)[A-J](?!\w)", suffix)
            if number != "any":
                assert letters == list("ABCDEFGHIJ"[: int(number)]), (tag, suffix)
            assert suffix == suffix.strip() and "\u200f" not in suffix


def test_words_without_a_pack_are_left_to_the_instruction() -> None:
    assert task("paws-x").answer_words("haw") == {}
    assert task("xnli").answer_words("haw") == {
        "entailment": ("A",),
        "neutral": ("C",),
        "contradiction": ("B",),
    }


def test_unknown_tasks_get_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'paws-x'"):
        task("pawsx")


def released(shared_data: Path, name: str) -> dict[str, dict[str, str]]:
    with (shared_data / "multisense" / "instructions.csv").open(encoding="utf-8") as file:
        return {row["instruction"]: row for row in csv.DictReader(file) if row["task"] == name}


def prompt(found: Task, instruction: Instruction) -> str:
    """The prompt with the fields' names in braces, as the released templates write it."""
    item = Item("1", instruction.language, {name: f"{{{name}}}" for name in found.fields})
    return render(found.layout, instruction, item)


def test_paws_x_prompts_are_the_released_ones(shared_data: Path) -> None:
    found = task("paws-x")
    rows = released(shared_data, "paws-x")
    paper = [language for language, wording in found.wordings.items() if wording == "ohmer2023"]
    for language in paper:
        assert prompt(found, found.instruction(language)) == rows[language]["prompt_template"]
    assert len(paper) == 5


@pytest.mark.parametrize(
    "sense", ["de_from_en", "zh_from_en", "en_from_de", "en_from_zh", "en_from_es", "en_from_fr"]
)
def test_paws_x_prompts_made_by_the_model_are_the_released_ones(shared_data: Path, sense: str) -> None:
    found = task("paws-x")
    row = released(shared_data, "paws-x")[sense]
    target, _, source = sense.partition("_from_")
    original = found.instruction(source)
    raw = {
        original.prefix: row["raw_prefix_translation"],
        original.words["sentence1"]: row["raw_sentence_word_translation"],
        original.suffix: row["raw_suffix_translation"],
    }
    made = {part: trim_quotes(raw[part], part) for part in instruction_parts(original)}
    if source in ("es", "fr"):
        # The authors replaced "Prayer" and a sentence about the word by hand.
        made[original.words["sentence1"]] = row["sentence_word"]
    instruction = recompose(original, made, target, found.answer_words(target))
    assert prompt(found, instruction) == row["prompt_template"]
    first = {label: words[0].casefold() for label, words in instruction.answers.items()}
    expected = {"same": 1, "different": 0}
    label_map = {word: int(value) for word, value in re.findall(r'"([^"]+)": (\d)', row["label_map"])}
    assert {label: label_map[word] for label, word in first.items()} == expected


def test_boolq_prompts_are_the_released_ones(shared_data: Path) -> None:
    found = task("boolq")
    rows = released(shared_data, "boolq")
    for language, instruction in found.instructions.items():
        expected = rows[language]["prompt_template"].replace("{Question}", "{question}")
        assert prompt(found, instruction) == expected
    for sense in ("de_from_en", "zh_from_en"):
        target = sense[:2]
        made = {found.instruction("en").suffix: rows[sense]["suffix"].strip()}
        instruction = recompose(found.instruction("en"), made, target, found.answer_words(target))
        assert prompt(found, instruction) == rows[sense]["prompt_template"].replace(
            "{Question}", "{question}"
        )


POLITE = {
    "bg": r"Моля, \w+те ", "hr": r"Molimo \w+te ", "hu": r"Kérem, ", "lv": r"Lūdzu, \w+iet ",
    "nl": r"\w+ alsjeblieft ", "sk": r"\w+te, prosím, ", "sl": r"Prosimo, \w+te ", "sr": r"Молимо \w+те ",
    "sr-Latn": r"Molimo \w+te ",
}  # fmt: skip


@pytest.mark.parametrize("tag", POLITE)
def test_requests_and_instructions_of_a_language_are_as_polite(tag: str) -> None:
    asked = [*pack(tag).requests.values(), *shared_wording("choice").instructions[tag].suffix.values()]
    assert [text for text in asked if not re.match(POLITE[tag], text)] == []


def test_every_region_of_the_catalogue_is_named() -> None:
    names = {look_up(tag).name for name in NAMES for tag in task(name).languages}
    assert [name for name in sorted(names) if re.search(r"\([A-Z]{2}\)", name)] == []
