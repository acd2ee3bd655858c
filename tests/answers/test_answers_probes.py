"""Replies derived from a pack find the faults of its grammar: one planted fault of each kind, which must be named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hesperus.answers import read, reader_for
from hesperus.answers.probes import Probe, false_answers, probes
from hesperus.answers.reader import Reader
from hesperus.answers.reading import answer_in
from hesperus.answers.reply_text import Text
from hesperus.languages import Pack, check, pack, packs
from hesperus.normalization import clean, unaccented
from planted_pack import planted

PLANTED = [
    # language, what stands there, what is planted, key of the finding, the probe and what is read
    ("de", "negators: [nicht,", 'negators: [nicht, "von wegen, das ist",', "grammar.negators", "'von wegen, das ist wahr.' as a label reply is read as 'true' (rule sole); it means false"),
    ("th", "negators: [ไม่, ", "negators: [", "grammar.negators", "'ไม่เป็นจริง.' as a label reply is read as 'true' (rule sole); it means false"),
    ("ru", "conditions: [если, ли,", 'conditions: [если, ли, "когда: всегда",', "grammar.conditions", "'когда: всегда ложь.' as a label reply is read as 'false' (rule sole); it means no answer"),
    ("de", "cases: [", 'cases: ["falls (", ', "grammar.cases", "'ja, falls ( §§.' as a label reply is read as 'yes' (rule start); it means no answer"),
    ("de", "bounds: [mehr als,", "bounds: [2 mal mehr als,", "grammar.bounds", "'2 mal mehr als 100.' as a number reply is read as '2'"),
    ("de", "wrong: [", "wrong: [da ist nichts dran, ", "grammar.wrong", "'Option A da ist nichts dran.' as a choice reply is read as 'A'"),
    ("de", "excludes: [", 'excludes: ["raus.", ', "grammar.excludes", "'raus. Option A.' as a choice reply is read as 'A'"),
    ("fr", "regrets: [", 'regrets: ["-- zut", ', "grammar.regrets", "'-- zut, ….' as a text reply is read as 'zut' (rule own words)"),
    ("de", "or_words: [oder,", 'or_words: [oder, ".",', "or_words", "'Option B . C.' as a choice reply is read as"),
    ("de", "joins: [und, sowie, dann, danach, als auch, wie auch]", 'joins: [und, sowie, dann, danach, als auch, wie auch, "."]', "grammar.joins", "'Option B . C.' as a choice reply is read as"),
    ("en", '  - "cannot answer"', '  - "cannot; the answer is no"', "refusals", "'cannot; the answer is no.' as a label reply is read as 'no' (rule cue); it means no answer"),
    ("en", '  - "cannot answer"', '  - "cannot. … answer"', "refusals", "it is one of the pack's own"),
    ("fa", "endings: [است,", "endings: [است, ست,", "grammar.apostrophe", "\"A'است.\" as a choice reply is read as 'A' (rule sole); it means no answer"),
    ("fa", "spellings: [", 'spellings: [["ج", "ب"], ', "option_letters", "'ج' as a choice reply is read as 'B' (rule exact); it means C"),
    ("fa", "letter_names: [[ا], [ب]", "letter_names: [[ا], [ب, بلکه]", "grammar.but", "'بلکه.' as a choice reply is read as 'B' (rule exact); it means no answer"),
    ("de", 'Mio: "1000000"', 'Mio: "1000000", MIO: "1000"', "grammar.magnitudes", "'3Mio.' as a number reply is read as '3000' (rule last number); it means 3000000"),
]  # fmt: skip


@pytest.fixture(scope="module", params=packs())
def tag(request: pytest.FixtureRequest) -> str:
    """Each pack in turn, with all tests of it: making its readers takes longer than asking them."""
    return str(request.param)


@pytest.fixture(scope="module")
def derived(tag: str) -> tuple[Probe, ...]:
    return tuple(probes(pack(tag)))


def test_no_reply_derived_from_a_pack_is_read_as_a_false_answer(derived: tuple[Probe, ...]) -> None:
    assert [(probe.key, fault) for probe in derived if (fault := probe.fault())] == []


def test_the_strict_parser_accepts_no_reply_that_the_default_one_does_not_read_alike(
    derived: tuple[Probe, ...],
) -> None:
    said: dict[str, tuple[Reader, set[str]]] = {}
    for probe in derived:
        said.setdefault(f"{probe.reader}{probe.reader.labels}", (probe.reader, set()))[1].add(probe.reply)
    parted = []
    for reader, replies in said.values():
        # Of the groups of words, yes and no represent the others: a lexicon takes longer to make than all its probes.
        if reader.form == "label" and reader.labels != ("yes", "no"):
            continue
        strict = _strict(reader)
        written = {form for _, words in reader.answers for word in words for form in _accented(word)}
        for reply in replies | written:
            label = _label(strict, reply)
            if label is not None and read(reader, reply).label != label:
                parted.append((str(reader), reply, label))
    assert parted == []


def _label(reader: Reader, reply: str) -> str | None:
    """The label that `read` gives; why there is none, which takes most of its time, is not asked."""
    answer = answer_in(Text.of(clean(reply), reader))
    return None if answer is None else answer.label


def _strict(reader: Reader) -> Reader:
    strict = reader_for(reader.form, reader.language, answers=dict(reader.answers), preset="strict")
    return strict.with_options(reader.options)


def _accented(word: str) -> Iterator[str]:
    """A word in capitals, without accents, and with an accent behind each letter."""
    yield from (word, word.upper(), word.title(), unaccented(word))
    for place in range(1, len(word) + 1):
        yield word[:place] + "\u0301" + word[place:]


def test_every_pack_reads_its_own_words(tag: str) -> None:
    own = pack(tag)
    for group in ("polarity", "truth", "sameness"):
        labels = own.groups[group]
        preferred = {label: words[:1] for label, words in labels.items()}
        reader = reader_for("label", tag, answers=preferred)
        space = "" if tag in ("zh", "ja", "th") else " "
        for label, words in labels.items():
            for word in words:
                if any(word in others for other, others in labels.items() if other != label):
                    continue
                open_, close = own.quotes[0]
                framed = [
                    word,
                    word.upper(),
                    f"**{word}**",
                    f"{open_}{word}{close}",
                    f"{word}{own.sentence_end}",
                ]
                framed += [f"{cue}{space}{word}{own.sentence_end}" for cue in own.cues]
                for reply in framed:
                    assert read(reader, reply).label == label, reply


@pytest.mark.parametrize(("planted_in", "old", "new", "key", "message"), PLANTED)
def test_a_false_answer_is_named_with_its_pack_probe_and_reading(
    planted_in: str, old: str, new: str, key: str, message: str, tmp_path: Path
) -> None:
    def probed(held: Pack) -> Iterator[tuple[str, str]]:
        """The false answers of the key alone: each test of a planted fault would else ask all probes of a pack."""
        own = (probe for probe in probes(held) if probe.key.split("[")[0] == key)
        return ((probe.key, message) for probe in own if (message := probe.fault()))

    findings = check(planted(tmp_path, planted_in, old, new), probe=probed)
    found = [
        finding for finding in findings if finding.key.split("[")[0] == key and message in finding.message
    ]
    assert found, [str(finding) for finding in findings]
    text = (tmp_path / f"{planted_in}.yaml").read_text(encoding="utf-8").splitlines()
    name = key.rpartition(".")[2]
    assert found[0].language == planted_in
    assert name in text[found[0].line - 1] or name in ("refusals", "apostrophe")


def test_all_false_answers_of_a_planted_pack_are_named(tmp_path: Path) -> None:
    tag, old, new, key, message = PLANTED[-1]
    (finding, *_) = check(planted(tmp_path, tag, old, new), probe=false_answers)
    assert finding.key.startswith(key) and message in finding.message


def test_a_pack_whose_shape_is_wrong_is_not_probed(tmp_path: Path) -> None:
    file = planted(tmp_path, "de", "no: [nein,", "no: [ja, nein,")
    (finding,) = check(file, probe=false_answers)
    assert finding.key == "labels.polarity.no"


@pytest.mark.parametrize("language", ["de", "es", "sw", "tr"])
def test_each_negator_is_probed_with_a_letter_that_takes_the_place_of_another(language: str) -> None:
    grammar = pack(language).grammar
    made = {
        probe.reply
        for probe in probes(pack(language))
        if probe.key == "grammar.but" and probe.allowed == {"B"}
    }
    assert made == {f"{negator} A {grammar.but[0]} B." for negator in grammar.negators} != set()
