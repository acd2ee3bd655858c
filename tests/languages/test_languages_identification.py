"""The language of a text: within and across scripts, in parts, and with all that raises no alarm."""

from __future__ import annotations

import gzip
import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hesperus.errors import UnknownNameError
from hesperus.languages import (
    are_alike,
    identified_languages,
    identify,
    is_identified,
    language,
    text_language,
)
from hesperus.languages.identification import is_in_other_language
from hesperus.languages.likelihoods import likelihoods
from languages.said_in import SAID

PROGRAM = '```python\ndef total(rows):\n    for row in rows:\n        print(row["name"], row.price)\n    return sum(rows)\n```'


@pytest.mark.parametrize("said", SAID)
def test_a_report_is_found_in_every_other_language_and_raises_no_alarm_in_its_own(said: str) -> None:
    for asked in SAID:
        found = text_language(SAID[said], asked)
        assert found.is_told and found.is_other == (said != asked), (said, asked, found)
        assert found.language == said
        assert (found.other_sentences > 0) == (said != asked)
    assert identify(SAID[said]) == said


def test_more_than_sixty_languages_are_known_and_each_has_a_tag() -> None:
    known = identified_languages()
    assert len(known) > 100 and set(SAID) <= known
    assert all(language(tag).tag for tag in known - {"ext", "guw", "grc", "hbo"})
    assert (
        is_identified("de-AT")
        and is_identified("zh-Hant")
        and is_identified("no")
        and not is_identified("ilo")
    )
    with pytest.raises(UnknownNameError):
        text_language("nothing", "klingonish")


@pytest.mark.parametrize("said", SAID)
def test_a_verdict_needs_no_more_sentences_than_settle_it(said: str) -> None:
    texts = [
        SAID[said],
        SAID["en"],
        f"{SAID[said]}\n{SAID['en']}",
        f"{SAID['en']}\n{SAID['fr']}\n{SAID[said]}",
        "A (12)",
        "",
    ]
    for asked in ("en", "fr", "ru", "zh", said):
        for text in texts:
            assert is_in_other_language(text, asked) == text_language(text, asked).is_other, (text, asked)


@given(
    st.lists(st.sampled_from([*SAID.values()]).map(lambda text: text[:90]), max_size=6),
    st.sampled_from([*SAID]),
)
@settings(max_examples=40, deadline=None)
def test_mixed_texts_are_judged_alike_whole_and_as_far_as_it_takes(parts: list[str], asked: str) -> None:
    text = "\n".join(parts)
    assert is_in_other_language(text, asked) == text_language(text, asked).is_other


def test_likelihoods_are_those_of_py3langid() -> None:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    theirs = LanguageIdentifier.from_model_file(MODEL_FILE)
    for tag, text in SAID.items():
        (best, first), *_ = ranks = theirs.rank(text)
        found = likelihoods(text)
        assert found is not None and found.best == tag == language(best).tag.split("-")[0]
        assert found.lead({"sw"}) == pytest.approx(first - dict(ranks)["sw"], abs=0.01)
        assert found.lead({"tlh"}) == math.inf
    assert likelihoods("") is None


@pytest.mark.parametrize(
    ("one", "other"), [("id", "ms"), ("da", "nb"), ("nn", "nb"), ("hr", "sr"), ("bs", "sr-Latn"), ("zh", "zh-Hant"),
                       ("zh", "yue"), ("xh", "zu"), ("no", "da"), ("pt", "pt-BR")],
)  # fmt: skip
def test_near_relatives_are_one(one: str, other: str) -> None:
    assert are_alike(one, other) and are_alike(other, one)


@pytest.mark.parametrize(
    ("one", "other"), [("cs", "sk"), ("es", "pt"), ("ru", "uk"), ("fr", "it"), ("hr", "mk")]
)
def test_others_are_told_apart(one: str, other: str) -> None:
    assert not are_alike(one, other)


def test_serbian_is_serbian_in_both_scripts() -> None:
    latin = (
        "Biblioteka u starom gradu otvorena je svakog dana, a deca mogu da pozajme koliko god knjiga žele."
    )
    cyrillic = (
        "Библиотека у старом граду отворена је сваког дана, а деца могу да позајме колико год књига желе."
    )
    for asked in ("sr", "sr-Latn", "hr", "bs"):
        assert not text_language(latin, asked).is_other and not text_language(cyrillic, asked).is_other


@pytest.mark.parametrize(
    ("first", "second"), [("de", "en"), ("sw", "en"), ("zh", "en"), ("es", "fr"), ("ru", "uk")]
)
@pytest.mark.parametrize("between", ["\n", "\n\n", " "])
def test_a_reply_that_goes_on_in_another_language_is_found(first: str, second: str, between: str) -> None:
    found = text_language(f"{SAID[first]}{between}{SAID[second]}", first)
    assert found.is_other and 0 < found.other_sentences < found.sentences
    assert found.own > 0 and found.other > 0


def test_one_sentence_of_many_fails_the_line_and_not_the_reply() -> None:
    found = text_language(
        "\n".join([SAID["de"]] * 4 + ["And this is what I wanted to tell you about the library."]), "de"
    )
    assert found.other_sentences == 1 and not found.is_other and found.language == "de"


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("B", "sw"), ("Yes.", "de"), ("(A)", "zh"), ("42", "th"), ("", "de"), ("…", "fr"), ("Ja, das stimmt.", "en"),
        ("Barack Obama, Angela Merkel, Emmanuel Macron, Nelson Mandela, Indira Gandhi, Winston Churchill", "sw"),
        ("1. Paris\n2. London\n3. Buenos Aires\n4. Rio de Janeiro\n5. Los Angeles\n6. San Francisco", "fi"),
        (PROGRAM, "de"), (PROGRAM.strip("`"), "sw"),
        ("def total(rows): return sum(rows)\nfor row in rows: print(row)", "de"),
        ("x^2 + 2xy + y^2 = (x + y)^2, \\frac{a}{b} = \\sqrt{c}", "hi"),
        ("https://example.org/the/library/in/the/old/town/is/open/every/day.html", "fr"),
        ("3 + 4 = 7; 12 / 4 = 3; 18 - 9 = 9 dollars", "ja"),
        ("Photosynthesis, DNA, RNA, HTTP, JSON, PyTorch, TensorFlow, NVIDIA H100, GPT-4o", "el"),
        (f"{PROGRAM}\nDie Funktion gibt die Namen aus und zählt alle Zeilen zusammen.", "de"),
        ("Shakespeare ließ Hamlet sagen: „To be, or not to be, that is the question“. Das weiß in England jedes Kind.", "de"),
        ("Kitabu chake maarufu ni \"The Old Man and the Sea\", ambacho kilichapishwa mwaka 1952 huko Marekani.", "sw"),
        ("老城区的图书馆（The Old Town Library）每天都开放，孩子们可以在那里借书。", "zh"),
        ("Библиотека открыта каждый день, подробнее на сайте www.library-in-the-old-town.org или по почте a@b.org.", "ru"),
        ("\ud800 \x00 \u202e", "de"), ("Ilocano nga pagsasao: ti biblioteka ket silulukat iti inaldaw.", "ilo"),
    ],
)  # fmt: skip
def test_what_raises_no_alarm(text: str, asked: str) -> None:
    found = text_language(text, asked)
    assert not found.is_other and found.other_sentences == 0, found


def test_a_language_that_is_not_known_raises_no_alarm_within_its_script() -> None:
    assert not text_language(SAID["en"], "ilo").is_other and text_language(SAID["en"], "ilo").language is None
    assert text_language(SAID["ru"], "ilo").is_other


@pytest.mark.parametrize(
    ("said", "asked", "words"),
    [
        (SAID["zh"], "zh", 0), ("老城区的图书馆每天都 open，孩子们可以 borrow 书，三个星期以后必须归还。", "zh", 2),
        ("Библиотека открыта каждый день (Microsoft Windows).", "ru", 0), (SAID["de"], "de", None),
    ],
)  # fmt: skip
def test_words_of_another_script_are_counted_where_the_script_shows_them(
    said: str, asked: str, words: int | None
) -> None:
    assert text_language(said, asked).strange_words == words


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300), st.sampled_from(["de", "zh", "ar", "ilo", "sr"]))
def test_any_text_has_a_verdict_that_adds_up(text: str, asked: str) -> None:
    found = text_language(text, asked)
    assert 0 <= found.other_sentences <= found.sentences
    assert found.is_told == (found.own + found.other > 0)
    assert not (found.is_other and found.other == 0)


def test_importing_the_package_does_not_load_the_model() -> None:
    code = "import sys, hesperus, hesperus.languages, hesperus.answers; print('py3langid' in sys.modules)"
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert made.stdout.strip() == "False"


def test_published_sentences_in_twenty_four_languages(shared_data: Path) -> None:
    """SIB-200: every eighth sentence of 80 characters and more, in its own language and compared with another's."""
    wanted = [
        "eng_Latn",
        "deu_Latn",
        "fra_Latn",
        "spa_Latn",
        "por_Latn",
        "ita_Latn",
        "nld_Latn",
        "pol_Latn",
        "tur_Latn",
        "vie_Latn",
        "swh_Latn",
        "hau_Latn",
        "yor_Latn",
        "rus_Cyrl",
        "ukr_Cyrl",
        "arb_Arab",
        "pes_Arab",
        "hin_Deva",
        "npi_Deva",
        "ben_Beng",
        "tha_Thai",
        "kor_Hang",
        "amh_Ethi",
        "tgl_Latn",
    ]
    alarms = found = own = asked = 0
    with gzip.open(
        shared_data / "parallel_benchmarks" / "sib200_test_all_languages.jsonl.gz", "rt", encoding="utf-8"
    ) as rows:
        texts = [json.loads(row)["text"] for number, row in enumerate(rows) if number % 8 == 0]
    for place, code in enumerate(wanted):
        other = wanted[(place + 5) % len(wanted)]
        for text in (row[code] for row in texts if len(row[code]) >= 80):
            own, asked = own + 1, asked + 1
            alarms += text_language(text, code).is_other
            found += text_language(text, other).is_other
    assert own > 500 and alarms <= 0.02 * own and found >= 0.95 * asked


def test_of_a_sentence_without_end_only_the_beginning_is_judged() -> None:
    # Some models repeat themselves up to their limit: ten million characters in one line took minutes.
    babble = "Das ist der Anfang von etwas " * 20_000
    found = text_language(babble, "en")
    assert found.is_other and found.language == "de"
    assert found.sentences == 60 and found.other < 60 * 300
