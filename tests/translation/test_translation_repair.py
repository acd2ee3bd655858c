"""Whole documents through a translator that has planted faults of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from hesperus.errors import PermanentError, TransientError, UnknownNameError, UsageError
from hesperus.tasks import atlas
from hesperus.translation import (
    GREEDY,
    LADDER,
    Decoding,
    Ladder,
    Rung,
    TextTooLongError,
    Translated,
    translate_document,
    translate_documents,
)
from waiting import bounded_work

PAIRS = (
    "the=die a=eine is=ist are=sind of=von and=und in=in it=es was=war not=nicht with=mit to=zu cat=Katze dog=Hund house=Haus"
    " sees=sieht river=Fluss city=Stadt old=alt new=neu number=Nummer we=wir go=gehen here=hier this=dies sentence=Satz one=eins"
    " use=nutze see=siehe item=Punkt first=erster title=Titel name=Name loops=Schleifen grew=wuchs by=um economy=Wirtschaft"
)
WORDS: Mapping[str, str] = {
    english: german for english, german in (pair.split("=") for pair in PAIRS.split())
}


class Dictionary:
    """Translates word by word; planted words make it degenerate, each under other decodings.

    ``loops`` repeats without end unless it samples with an odd seed; ``beams`` does unless it searches widely; ``long`` does
    in texts of more than five words; ``never`` always does; ``copies`` gives back the source.
    """

    name = "dictionary"
    identity: Mapping[str, str] = {"words": str(len(WORDS))}

    def __init__(
        self, *, fail_after: int | None = None, limit: int | None = None, markup: bool = True
    ) -> None:
        self.calls: list[tuple[Sequence[str], Decoding]] = []
        self.fail_after, self.limit, self.markup = fail_after, limit, markup

    def supports(self, source: str, target: str) -> bool:
        return (source, target) in {("en", "de"), ("zh", "en"), ("en", "zh"), ("ar", "de")}

    def translate(
        self, texts: Sequence[str], source: str, target: str, decoding: Decoding = GREEDY
    ) -> Sequence[str]:
        if self.fail_after is not None and len(self.calls) >= self.fail_after:
            raise TransientError("the machine went away")
        self.calls.append((tuple(texts), decoding))
        sizes = {n: len(text) for n, text in enumerate(texts) if self.limit and len(text) > self.limit}
        if sizes:
            raise TextTooLongError(self.name, texts, sizes, self.limit or 0)
        return [self._one(text, decoding) for text in texts]

    def _one(self, text: str, decoding: Decoding) -> str:
        sampled = decoding.temperature is not None
        looping = (
            ("loops" in text and not (sampled and decoding.seed % 2))
            or ("beams" in text and decoding.beams == 1)
            or ("long" in text and len(text.split()) > 5)
            or "never" in text
        )
        if looping:
            return "die Katze die Katze die Katze die Katze die Katze"
        if "copies" in text:
            return text
        said = re.sub(r"[A-Za-z]+", lambda word: WORDS.get(word[0].casefold(), word[0].capitalize()), text)
        return said if self.markup else re.sub(r"[`\[\]()/:]", "", said)


def translated(text: str, translator: Dictionary | None = None, **settings: Ladder) -> Translated:
    return translate_document(translator or Dictionary(), text, "en", "de", **settings)


def test_structure_code_and_addresses_survive() -> None:
    text = "# The **title**\n\n1. **Economy:** It grew by 12%.\n   - the first item\n\n```\nthe code\n```\n\n| Name | 12 |\n|---|---|\n| the city | x |\n\n> See https://a.b/the?c=1\n"
    found = translated(text, Dictionary(markup=False))
    assert found.text == (
        "# die Titel\n\n1. **Wirtschaft** Es wuchs um 12%.\n   - die erster Punkt\n\n```\nthe code\n```\n\n| Name | 12 |\n|---|---|\n| die Stadt | X |\n\n> siehe"
        " https://a.b/the?c=1\n"
    ).replace("**Wirtschaft** Es", "**Wirtschaft** es")
    assert found.dropped_marks == 2
    assert [(repair.rung, [f.kind for f in repair.before]) for repair in found.repairs] == [
        ("verbatim", ["verbatim"])
    ]
    assert not found.unrepaired


@pytest.mark.parametrize(
    ("text", "rung", "tries"),
    [
        ("The cat sees loops.", "sample", 2),
        ("The cat sees beams here.", "beam", 4),
        ("The cat sees the long river, and it is old and new.", "split", 5),
    ],
)
def test_each_rung_repairs_what_it_can(text: str, rung: str, tries: int) -> None:
    found = translated(f"The dog is old. {text}")
    assert [(repair.sentence, repair.rung, repair.after) for repair in found.repairs] == [(1, rung, ())]
    assert [fault.kind for fault in found.repairs[0].before] == ["repetition"]
    assert not found.unrepaired and "die Katze die Katze" not in found.text
    # Only the faulty sentence was tried again, and no longer than needed.
    assert len(found.sentences[0].attempts) == 1 and len(found.sentences[1].attempts) == tries + 1


def test_sampling_is_seeded_and_as_published() -> None:
    translator = Dictionary()
    translated("The cat sees loops.", translator)
    decodings = [decoding for _, decoding in translator.calls]
    assert decodings == [
        GREEDY,
        Decoding(temperature=0.7, top_p=0.95, seed=0),
        Decoding(temperature=0.7, top_p=0.95, seed=1),
    ]


def test_what_no_rung_repairs_is_kept_and_named() -> None:
    found = translated("The cat is never here, and the dog is in the city. The dog is old.")
    assert found.unrepaired == (0,) and not found.repairs
    assert [fault.kind for fault in found.sentences[0].faults] == ["repetition"]
    assert {attempt.rung for attempt in found.sentences[0].attempts} == {"first", "sample", "beam", "split"}
    assert found.text.endswith("die Hund ist alt.")


def test_the_best_attempt_is_kept_where_all_have_faults() -> None:
    class Worse(Dictionary):
        def _one(self, text: str, decoding: Decoding) -> str:
            return (
                "die Katze sieht 77777"
                if decoding.temperature is not None
                else "die die die die die Katze 99999"
            )

    found = translated("The cat sees 12345.", Worse(), ladder=Ladder(rungs=LADDER.rungs[1:2]))
    assert found.sentences[0].output == "die Katze sieht 77777"
    assert found.repairs[0].after == found.sentences[0].faults and found.unrepaired == (0,)


def test_many_documents_go_in_few_calls_and_each_sentence_once() -> None:
    translator = Dictionary()
    texts = [f"This is the sentence {n}. The dog is old.\n\nThe dog is old." for n in range(300)]
    texts[7] += " The cat sees beams here."
    found = translate_documents(translator, texts, "en", "de")
    assert (
        len(found) == 300
        and found[299].text == "dies ist die Satz 299. die Hund ist alt.\n\ndie Hund ist alt."
    )
    assert len(translator.calls) == 5 and len(translator.calls[0][0]) == 302
    assert all(len(texts) == 1 for texts, _ in translator.calls[1:])
    assert [number for number, one in enumerate(found) if one.repairs] == [7]


def test_what_is_finished_is_kept_when_the_translator_dies() -> None:
    kept: dict[int, Translated] = {}
    texts = ["The dog is old.", "The cat sees loops.", "The house is new."]
    with pytest.raises(TransientError, match="went away"):
        translate_documents(Dictionary(fail_after=1), texts, "en", "de", keep=kept.__setitem__)
    assert {number: one.text for number, one in kept.items()} == {
        0: "die Hund ist alt.",
        2: "die Haus ist neu.",
    }
    again = translate_documents(Dictionary(), texts, "en", "de", keep=kept.__setitem__)
    assert sorted(kept) == [0, 1, 2] and kept[1] == again[1]


def test_a_text_too_long_for_the_model_is_cut_and_nothing_lost() -> None:
    found = translated("We go to the city, and we go to the river, and it is old.", Dictionary(limit=25))
    assert found.text == "wir gehen zu die Stadt, und wir gehen zu die Fluss, und es ist alt."
    with pytest.raises(TextTooLongError):
        translated("cat", Dictionary(limit=-1))


def test_blanks_between_sentences_are_those_of_the_target() -> None:
    class Chinese(Dictionary):
        def _one(self, text: str, decoding: Decoding) -> str:
            return {"你好。": "Hello.", "我们走吧！": "Let us go!", "We go.": "我们走。", "Here.": "这里。"}[
                text
            ]

    assert (
        translate_document(Chinese(), "你好。我们走吧！\n\n- 你好。", "zh", "en").text
        == "Hello. Let us go!\n\n- Hello."
    )
    assert (
        translate_document(Chinese(), "We go. Here.\nWe go.", "en", "zh").text == "我们走。这里。\n我们走。"
    )


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", 0), (" \n\t", 0), ("." * 50_000, 0), ("12.5 % 😀", 0), ("word " * 10_000, 84), ("a" * 50_000, 84), ("This is one. " * 3_800, 3_800),
        ("a\x00b\x1b[31m is\ud800 here.", 1), ("\u202bThe cat.\u202c", 1), ("中文 and русский и عربي. The dog.", 2),
    ],
)  # fmt: skip
def test_hard_texts(text: str, sentences: int) -> None:
    with bounded_work():
        translator = Dictionary()
        found = translated(text, translator, ladder=Ladder(rungs=()))
        assert len(found.sentences) == sentences
        assert text == found.text or sentences
        for sent, _ in translator.calls:
            assert all(0 < len(one) <= LADDER.longest for one in sent)
            assert not any(re.search("[\x00-\x1f\ud800-\udfff\u202a-\u202e]", one) for one in sent)


def test_a_colon_after_a_label_stays_and_is_not_sent() -> None:
    translator = Dictionary()
    assert (
        translated("- **The name**: the old city.\n", translator).text == "- **die Name**: die alt Stadt.\n"
    )
    assert translator.calls[0][0] == ("The name", "the old city.")


def test_right_to_left_text_keeps_its_lines() -> None:
    found = translate_document(
        Dictionary(), "- مرحبا بكم.\n- كيف الحال؟\n", "ar", "de", ladder=Ladder(rungs=())
    )
    assert found.text == "- مرحبا بكم.\n- كيف الحال؟\n"
    assert found.unrepaired == (0, 1)


@pytest.mark.parametrize("target", [tag for tag in atlas.languages() if tag != "en"])
def test_the_atlas_is_translated_with_no_alarm_but_the_planted_one(target: str) -> None:
    english, wanted = (
        [item.fields["question"] for item in atlas.items("open", tag)] for tag in ("en", target)
    )
    book = dict(zip(english, wanted, strict=True))

    class Lookup(Dictionary):
        def supports(self, source: str, target: str) -> bool:
            return True

        def _one(self, text: str, decoding: Decoding) -> str:
            return (
                book[text] if text != english[3] or decoding.temperature is not None else f"{book[text]} " * 4
            )

    found = translate_documents(Lookup(), english, "en", target)
    assert [one.text for one in found] == wanted
    assert [number for number, one in enumerate(found) if one.repairs] == [3]
    assert not any(one.unrepaired for one in found)


def test_wrong_use_is_named() -> None:
    with pytest.raises(
        UsageError, match=r"dictionary does not translate German \(de\) to English \(en\); it would take"
    ):
        translate_document(Dictionary(), "text", "de", "en")
    with pytest.raises(UnknownNameError, match="language"):
        translate_document(Dictionary(), "text", "no language", "en")

    class Short(Dictionary):
        def translate(
            self, texts: Sequence[str], source: str, target: str, decoding: Decoding = GREEDY
        ) -> Sequence[str]:
            return texts[:-1]

    with pytest.raises(PermanentError, match="returned 0 translations of 1 texts"):
        translated("The cat.", Short())


def test_a_ladder_of_own_rungs() -> None:
    ladder = Ladder(rungs=(Rung("wide", Decoding(beams=8)),))
    found = translated("The cat sees beams here.", ladder=ladder)
    assert found.repairs[0].rung == "wide"


def test_the_example_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "segmentation.md"
    code = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)[0]
    exec(compile(code, str(page), "exec"), {})  # our own page, not a user's text
    printed = capsys.readouterr().out
    assert "('Am 3. Oktober kam Dr. Lem. ', 'Es regnete!')" in printed
    assert "- **Es regnet.**\n- Wir gehen heim.\n" in printed and "rung='sample'" in printed
