"""Every finding of the check is triggered by a fault planted in a pack that is otherwise sound."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from hesperus.languages import check
from planted_pack import planted

FAULTS = [
    # key, language, what stands there, what is planted, what is said of it
    ("labels.polarity.no", "de", "    no: [nein, nee, nicht wirklich, nicht ganz, keineswegs, keinesfalls, auf keinen Fall, natürlich nicht, mitnichten, überhaupt nicht, ganz und gar nicht, absolut nicht, sicher nicht, bestimmt nicht]\n", "", "missing"),
    ("labels.polarity", "de", "  polarity:\n    yes: [ja, genau]\n    no: [nein, nee, nicht wirklich, nicht ganz, keineswegs, keinesfalls, auf keinen Fall, natürlich nicht, mitnichten, überhaupt nicht, ganz und gar nicht, absolut nicht, sicher nicht, bestimmt nicht]\n", "", "missing"),
    ("labels.polarity.no", "de", "no: [nein, nee, nicht wirklich, nicht ganz, keineswegs, keinesfalls, auf keinen Fall, natürlich nicht, mitnichten, überhaupt nicht, ganz und gar nicht, absolut nicht, sicher nicht, bestimmt nicht]", "no: []", "write a list of words, none empty"),
    ("labels.polarity.no", "de", "no: [nein, nee, nicht wirklich, nicht ganz, keineswegs, keinesfalls, auf keinen Fall, natürlich nicht, mitnichten, überhaupt nicht, ganz und gar nicht, absolut nicht, sicher nicht, bestimmt nicht]", "no: [nein, '']", "write a list of words, none empty"),
    ("labels.polarity.no", "de", "no: [nein, nee, nicht wirklich, nicht ganz, keineswegs, keinesfalls, auf keinen Fall, natürlich nicht, mitnichten, überhaupt nicht, ganz und gar nicht, absolut nicht, sicher nicht, bestimmt nicht]", "no: nein", "write a list of words"),
    ("labels.polarity.no", "de", "no: [nein, nee, nicht wirklich, nicht ganz, keineswegs, keinesfalls, auf keinen Fall, natürlich nicht, mitnichten, überhaupt nicht, ganz und gar nicht, absolut nicht, sicher nicht, bestimmt nicht]", "no: [[nein]]", "write a list of words"),
    ("labels.polarity.no", "de", "no: [nein, nee, nicht wirklich, nicht ganz, keineswegs, keinesfalls, auf keinen Fall, natürlich nicht, mitnichten, überhaupt nicht, ganz und gar nicht, absolut nicht, sicher nicht, bestimmt nicht]", "no: [nein, Nein]", "given twice"),
    ("labels.polarity.no", "de", "no: [nein, nee, nicht wirklich, nicht ganz, keineswegs, keinesfalls, auf keinen Fall, natürlich nicht, mitnichten, überhaupt nicht, ganz und gar nicht, absolut nicht, sicher nicht, bestimmt nicht]", "no: [nein, ＪＡ]", "'ＪＡ' is a word of 'yes' as well"),
    ("labels.polarity.no", "de", "no: [nein, nee, nicht wirklich, nicht ganz, keineswegs, keinesfalls, auf keinen Fall, natürlich nicht, mitnichten, überhaupt nicht, ganz und gar nicht, absolut nicht, sicher nicht, bestimmt nicht]", "no: [nein, nee, nicht wirklich, nicht ganz, keineswegs, keinesfalls, auf keinen Fall, natürlich nicht, mitnichten, überhaupt nicht, ganz und gar nicht, absolut nicht, sicher nicht, bestimmt nicht]\n    no: [nee]", "this key is given twice"),
    ("labels.polarity.nope", "de", "no: [nein, nee, nicht wirklich, nicht ganz, keineswegs, keinesfalls, auf keinen Fall, natürlich nicht, mitnichten, überhaupt nicht, ganz und gar nicht, absolut nicht, sicher nicht, bestimmt nicht]", "no: [nein, nee, nicht wirklich, nicht ganz, keineswegs, keinesfalls, auf keinen Fall, natürlich nicht, mitnichten, überhaupt nicht, ganz und gar nicht, absolut nicht, sicher nicht, bestimmt nicht]\n    nope: [nö]", "unknown key: 'nope'"),
    ("labels.polarity", "de", "  polarity:\n    yes: [ja, genau]\n    no: [nein, nee, nicht wirklich, nicht ganz, keineswegs, keinesfalls, auf keinen Fall, natürlich nicht, mitnichten, überhaupt nicht, ganz und gar nicht, absolut nicht, sicher nicht, bestimmt nicht]", "  polarity: [ja]", "write a mapping of labels"),
    ("labels.polarity.no", "de", "no: [nein, nee, nicht wirklich, nicht ganz, keineswegs, keinesfalls, auf keinen Fall, natürlich nicht, mitnichten, überhaupt nicht, ganz und gar nicht, absolut nicht, sicher nicht, bestimmt nicht]", "no: [nеin]", "CYRILLIC SMALL LETTER IE"),
    ("labels.polarity.no", "ru", "no: [нет, нет конечно, конечно нет, не совсем, вовсе нет, совсем нет, никак нет, ни в коем случае, отнюдь нет, ничуть, отнюдь]", "no: [нeт]", "LATIN SMALL LETTER E"),
    ("labels.polarity.no", "ja", "no: [いいえ, いえ, 違います, ちがいます, そうではありません, そうとは言えません, 必ずしもそうではありません, 全く違います, まったく違います, とんでもないです]", "no: [no, nope, nah, not really, not at all, absolutely not, definitely not, certainly not, of course not, not quite, not exactly, not entirely]", "LATIN SMALL LETTER N"),
    ("option_letters", "ru", "[А, Б, В, Г, Д, Е, Ж, З]", "[А, Б, В, Г, Д, Е, Ж]", "7 letters; at least 8"),
    ("option_letters", "ru", "[А, Б, В, Г, Д, Е, Ж, З]", "[А, Б, В, Г, Д, Е, Ж, а]", "'а' is given twice"),
    ("option_letters", "ru", "[А, Б, В, Г, Д, Е, Ж, З]", "[А, Б, В, Г, Д, Е, Ж, ξ]", "neither of the language's script nor Latin"),
    ("option_letters", "en", "option_letters: [A, B", "option_letters: [a, B", "'a' is in small letters"),
    ("or_words", "es", "or_words: [", "or_words: [verdadero, ", "'verdadero' is a word of labels.truth.true too"),
    ("option_words", "es", "option_words: [", "option_words: [falso, ", "'falso' is a word of labels.truth.false too"),
    ("cues", "es", "cues:\n", "cues:\n  - falso\n", "'falso' is a word of labels.truth.false too"),
    ("grammar.but", "es", "yes: [sí,", "yes: [pero, sí,", "'pero' is a word of labels.polarity.yes too"),
    ("grammar.regrets", "es", "  regrets: [", "  regrets: [falso, ", "'falso' is a word of labels.truth.false too"),
    ("grammar.negators", "es", "  guesses: [", "  guesses: [no, ", "'no' stands under guesses too"),
    ("grammar.predicates", "es", "  predicates: [", "  predicates: [quizás no, ", "'quizás no' is no word of a label"),
    ("grammar.negators", "es", "  negators: [", '  negators: ["n*nca", ', "a star stands for the beginning or the end"),
    ("digits", "hi", "०१२३४५६७८९", "०१२३४५६७८", "not the ten digits"),
    ("digits", "hi", "०१२३४५६७८९", "०१२३४५६७९८", "not the ten digits"),
    ("digits", "hi", 'digits: "०१२३४५६७८९"', "digits: [०, १]", "write one text"),
    ("latin_letters", "hi", "latin_letters: true", "latin_letters: maybe", "write true or false"),
    ("latin_letters", "hi", "latin_letters: true\n", "", "missing"),
    ("latin_leters", "hi", "latin_letters: true", "latin_leters: true", "did you mean 'latin_letters'"),
    ("reviewed", "de", "reviewed: no", "reviewed: true", "write no, answers or all"),
    ("targets", "de", "\ntargets:\n", "\nothers:\n", "missing"),
    ("requests", "de", "\nrequests:\n", "\nothers:\n", "missing"),
    ("quotes", "th", '[["“", "”"], ["\\"", "\\""], ["‘", "’"], ["\'", "\'"]]', '[["“"]]', "write a list of pairs"),
    ("cues", "ko", '  - "답:"', '  - "답:"\n  - "답:"', "given twice"),
    ("cues", "ko", '  - "답:"', '  - "Answer:"', "no letter of the language's script"),
    ("refusals", "ko", '  - "정보 부족"', '  - " 정보 부족"', "stray blanks"),
    ("refusals", "ko", '  - "정보 부족"', '  - "정보  부족"', "stray blanks"),
    ("refusals", "ko", '  - "정보 부족"', '  - "정보\\u200b부족"', "U+200B"),
    ("refusals", "ko", '  - "정보 부족"', '  - "정보\\u00a0부족"', "U+00A0"),
    ("requests.translate", "en", "text into {target}:", "text into {Target}:", "{target} stands 0 times"),
    ("requests.translate", "en", "text into {target}:", "{target} text into {target}:", "{target} stands 2 times"),
    ("requests.translate", "en", "text into {target}:", "text {into} {target}:", "a brace that belongs to no placeholder"),
    ("requests.translate", "en", 'text into {target}: "{text}"', "text into {target}: {text}", "between straight quotation marks"),
    ("requests.paraphrase", "en", 'meaning: "{text}"\'\n  naturalise', 'meaning: "text"\'\n  naturalise', "{text} stands 0 times"),
    ("requests.translate", "th", "translate: 'โปรดแปลข้อความต่อไปนี้เป็นภาษา{target}: ", "translate: 'Translate {target}: ", "no letter of"),
    ("requests", "en", "requests:\n", "requests: none\nothers:\n", "write a mapping"),
    ("targets.zh", "cs", "  zh: čínštiny\n", "", "missing"),
    ("targets.zh", "cs", "  zh: čínštiny\n", "  zh: češtiny\n", "already names 'cs'"),
    ("targets.zh", "cs", "  zh: čínštiny\n", "  zh: ''\n", "write one text, not empty"),
    ("targets.iw", "cs", "  zh: čínštiny\n", "  zh: čínštiny\n  iw: jidiš\n", "write 'he'"),
    ("targets.jp", "cs", "  zh: čínštiny\n", "  zh: čínštiny\n  jp: jidiš\n", "unknown language: 'jp'"),
    ("tag", "he", "tag: he", "tag: iw", "write 'he'"),
    ("tag", "he", "tag: he", "tag: yi", "not the file's name, 'he'"),
    ("tag", "he", "tag: he", "tag: zz", "unknown language: 'zz'"),
    ("labels", "en", "labels:\n", "labels: none\nothers:\n", "write a mapping of groups"),
    ("", "en", "no: [no, nope, nah, not really, not at all, absolutely not, definitely not, certainly not, of course not, not quite, not exactly, not entirely]", "no: [&a no, *a]", "YAML aliases (&a)"),
    ("grammar.but", "en", "but: [but,", "but: [not, but,", "'not' stands under negators too"),
    ("grammar.conditions", "en", "conditions: [if,", "conditions: [hardly, if,", "'hardly' stands under negators too"),
    ("grammar.joins", "en", "joins: [and,", "joins: [and, but,", "'but' stands under but too"),
    ("grammar.endings", "bn", "endings: [হয়,", "endings: [নেই, হয়,", "'নেই' stands under negators_after too"),
    ("grammar.right", "en", "right: [choose*,", "right: [nonsense, choose*,", "'nonsense' stands under wrong too"),
    ("grammar.negators_after", "tr", "negators_after: [değil,", 'negators_after: ["*", değil,', "a list of words, none empty"),
    ("labels.polarity.yes", "en", "yes: [yes,", "yes: [hardly, yes,", "cannot stand for 'yes'"),
    ("labels.truth.true", "bn", "true: [সত্য,", "true: [নেই, সত্য,", "cannot stand for 'true'"),
    ("grammar.negators", "en", "everyday: [no, not,", "everyday: [not,", "'no' is a word of labels.polarity.no too"),
    ("", "en", "tag: en", "tag: en\n  x: y", "no YAML"),
    ("", "en", "tag: en", "tag: en\n? [a, b]\n: c", "a key must be plain text"),
    ("", "en", "or_words: [or]", f"or_words: {'[' * 9}or{']' * 9}", "nested deeper than"),
    ("", "en", "tag: en", f"tag: en # {'x' * 200_001}", "such a file has at most 200,000"),
    ("", "fr", "chinois", "chinois\n  fi: " + unicodedata.normalize("NFD", "é"), "not in Unicode normal form C"),
]  # fmt: skip


@pytest.mark.parametrize(("key", "tag", "old", "new", "message"), FAULTS)
def test_a_planted_fault_is_found(
    key: str, tag: str, old: str, new: str, message: str, tmp_path: Path
) -> None:
    findings = check(planted(tmp_path, tag, old, new))
    found = [f for f in findings if f.key.split("[")[0] == key and message in f.message]
    assert found, [str(finding) for finding in findings]
    assert str(found[0]).startswith(f"{tmp_path / tag}.yaml, line {found[0].line}: language ")
    assert message in str(found[0])


def test_the_line_is_that_of_the_key(tmp_path: Path) -> None:
    file = planted(
        tmp_path,
        "de",
        "no: [nein, nee, nicht wirklich, nicht ganz, keineswegs, keinesfalls, auf keinen Fall, natürlich nicht, mitnichten, überhaupt nicht, ganz und gar nicht, absolut nicht, sicher nicht, bestimmt nicht]",
        "no: [nein, ja]",
    )
    (found,) = check(file)
    assert file.read_text(encoding="utf-8").splitlines()[found.line - 1].strip() == "no: [nein, ja]"
    assert found.language == "de"


def test_the_line_within_a_list_is_that_of_the_entry(tmp_path: Path) -> None:
    file = planted(tmp_path, "ko", '  - "정보 부족"', '  - " 정보 부족"')
    (found,) = check(file)
    assert file.read_text(encoding="utf-8").splitlines()[found.line - 1] == '  - " 정보 부족"'


def test_several_faults_are_all_told_in_order(tmp_path: Path) -> None:
    file = planted(
        tmp_path,
        "de",
        "    no: [nein, nee, nicht wirklich, nicht ganz, keineswegs, keinesfalls, auf keinen Fall, natürlich nicht, mitnichten, überhaupt nicht, ganz und gar nicht, absolut nicht, sicher nicht, bestimmt nicht]\n  truth:\n    true: [wahr,",
        "  truth:\n    true: [falsch,",
    )
    findings = check(file)
    assert [finding.key for finding in findings] == ["labels.polarity.no", "labels.truth.false"]


@pytest.mark.parametrize("text", ["", "just words", "[a, b]", "- a\n- b\n", "null"])
def test_what_is_no_mapping_is_no_pack(text: str, tmp_path: Path) -> None:
    file = tmp_path / "xx.yaml"
    file.write_text(text, encoding="utf-8")
    (found,) = check(file)
    assert "a pack is a mapping of keys" in found.message
    assert found.language == "xx"


def test_binary_rubbish_is_a_finding(tmp_path: Path) -> None:
    file = tmp_path / "xx.yaml"
    file.write_bytes(b"\x00\x01\x02: [")
    assert "no YAML" in check(file)[0].message


def test_deep_nesting_does_not_exhaust_the_stack(tmp_path: Path) -> None:
    file = tmp_path / "xx.yaml"
    file.write_text("[" * 60_000, encoding="utf-8")
    (found,) = check(file)
    assert "no YAML" in found.message or "nested deeper" in found.message
