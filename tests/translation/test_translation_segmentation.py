"""Sentences: nothing is lost, the golden rules hold as measured, and time grows with the length of the text alone."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from pathlib import Path

import pytest
import sentencex
from hypothesis import example, given
from hypothesis import strategies as st
from typer.testing import CliRunner

from hesperus.cli.app import app
from hesperus.languages import language, languages, normalise
from hesperus.translation import clauses, segmented_languages, sentences
from waiting import bounded_work

PAPER = "ar bn cs de el es fa fr gu he hi id it ja kn ko ml nl pa pl pt ro ru ta te th tr ur vi zh"
# Right of all golden rules; beside them, what sentencex alone has, where blanks are left out on both sides.
GOLDEN = {
    "am": (1, 1, 1), "ar": (2, 1, 5), "bg": (4, 4, 4), "da": (48, 40, 49), "de": (32, 28, 33), "el": (1, 1, 1),
    "en": (47, 43, 48), "es": (35, 30, 35), "fa": (1, 1, 1), "fr": (5, 5, 5), "hi": (1, 1, 1), "hy": (22, 22, 22),
    "it": (34, 34, 34), "ja": (5, 5, 5), "kk": (12, 12, 13), "mr": (5, 5, 5), "my": (1, 1, 1), "nl": (3, 2, 3),
    "pl": (1, 1, 1), "ru": (37, 37, 37), "sk": (5, 5, 5), "ur": (1, 1, 1), "zh": (2, 2, 2),
}  # fmt: skip


def bare(parts: Iterable[str]) -> list[str]:
    """Sentences without blanks: the rules write wrapped lines as one and sentencex is not asked for blanks."""
    return [squeezed for part in parts if (squeezed := re.sub(r"\s+", "", part))]


def test_golden_rules_hold_as_measured(shared_data: Path) -> None:
    path = shared_data / "sentence_split_golden_rules" / "golden_rules_23lang.jsonl.gz"
    right, plain, count = Counter[str](), Counter[str](), Counter[str]()
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for case in map(json.loads, file):
            tag, text, wanted = case["lang"], case["text"], bare(case["sentences"])
            found = sentences(text, tag)
            assert "".join(found) == text
            right[tag] += bare(found) == wanted
            plain[tag] += bare(sentencex.segment(tag, text)) == wanted
            count[tag] += 1
    assert {tag: n for tag, (*_, n) in GOLDEN.items()} == dict(count)
    for tag, (floor, *_) in GOLDEN.items():
        assert right[tag] >= floor, tag
    assert right.total() >= plain.total() + 20


# Recall of the ends between joined sentences of FLORES-200, where it is below 0.9, just under what was measured.
BELOW = {"as": 0.87, "dz": 0.82, "ps": 0.71, "th": 0.79}


def recall(segment: Callable[[str], Sequence[str]], texts: Sequence[str], glue: str) -> float:
    found = wanted = 0
    for at in range(0, len(texts), 4):
        group = [text.strip() for text in texts[at : at + 4]]
        ends: set[int] = set()
        place = 0
        for text in group[:-1]:
            ends.add(place + len(text))
            place += len(text) + len(glue)
        place, got = 0, set[int]()
        for part in segment(glue.join(group)):
            got.add(place + len(part.rstrip()))
            place += len(part)
        found += len(ends & got)
        wanted += len(ends)
    return found / wanted


def test_joined_sentences_are_found_again_in_every_segmented_language(shared_data: Path) -> None:
    path = shared_data / "parallel_benchmarks" / "sib200_test_all_languages.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line)["text"] for line in file]
    codes: dict[str, str] = {}
    for code in rows[0]:
        if normalise(code).split("-")[0] in languages():
            codes.setdefault(normalise(code), code)
    scored = 0
    for tag in segmented_languages():
        if tag in codes:
            glue = "" if language(tag).script in ("Hans", "Hant", "Jpan") else " "
            texts = [row[codes[tag]] for row in rows]
            assert recall(lambda text, tag=tag: sentences(text, tag), texts, glue) >= BELOW.get(tag, 0.9), tag
            scored += 1
    assert scored >= 95


# Sentence ends of the Thai problems 200 to 249 of MGSM, marked by reading them before the rules were run on them: the
# numbers of the blanks, from 1; after a slash those at which one may cut or not (whereas, by which).
THAI_FIRST = 200
THAI_ENDS = """
6/1 1,6 8/3 1,4,8,12/7,9 6,12,18 1,3/2 1,7,17/8 6,7 3,4,7 4 3,7,16/5,11,13 10/1,4,7 6 4,7 4,7,8/1
4,6 5/10 3,6 2/1 6,12/3,9 5,10 3,7,8 6 3,4 1,7/4 4 1,10/16 3,13,16,19/1 3,7/6 3,7,12/6,11 5,10/3
1,6,9 2 3,5/4 1,5/2 2,11/5,8 1,3 4,5 2/1 3,11/15,21 4/3 1,2 3,6,11,15/12 9/3 7,8,11/3,6 7/6
3,13,17/10 13,15/1 3,6,8 3,10/4
"""


def numbered(numbers: str, places: Sequence[int]) -> set[int]:
    return {places[int(number) - 1] for number in numbers.split(",") if number}


def test_thai_problems_are_cut_where_a_reader_cuts_them(shared_data: Path) -> None:
    path = shared_data / "parallel_benchmarks" / "mgsm_11lang.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        texts = [json.loads(line)["q"]["th"].strip() for line in file][THAI_FIRST:]
    marked = THAI_ENDS.split()
    assert len(texts) == len(marked) == 50
    hit = wanted = found = 0
    for text, ends in zip(texts, marked, strict=True):
        places = [blank.end() for blank in re.finditer(r"\s+", text)]
        must, may = (numbered(numbers, places) for numbers in f"{ends}/".split("/")[:2])
        cuts = set(accumulate(map(len, sentences(text, "th")))) - {len(text)}
        hit += len(cuts & must)
        wanted += len(must)
        found += len(cuts - may)
    # 0.86 and 0.90; with blanks alone as cuts, or none, one of the two is far lower.
    assert wanted == 103 and hit / wanted >= 0.85 and hit / found >= 0.88


# Share of the ends found between joined sentences of FLORES-200 that are joints, where a blank or a shad says little.
RIGHT = {"bo": 0.69, "lo": 0.84, "my": 0.86, "th": 0.60}


@pytest.mark.parametrize("tag", RIGHT)
def test_sentences_of_blanks_are_not_cut_to_pieces(tag: str, shared_data: Path) -> None:
    path = shared_data / "parallel_benchmarks" / "sib200_test_all_languages.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line)["text"] for line in file]
    code = next(code for code in rows[0] if normalise(code) == tag)
    # A sentence that is two in English may be two here.
    texts = [row[code].strip() for row in rows if len(sentences(row["eng_Latn"].strip(), "en")) == 1]
    right = found = 0
    for at in range(0, len(texts), 4):
        group = texts[at : at + 4]
        joints = set(accumulate(len(text) + 1 for text in group[:-1]))
        cuts = set(accumulate(map(len, sentences(" ".join(group), tag)))) - {
            sum(map(len, group)) + len(group) - 1
        }
        right += len(cuts & joints)
        found += len(cuts)
    assert right / found >= RIGHT[tag]


def test_sixty_languages_and_all_thirty_of_the_paper() -> None:
    found = segmented_languages()
    assert len(found) >= 60 and list(found) == sorted(set(found))
    assert set(PAPER.split()) <= set(found)
    assert all(normalise(tag) == tag for tag in found)


@pytest.mark.parametrize(
    ("tag", "parts"),
    [
        ("th", ["สวัสดีครับ ", "ผมชื่อสมชาย"]),
        ("th", ["เขาไม่มาเพราะฝนตกหนักมากตลอดทั้งวัน ", "อย่างไรก็ตาม งานเลี้ยงก็ยังสนุก"]),
        ("th", ["เมืองหลวงของเปรูคือลิมา ", "ภาษาราชการหลักคือภาษาสเปน และสกุลเงินคือโซล"]),
        ("th", ["ถ้าฝนตก เราจะไม่ไปตลาดในตอนเช้าของวันพรุ่งนี้ ", "คุณต้องการไปกับเราไหมครับ ", "ผมจะรออยู่ที่บ้าน"]),
        ("th", ["เธอซื้อแอปเปิล ส้ม กล้วย และมะม่วง 5 กิโลกรัม มาฝากเพื่อน ๆ ของเธอที่โรงเรียน"]),
        ("lo", ["ສະບາຍດີ. ", "ເຈົ້າເປັນແນວໃດ?"]),
        ("km", ["សួស្តី។ ", "ផ្លែឈើ។ល។ ", "តើអ្នកសុខសប្បាយទេ?"]),
        ("my", ["မြန်မာ၏ မြို့တော်။ ", "ကောင်းပါတယ်။"]),
        ("my", ["နေကောင်းလား။", "ကောင်းပါတယ်၊ ကျေးဇူး။"]),
        ("bo", ["བཀྲ་ཤིས་བདེ་ལེགས། ", "ང་བདེ་པོ་ཡིན།"]),
        ("bo", ["ང་དང་། ཁྱེད་རང་ཡོད། ", "བདེ་མོ།"]),
        ("ky", ["1956-ж. июнда кар жаады. ", "Андан кийин ж. б. у. с. болду."]),
        ("ka", ["70 კმ. სისქისაა. ", "კარგი."]),
        ("en", ["She stayed. ", 'He said ""I will go.""']),
        ("zh", ["他说：“好！”", "真的吗？！", "是的……再见。", "「好。」", "1. 第一。"]),
        ("ja", ["彼は「行く。」と言った。", "そうですか？", "はい！"]),
        ("ko", ["3.5점입니다. ", "네, 그래요."]),
        ("hi", ["डॉ. शर्मा आए। ", "3.5 किलो॥ ", "ठीक है?"]),
        ("bn", ["ডা. রায় এলেন। ", "তুমি?"]),
        ("ur", ["کیا حال ہے؟ ", "قیمت 3۔5 ہے۔ ", "ٹھیک۔"]),
        ("ar", ["جاء د. أحمد! ", "هل أنت بخير؟ ", "نعم."]),
        ("fa", ["سلام؟ ", "خوبم."]),
        ("hy", ["Բարեւ։ ", "Լավ եմ։"]),
        ("am", ["ሰላም ነው።", "እንዴት ነህ፧ ", "ደህና።"]),
        ("el", ["Τι κάνεις; ", "Ο κ. Παππάς ήρθε."]),
        ("he", ["שלום. ", 'ד"ר כהן בא.']),
        ("de", ["Am 3. Oktober war es z. B. kalt. ", "Im 19. Jahrhundert auch. ", "Er kam am 5. ", "Sie ging."]),
        ("cs", ["Dne 3. října 1990. ", "Pak pršelo."]),
        ("fr", ["M. Dupont est là. ", "« Bonjour ! » dit-il. ", "Il part."]),
        ("vi", ["Ông TS. Nam đến. ", "3,5 kg."]),
        ("en", ["It cost $3.50 on 5.6.2020. ", "J. K. Rowling paid... not! 😀 ", "See www.a.com. ", "Bye."]),
        ("en", ["Here is a list:\n", "1. One. ", "Two.\n", "2. Three\n", "- four\n\n", "# Title\n", "Text."]),
        ("en", ["| a | b |\n", "|---|---|\n", "| 1. x | 2 |\n"]),
        ("en", ["He left. ", '"Why?" she asked. ', "The end.[2] ", "(Really.)"]),
        ("en", ["1. First thing ", "2. Second thing ", "3. Third thing"]),
        ("en", ["A line that was wrapped by a machine because it was too\nlong for the page ends here. ", "Yes."]),
    ],
)  # fmt: skip
def test_marks_of_each_script(tag: str, parts: list[str]) -> None:
    assert list(sentences("".join(parts), tag)) == parts


ANY = st.text(alphabet=st.characters(), max_size=60)
MARKED = st.lists(
    st.sampled_from(["a", "B", "Dr.", ". ", "!", "?", "。", "」", "「", "“", "”", "(", ")", "।", "།", "។", "ល", "ၾ", "ไทย ", "1.", "\n", "\r\n", "\r", "\t",
                     "\x00", "\x85", "\u2028", "\u202a", "\u202c", "\u200d", "\ufeff", "\ud800", "\U0010ffff", "😀", "- ", "# ", "|", "...", "…", "[1]"]),
    max_size=40,
).map("".join)  # fmt: skip


@given(text=ANY | MARKED, tag=st.sampled_from([*segmented_languages(), "gsw", "qaa", "no language"]))
@example(text="”\x85.\x85''\"\u202a…\r", tag="kk")
@example(text="\n\n\n", tag="en")
def test_joined_sentences_are_the_text(text: str, tag: str) -> None:
    found = sentences(text, tag)
    assert "".join(found) == text
    assert all(found)


@given(text=ANY | MARKED, longest=st.integers(1, 20))
def test_joined_clauses_are_the_sentence(text: str, longest: int) -> None:
    found = clauses(text, longest=longest)
    assert "".join(found) == text
    assert all(0 < len(part) <= longest for part in found)


def test_clauses_end_where_a_reader_would_pause() -> None:
    assert clauses("We came, we saw; then we left.", longest=18) == ("We came, we saw; ", "then we left.")
    with pytest.raises(ValueError, match="1 character or more"):
        clauses("text", longest=0)


HARD = {
    "dots": ".", "one word": "a", "initials": "A. ", "quotes": '"', "brackets": "（。）", "line breaks": "\n", "numbers": "1. ", "closing": ".) ",
    "khmer": "។ល", "thai": "ภาษาไทย ", "thai numbers": "มี 1 คน และ ", "thai quotations": "“ไทย ", "tibetan": "ཀ། ", "list": "- a\n", "bidi": "\u202a.\u202c ", "chinese": "他说：“好！”走了。", "speech": '"Hi." ',
}  # fmt: skip


@pytest.mark.parametrize("name", HARD)
def test_time_grows_with_the_length_alone(name: str) -> None:
    text = (HARD[name] * 50_000)[:50_000]
    with bounded_work():
        assert "".join(sentences(text, "en")) == text


def test_fallback_is_by_script_and_never_fails() -> None:
    assert sentences("Das isch guet. Mir gönd.", "gsw") == ("Das isch guet. ", "Mir gönd.")
    assert sentences("好。好。", "no language at all") == ("好。", "好。")
    assert sentences("", "en") == ()
    assert sentences(" \n ", "en") == (" \n ",)


def test_command_prints_a_sentence_a_line_or_the_exact_text(tmp_path: Path) -> None:
    text = "Dr. Low came.\r\nHe paid \x1b[31m$3.50!\n\n- item\n"
    path = tmp_path / "text.txt"
    path.write_bytes(text.encode())
    lines = CliRunner().invoke(app, ["segment", "--language", "English", str(path)])
    assert lines.stdout.splitlines() == ["Dr. Low came.", "He paid ⟨U+001B⟩[31m$3.50!", "- item"]
    exact = CliRunner().invoke(app, ["segment", "-l", "en", "-", "--format", "json"], input=text.encode())
    rows = json.loads(exact.stdout)["rows"]
    assert "".join(row["text"] for row in rows) == text
    assert [row["start"] for row in rows[1:]] == [row["end"] for row in rows[:-1]]


@pytest.mark.parametrize(("content", "arguments"), [(None, []), (b"\xff", []), (b"a", ["--format", "pdf"])])
def test_command_refuses_what_it_cannot_read(
    content: bytes | None, arguments: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "text.txt"
    if content is not None:
        path.write_bytes(content)
    result = CliRunner().invoke(app, ["segment", "-l", "en", str(path), *arguments])
    assert result.exit_code != 0 and result.exception is not None
