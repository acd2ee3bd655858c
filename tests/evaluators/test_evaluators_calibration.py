"""Calibrating judges on claims that people labelled: published values, planted judges, bad files, the command."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from hesperus.cli.calibrate import command
from hesperus.errors import DataError, HesperusWarning, UsageError
from hesperus.evaluators import (
    Calibration,
    Check,
    EmbeddedJudge,
    Extracted,
    Judged,
    LabelledText,
    Verified,
    calibrate,
    read_labelled,
)
from hesperus.evaluators.calibration import STATISTICS
from hesperus.evaluators.labelled import known_from_others, read_references
from hesperus.measures import Bootstrap
from loopback_endpoint import Action, Say, serving, user_text

app = typer.Typer()
app.command()(command)


def run(*arguments: str | Path, code: int = 0) -> Result:
    done = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)
    assert done.exit_code == code, done.output
    return done


def values(done: Result) -> dict[tuple[str, str], dict[str, Any]]:
    document = json.loads(done.stdout)
    assert document["measure"] == "calibration"
    return {(row["system"], row["statistic"]): row for row in document["rows"]}


def test_published_scores_of_people(shared_data: Path) -> None:
    folder = shared_data / "factscore_human_labels"
    texts = [text for path in sorted(folder.glob("*.jsonl.gz")) for text in read_labelled(path)]
    found = calibrate(texts, EmbeddedJudge(), references=known_from_others(texts))
    human = {
        system: found.estimates(Bootstrap(300), system=system)["human_score"] for system in found.systems
    }
    assert {system: round(100 * (e.value or 0), 1) for system, e in human.items()} == {
        "ChatGPT": 58.3, "InstructGPT": 42.8, "PerplexityAI": 80.4,
    }  # fmt: skip
    assert {system: (e.n, e.excluded) for system, e in human.items()} == {
        "ChatGPT": (157, 26), "InstructGPT": (181, 2), "PerplexityAI": (158, 25)
    }  # fmt: skip
    chat = found.estimates(Bootstrap(300), system="ChatGPT")
    # What the page says of the embedded judge. It misses what the other systems do not say, and hardly lets a false
    # claim through; a text's own claims it finds, those of another topic it does not.
    assert chat["accuracy"].value == pytest.approx(0.59, abs=0.02)
    assert (
        chat["not_supported_as_supported"].value is not None
        and chat["not_supported_as_supported"].value < 0.05
    )
    assert chat["own_text"].value == pytest.approx(0.965, abs=0.01)
    assert chat["other_topic"].value is not None and chat["other_topic"].value < 0.02
    assert chat["judge_score"].high is not None and chat["judge_score"].high < 0.583
    assert set(chat) == set(STATISTICS)


class Noisy:
    """Knows the labels, and is wrong at a known rate: each so-many-th claim."""

    name = "noisy"

    def __init__(self, truth: dict[str, bool], every: int, unread: int = 0) -> None:
        self.truth, self.every, self.unread, self.seen = truth, every, unread, 0

    def claims(self, texts: Sequence[str]) -> list[Extracted]:
        raise AssertionError("a calibration has its claims")

    def verify(self, checks: Sequence[Check]) -> list[Verified]:
        return [Verified(tuple(map(self.judged, check.claims))) for check in checks]

    def judged(self, claim: str) -> Judged:
        self.seen += 1
        if self.unread and self.seen % self.unread == 0:
            return Judged(claim, None, "unreadable: no JSON")
        wrong = self.every and self.seen % self.every == 0
        return Judged(claim, "supported" if self.truth[claim] != bool(wrong) else "contradicted")

    def signature(self) -> dict[str, Any]:
        return {"judge": self.name}


def labelled(topics: int = 40, system: str = "s") -> list[LabelledText]:
    labels = ("supported", "not supported", "supported", "irrelevant", "supported")
    return [
        LabelledText(
            system,
            f"topic {t}",
            f"text {t}",
            tuple((f"{system} {t} {n}", labels[(t + n) % 5]) for n in range(4 + t % 3)),
        )
        for t in range(topics)
    ]


def judged_by(judge: Noisy, texts: list[LabelledText], **how: Any) -> Calibration:
    references = {(text.system, text.topic): "known" for text in texts}
    return calibrate(texts, judge, references=references, **how)  # type: ignore[arg-type]


def f1(people: list[bool], said: list[bool]) -> float:
    hits = [a and b for a, b in zip(people, said, strict=True)]
    precision, recall = sum(hits) / sum(said), sum(hits) / sum(people)
    return 2 * precision * recall / (precision + recall)


def kappa(people: list[bool], said: list[bool]) -> float:
    observed = fmean(a == b for a, b in zip(people, said, strict=True))
    a, b = fmean(people), fmean(said)
    by_chance = a * b + (1 - a) * (1 - b)
    return (observed - by_chance) / (1 - by_chance)


def test_planted_judges_are_measured_as_they_are() -> None:
    texts = labelled()
    truth = {claim: label == "supported" for text in texts for claim, label in text.claims}
    perfect = judged_by(Noisy(truth, 0), texts, controls=False).estimates(Bootstrap(200))
    for name in ("accuracy", "kappa", "f1_supported", "f1_not_supported"):
        assert (perfect[name].value, perfect[name].high) == (1.0, 1.0) and 0.8 < (
            perfect[name].low or 0.0
        ) < 1.0
    assert perfect["score_difference"].value == pytest.approx(0.0)
    assert perfect["irrelevant_as_supported"].value == 0.0
    assert perfect["own_text"].value is None and perfect["own_text"].reason == "this control was not made"

    judge = Noisy(truth, 4)
    found = judged_by(judge, texts, controls=False)
    rows = [row for row in found.claim_rows() if row["label"] != "irrelevant"]
    people = [row["label"] == "supported" for row in rows]
    said = [row["verdict"] == "supported" for row in rows]
    estimates = found.estimates(Bootstrap(500))
    assert estimates["accuracy"].value == pytest.approx(
        sum(a == b for a, b in zip(people, said, strict=True)) / len(rows)
    )
    assert estimates["kappa"].value == pytest.approx(kappa(people, said))
    assert estimates["f1_supported"].value == pytest.approx(f1(people, said))
    assert estimates["f1_not_supported"].value == pytest.approx(
        f1([not p for p in people], [not s for s in said])
    )
    accuracy = estimates["accuracy"]
    assert accuracy.low is not None and accuracy.high is not None and accuracy.low < 0.75 < accuracy.high


def test_what_is_left_out_is_counted() -> None:
    texts = labelled(10)
    truth = {claim: label == "supported" for text in texts for claim, label in text.claims}
    references = {(text.system, text.topic): "known" for text in texts[2:]}
    silent = LabelledText("s", "silent", "I do not know.", ())
    found = calibrate([*texts, silent], Noisy(truth, 0, unread=5), references=references, controls=False)  # type: ignore[arg-type]
    estimates = found.estimates()
    claims = [(claim, label) for text in texts for claim, label in text.claims if label != "irrelevant"]
    accuracy = estimates["accuracy"]
    assert accuracy.value == 1.0 and accuracy.n + accuracy.excluded == len(claims)
    assert (
        "2 texts without a reference" in accuracy.reason
        and "claims without a readable verdict" in accuracy.reason
    )
    assert (estimates["human_score"].n, estimates["human_score"].excluded) == (10, 1)
    assert estimates["judge_score"].n == 8
    assert {row["reason"] for row in found.claim_rows()} == {
        "",
        "no reference on this topic",
        "unreadable: no JSON",
    }


def test_controls_tell_judges_apart() -> None:
    texts = [
        LabelledText(
            "s",
            topic,
            f"{topic} lies in Asia. It has 5 million people.",
            ((f"{topic} lies in Asia.", "supported"),),
        )
        for topic in ("Alpha", "Beta", "Gamma")
    ]
    found = calibrate(texts, EmbeddedJudge(), references={}).estimates()
    assert (found["own_text"].value, found["other_topic"].value) == (1.0, 0.0)
    assert (
        found["accuracy"].value is None
        and found["accuracy"].reason == "no claim to compare; 3 texts without a reference"
    )
    yes = Noisy({"Alpha lies in Asia.": True, "Beta lies in Asia.": True, "Gamma lies in Asia.": True}, 0)
    assert judged_by(yes, texts).estimates()["other_topic"].value == 1.0


def test_one_system_cannot_write_twice_on_a_topic() -> None:
    with pytest.raises(ValueError, match="two texts on one topic"):
        judged_by(Noisy({}, 0), labelled(2) + labelled(1))


def lines(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


GOOD = {
    "topic": "Lima",
    "text": "Lima is in Peru.",
    "claims": [{"claim": "Lima is in Peru.", "label": "Supported"}],
}


def test_three_layouts_are_read(tmp_path: Path) -> None:
    fact = ["Lima is in Peru.", "NS"]
    path = lines(
        tmp_path / "sys.v1.jsonl",
        GOOD,
        {"topic": "B", "output": "b", "sentences": [{"text": "b", "facts": [fact]}, {"facts": None}]},
        {"topic": "C", "output": "c", "system": "other", "sentences": None},
        {
            "topic": "D",
            "output": "d",
            "annotations": [{"human-atomic-facts": [{"text": "x", "label": "IR"}]}],
        },
    )
    texts = read_labelled(path)
    assert [text.system for text in texts] == ["sys", "sys", "other", "sys"]
    assert [text.claims for text in texts] == [
        (("Lima is in Peru.", "supported"),), (("Lima is in Peru.", "not supported"),), (), (("x", "irrelevant"),)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no labelled claim"),
        (b"[1]\n", "line 1: is no labelled text: Expected `object`, got `array`"),
        (
            b'{"topic": 1, "text": "x"}\n',
            r"line 1: is no labelled text: Expected `str`, got `int` - at `\$.topic`",
        ),
        (b'{"topic": "a"}\n', "field 'text'"),
        (b'{"topic": "a", "text": "b", "system": 3}\n', r"at `\$.system`"),
        (
            b'{"topic": "a", "text": "b", "claims": [{"claim": "c", "label": "yes"}]}\n',
            "is no claim with a label",
        ),
        (b'{"topic": "a", "text": "b", "claims": [["c"]]}\n', r"of length 2 - at `\$.claims"),
        (
            b'{"topic": "a", "text": "b", "sentences": ["c"]}\n',
            r"Expected `object`, got `str` - at `\$.sentences",
        ),
        (b"\xff\xfe\n", "is no labelled text"),
        (b"[" * 100_000, "is no labelled text"),
    ],
    ids=range(10),
)
def test_bad_files_are_named(content: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(content)
    with pytest.raises(DataError, match=said) as raised:
        read_labelled(path)
    assert "bad.jsonl" in str(raised.value)


def test_archives_and_references(tmp_path: Path) -> None:
    broken = tmp_path / "x.jsonl.gz"
    broken.write_bytes(gzip.compress(json.dumps(GOOD).encode())[:-6])
    with pytest.raises(DataError, match="is no whole gzip file"):
        read_labelled(broken)
    with pytest.raises(UsageError, match="no such file"):
        read_labelled(tmp_path / "absent.jsonl")
    known = lines(
        tmp_path / "known.jsonl", {"topic": "Lima", "text": "In Peru."}, {"topic": "Lima", "text": "Again."}
    )
    with pytest.raises(DataError, match="'Lima' a second time"):
        read_references(known)


def test_the_command_on_real_labels(shared_data: Path, tmp_path: Path) -> None:
    file = shared_data / "factscore_human_labels" / "ChatGPT.jsonl.gz"
    kept = tmp_path / "verdicts.jsonl"
    done = run(file, "--judge", "embedded", "--limit", "40", "--format", "json", "--out", kept)
    found = values(done)
    assert {system for system, _ in found} == {"ChatGPT"} and len(found) == len(STATISTICS)
    accuracy = found["ChatGPT", "accuracy"]
    assert accuracy["low"] < accuracy["value"] < accuracy["high"]
    assert "checked against: what people found supported in ChatGPT, InstructGPT, PerplexityAI" in done.stderr
    document = json.loads(done.stdout)
    assert document["signature"]["judge"] == "embedded" and document["signature"]["limit"] == 40
    rows = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
    assert {"system", "topic", "claim", "label", "verdict", "reason", "own_text", "other_topic"} == set(
        rows[0]
    )
    assert len(list(tmp_path.iterdir())) == 1


def test_the_command_with_a_model_behind_http(tmp_path: Path) -> None:
    asked: list[str] = []

    def behave(body: dict[str, Any], _: int) -> Action:
        prompt = user_text(body)
        asked.append(prompt)
        if "Lima" in prompt:
            return Say("Well, it depends.")
        verdict = "supported" if "On the Tagus lies Lisbon" in prompt else "not supported"
        return Say(json.dumps({"1": verdict}))

    one, two = (
        lines(
            tmp_path / f"{name}.jsonl",
            GOOD,
            {
                "topic": "Lisbon",
                "text": text,
                "claims": [{"claim": "On the Tagus lies Lisbon.", "label": "S"}],
            },
        )
        for name, text in (("one", "Lisbon."), ("two", "Lisbon!"))
    )
    with serving(behave) as endpoint:
        arguments = [
            one, two, "--judge", "http/j", "--base-url", endpoint.url, "--store", tmp_path / "r.sqlite",
            "--no-controls", "--format", "json",
        ]  # fmt: skip
        found = values(run(*arguments))
        assert {system for system, _ in found} == {"one", "two", "all"}
        accuracy, validity = found["all", "accuracy"], found["all", "validity"]
        assert (accuracy["value"], accuracy["n"], accuracy["excluded"]) == (1.0, 2, 2)
        assert (validity["value"], validity["n"]) == (0.5, 4)
        count = len(asked)
        values(run(*arguments))
        # What was answered is not asked again, readable or not.
        assert len(asked) == count


def test_bad_use_of_the_command(tmp_path: Path) -> None:
    alone = lines(tmp_path / "alone.jsonl", GOOD)
    with pytest.raises(UsageError, match="give --reference"):
        run(alone)
    (tmp_path / "notes.jsonl").write_text("{}\n", encoding="utf-8")
    with (
        pytest.warns(HesperusWarning, match="not used as reference"),
        pytest.raises(UsageError, match="give --reference"),
    ):
        run(alone)
    with pytest.raises(UsageError, match="--limit is a number from 1"):
        run(alone, "--limit", 0)
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(UsageError, match="holds no file"):
        run(empty)
    known = lines(tmp_path / "known.txt", {"topic": "Lima", "text": "Lima is in Peru."})
    done = run(alone, "--reference", known)
    assert "accuracy" in done.stdout and "checked against: known.txt" in done.stderr
    with pytest.raises(UsageError, match="cannot write the claims"):
        run(alone, "--reference", known, "--out", known / "x.jsonl")
