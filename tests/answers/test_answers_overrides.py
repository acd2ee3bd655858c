"""Corrections by hand: read, tied to the reply that was reviewed, refused with a line number."""

from __future__ import annotations

from pathlib import Path

import pytest

from hesperus.answers import load_overrides, reply_hash
from hesperus.errors import DataError, UsageError

REPLY = "Aucune des deux"
HEADER = "model,task,item,instruction,input,repeat,reply_hash,label,outcome,note\n"
KEY = ("m/x", "xnli", "3558", "fr", "fr", 1)


def _file(folder: Path, text: str, name: str = "reviewed.csv") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_csv(tmp_path: Path) -> None:
    text = HEADER + f"m/x,xnli,3558,fr,fr,1,{reply_hash(REPLY)},neutral,,says neither\n"
    text += f"m/x,xnli,1,fr,fr,2,{reply_hash('?')},,refused,declines\n"
    overrides = load_overrides(_file(tmp_path, text))
    answer = overrides.answer(KEY, REPLY)
    assert answer is not None and (answer.outcome, answer.label, answer.rule) == (
        "answered",
        "neutral",
        "override",
    )
    assert overrides.answer(KEY, "A") is None
    assert overrides.answer((*KEY[:5], 2), REPLY) is None
    other = overrides.answer(("m/x", "xnli", "1", "fr", "fr", 2), "?")
    assert other is not None and (other.outcome, other.label) == ("refused", None)
    assert overrides.by_key[KEY].note == "says neither"


def test_the_reply_itself_in_place_of_its_hash(tmp_path: Path) -> None:
    text = "model\ttask\titem\tinstruction\tinput\treply\tlabel\tnote\n"
    text += f'm/x\txnli\t3558\tfr\tfr\t"{REPLY}"\tneutral\twhy\n'
    assert load_overrides(_file(tmp_path, text, "r.tsv")).answer(KEY, REPLY) is not None


def test_yaml(tmp_path: Path) -> None:
    text = f"""
- {{model: m/x, task: xnli, item: 3558, instruction: fr, input: fr, reply: "{REPLY}", label: no, note: n}}
- model: m/x
  task: xnli
  item: 7
  instruction: fr
  input: fr
  reply_hash: {reply_hash("x")}
  outcome: invalid
  note: because
"""
    overrides = load_overrides(_file(tmp_path, text, "r.yaml"))
    answer = overrides.answer(KEY, REPLY)
    assert answer is not None and answer.label == "no"
    assert [override.line for override in overrides.by_key.values()] == [2, 3]
    assert load_overrides(_file(tmp_path, "", "empty.yaml")).by_key == {}


GOOD = f"m/x,xnli,1,fr,fr,1,{'0' * 16},A,,why\n"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("model,task\n", 1, "missing: item, instruction, input, note, reply_hash or reply, label or outcome"),
        (HEADER.replace("note", "nota"), 1, "unknown column: 'nota'; did you mean 'note'"),
        (HEADER.replace("label", "item"), 1, "is given twice"),
        (HEADER + "m/x,xnli\n", 2, "2 values for 10 columns"),
        (HEADER + "\n" + GOOD.replace("why", " "), 3, "field 'note': is empty"),
        (HEADER + GOOD.replace("m/x", ""), 2, "field 'model': is empty"),
        (
            HEADER + GOOD.replace(",1,0", ",x,0"),
            2,
            "field 'repeat': expected a whole number from 1, found 'x'",
        ),
        (HEADER + GOOD.replace("0" * 16, ""), 2, "give the reply, or its hash as reply_hash"),
        (HEADER + GOOD.replace("0" * 16, "abc"), 2, "expected 16 hexadecimal digits"),
        (HEADER + GOOD.replace("A,", ",answered"), 2, "give a label, or an outcome other than 'answered'"),
        (HEADER + GOOD.replace("A,,", ",,"), 2, "give a label, or an outcome other than 'answered'"),
        (
            HEADER + GOOD.replace("A,,", "A,empty,"),
            2,
            "a label goes with the outcome 'answered', not 'empty'",
        ),
        (HEADER + GOOD.replace("A,,", ",refusd,"), 2, "unknown outcome: 'refusd'; did you mean 'refused'"),
        (HEADER + GOOD.replace("A,,", ",error,"), 2, "unknown outcome: 'error'"),
        (HEADER + GOOD + '"a\nb",x\n' + GOOD, 3, "2 values for 10 columns"),
        (HEADER + GOOD + GOOD, 3, "the same record as line 2; keep one of them"),
        (HEADER + GOOD + 'm/x,"', 3, "no CSV: unexpected end of data"),
    ],
)
def test_csv_that_is_refused(tmp_path: Path, text: str, line: int, message: str) -> None:
    with pytest.raises(DataError) as raised:
        load_overrides(_file(tmp_path, text))
    assert f"line {line}" in str(raised.value)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", "no YAML"),
        ("model: x", "line 1: expected a list of entries"),
        ("- model: [x]", "line 1: expected keys with plain values"),
        ("\n- plain", "line 2: expected keys with plain values"),
        ("- {model: a, model: b}", "given twice"),
        ("- {modell: a}", "unknown column: 'modell'; did you mean 'model'"),
        ("- !!python/object:os.system {}", "YAML tags"),
    ],
)
def test_yaml_that_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError) as raised:
        load_overrides(_file(tmp_path, text, "r.yml"))
    assert message in str(raised.value)


def test_hash_and_reply_must_agree(tmp_path: Path) -> None:
    text = HEADER.replace("outcome", "reply") + f"m,t,1,fr,fr,1,{reply_hash('a')},A,b,why\n"
    with pytest.raises(DataError, match="is not the hash of the reply in the same entry"):
        load_overrides(_file(tmp_path, text))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read the corrections .*absent"):
        load_overrides(tmp_path / "absent.csv")
    broken = tmp_path / "broken.csv"
    broken.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="line 1: is not UTF-8"):
        load_overrides(broken)


def test_labels_are_those_of_the_task(tmp_path: Path) -> None:
    overrides = load_overrides(_file(tmp_path, HEADER + GOOD.replace("A,,", "neutrl,,")))
    overrides.check_labels("boolq", ("yes", "no"))
    with pytest.raises(DataError) as raised:
        overrides.check_labels("xnli", ("entailment", "neutral"))
    assert "line 2, field 'label': unknown label of xnli: 'neutrl'; did you mean 'neutral'" in str(
        raised.value
    )
