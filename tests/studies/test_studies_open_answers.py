"""Ready answers: read, paired, translated once, evaluated, with the control beside them, and every gap counted."""

from __future__ import annotations

import json
import random
import re
import sqlite3
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl
import pytest
import yaml

from hesperus.analysis.open_answers.open_tables import counts_table, groups_table, run_table, scores_table
from hesperus.errors import DataError, PermanentError, StoreError, UnknownNameError, UsageError
from hesperus.evaluators import EmbeddedJudge, information_evaluator
from hesperus.languages import pack
from hesperus.measures import Bootstrap
from hesperus.studies.evaluating.evaluation import Evaluation, evaluate
from hesperus.studies.evaluating.keeping import write_evaluation
from hesperus.studies.evaluating.replies import paired, read_open, read_replies, replies_of
from hesperus.studies.evaluating.translating import Translating, Way
from hesperus.studies.evaluating.translation_store import TranslationStore
from hesperus.studies.translate_then_evaluate.open_study import OpenAnswersStudy
from hesperus.translation import GREEDY, Decoding
from hesperus.translation.translator_registry import translator
from hesperus.types import Reply
from own_process import forked, tell

THINGS = ("lake", "tower", "bridge", "market", "library", "harbour", "theatre", "garden", "castle", "mill")


DECLINING = {
    "en": "I'm sorry, but I can't help with that request.",
    "tr": "Üzgünüm, bu konuda yardımcı olamam.",
    "de": "Es tut mir leid, aber dabei kann ich nicht helfen.",
    "fr": "Désolé, je ne peux pas vous aider avec cette demande.",
    "es": "Lo siento, pero no puedo ayudar con eso.",
    "zh": "抱歉，我无法协助完成这个请求。",
    "ar": "عذرًا، لا يمكنني المساعدة في هذا الطلب.",
    "ru": "Извините, я не могу помочь с этим запросом.",
    "ja": "申し訳ありませんが、そのご要望にはお応えできません。",
    "hi": "क्षमा करें, मैं इस अनुरोध में मदद नहीं कर सकता।",
    "sw": "Samahani, siwezi kusaidia na ombi hilo.",
}

DOCUMENTS, SENTENCES = 160, 20


def long_text(number: int) -> str:
    """A document with sentences that no other has; all together are more than is handed over at once."""
    return " ".join(f"In town {number} the field {n + 300} has {n + 2} wells." for n in range(SENTENCES))


class Mirror:
    """A translator that spells every word backwards, counts what it is sent, and dies when it is told to."""

    name = "mirror"
    identity: Mapping[str, str] = {"translator": "mirror"}  # noqa: RUF012

    def __init__(self, dies_at: int | None = None) -> None:
        self.sent: list[str] = []
        self.dies_at = dies_at

    def supports(self, source: str, target: str) -> bool:
        return source != target

    def translate(
        self, texts: Sequence[str], source: str, target: str, decoding: Decoding = GREEDY
    ) -> Sequence[str]:
        if self.dies_at is not None and len(self.sent) + len(texts) > self.dies_at:
            raise PermanentError("the mirror broke", kind="broken")
        self.sent += texts
        return [mirrored(text) for text in texts]


def mirrored(text: str) -> str:
    return " ".join(
        word[::-1] if word.isalpha() else word[:-1][::-1] + word[-1] if word[:-1].isalpha() else word
        for word in text.split(" ")
    )


def reply(item: str, language: str, text: str | None, **more: object) -> dict[str, object]:
    outcome = "answered" if text else "empty"
    return {"model": "m/a", "task": "t", "item": item, "instruction": language, "input": language,
            "outcome": outcome, "reply": text, **more}  # fmt: skip


def planted(
    items: int, seed: int, *, drop: float, contradict: float, add: float
) -> tuple[pl.DataFrame, float, float]:
    """English answers, and German ones (in English words) in which claims were dropped, contradicted and added; with the
    mean precision and recall that this plants."""
    draw, rows = random.Random(seed), []
    shares = []
    for number in range(items):
        claims = [
            f"The {thing} of town {number} was built in {1500 + draw.randrange(400)}." for thing in THINGS
        ]
        kept, said = 0, []
        for claim in claims:
            fate = draw.random()
            if fate < drop:
                continue
            if fate < drop + contradict:
                said.append(f"{claim[:-5]}{int(claim[-5:-1]) + 37}.")
            else:
                kept += 1
                said.append(claim)
        said += [
            f"Its {color} flag has {draw.randrange(3, 90)} stars."
            for color in ("red", "blue")
            if draw.random() < add
        ]
        rows += [reply(str(number), "en", " ".join(claims)), reply(str(number), "de", " ".join(said) or None)]
        shares.append((kept / len(said) if said else 0.0, kept / len(claims)))
    precision, recall = (sum(share[side] for share in shares) / items for side in (0, 1))
    return pl.DataFrame(rows), precision, recall


def evaluated(
    replies: pl.DataFrame, using: object = None, *, store: Path | str = ":memory:", **settings: object
) -> Evaluation:
    chosen = translator("none") if using is None else using
    with TranslationStore(store) as kept:
        (found,) = evaluate(
            paired(replies_of(replies), "en"),
            Translating(chosen, kept),  # type: ignore[arg-type]
            [information_evaluator(EmbeddedJudge())],
            **settings,  # type: ignore[arg-type]
        )
    return found


def scores(found: Evaluation, bootstrap: Bootstrap | None = None) -> dict[str, Mapping[str, object]]:
    made = scores_table(found.pairs, found.what, signature=found.signature, bootstrap=bootstrap)
    return {str(row["statistic"]): row for row in made.rows}


@pytest.mark.parametrize(
    ("drop", "contradict", "add"), [(0.3, 0.0, 0.0), (0.0, 0.25, 0.0), (0.0, 0.0, 0.9), (0.2, 0.2, 0.5)]
)
def test_planted_rates_come_back_as_precision_and_recall(drop: float, contradict: float, add: float) -> None:
    replies, precision, recall = planted(60, 7, drop=drop, contradict=contradict, add=add)
    found = scores(evaluated(replies), Bootstrap(500))
    for name, truth in (("precision", precision), ("recall", recall)):
        assert found[name]["value"] == pytest.approx(truth, abs=0.02), name
        assert float(str(found[name]["low"])) - 0.02 <= truth <= float(str(found[name]["high"])) + 0.02
        assert found[name]["n"] == 60 and found[name]["excluded"] == 0
    both = 2 * precision * recall / (precision + recall)
    assert found["f_of_means"]["value"] == pytest.approx(both, abs=0.02)
    # The expectation of what was planted, not only what this draw planted.
    assert recall == pytest.approx(1 - drop - contradict, abs=0.07)


def test_what_gives_no_answer_scores_by_the_rule_and_is_shown_both_ways() -> None:
    text = "Lima is the capital of Peru."
    rows = [
        *[reply(str(n), "en", text) for n in range(5)],
        reply("0", "de", text),
        reply("1", "de", "Das kann ich nicht sagen.", outcome="refused"),
        reply("2", "de", None, outcome="blocked"),
        reply("3", "de", "   "),
        # 4 was never asked in German, 5 never in English; 6 got no answer in either.
        reply("5", "de", text), reply("6", "en", None), reply("6", "de", None, outcome="error"),
    ]  # fmt: skip
    found = evaluated(pl.DataFrame(rows))
    by_rule, answered = scores(found)["recall"], scores(found)["recall_answered"]
    assert (by_rule["value"], by_rule["n"], by_rule["excluded"]) == ((1 + 0 + 0 + 0) / 4, 4, 3)
    assert by_rule["reason"] == "2 not asked in both languages; 1 without a reply (error)"
    assert (answered["value"], answered["n"], answered["excluded"]) == (1.0, 1, 6)
    assert "3 without an answer on both sides" in str(answered["reason"])
    (counts,) = counts_table(found.pairs, signature={}).rows
    assert {name: counts[name] for name in ("pairs", "compared", "candidate_silent", "failed", "absent")} == {
        "pairs": 7, "compared": 1, "candidate_silent": 3, "failed": 1, "absent": 2,
    }  # fmt: skip
    assert (counts["refused"], counts["blocked"], counts["error"]) == (1, 1, 1)
    strict = scores(evaluated(pl.DataFrame(rows), missing="no-answer"))["recall"]
    assert (strict["value"], strict["n"]) == (1 / 6, 6)


def test_the_control_is_the_ceiling_and_the_share_is_paired_by_item() -> None:
    replies, precision, _ = planted(30, 3, drop=0.0, contradict=0.3, add=0.0)
    german = pl.col("input") == "de"
    replies = replies.with_columns(
        pl.when(german)
        .then(pl.col("reply").map_elements(mirrored, pl.String))
        .otherwise(pl.col("reply"))
        .alias("reply")
    )
    using = Mirror()
    found = scores(evaluated(replies, using), Bootstrap(300))["precision"]
    assert found["ceiling"] == 1.0 and found["value"] == pytest.approx(precision, abs=0.02)
    assert found["relative"] == found["value"]
    # The ceiling has pseudo-items of its own: that it is 1 is no more certain than 30 prompts can make it.
    assert found["relative_low"] == pytest.approx(found["low"], abs=0.03)
    assert scores(evaluated(replies, Mirror(), control=False))["precision"]["ceiling"] is None


def test_nothing_is_translated_twice_whatever_comes_after(tmp_path: Path) -> None:
    replies, *_ = planted(12, 1, drop=0.2, contradict=0.0, add=0.0)
    first, again = Mirror(), Mirror()
    one = evaluated(replies, first, store=tmp_path / "t.sqlite")
    other = evaluated(replies, again, store=tmp_path / "t.sqlite")
    assert first.sent and not again.sent
    assert one.pairs.equals(other.pairs) and one.sentences.equals(other.sentences)


def test_a_translator_that_dies_loses_nothing(tmp_path: Path) -> None:
    texts = [long_text(n) for n in range(DOCUMENTS)]
    way = Way("de", "en", "test")
    with TranslationStore(tmp_path / "t.sqlite") as store:
        dying = Mirror(dies_at=DOCUMENTS * SENTENCES - 1)
        with pytest.raises(PermanentError, match="the mirror broke"):
            Translating(dying, store).texts(texts, way)
        kept = len(store)
        assert 0 < kept < DOCUMENTS
    with TranslationStore(tmp_path / "t.sqlite") as store:
        healthy = Mirror()
        done = Translating(healthy, store).texts(texts, way)
        assert [made.text for made in done] == [mirrored(text) for text in texts]
        assert len(healthy.sent) == (DOCUMENTS - kept) * SENTENCES


class Stuck(Mirror):
    """Translates one batch, and never the next."""

    def translate(self, texts, *rest):
        tell(len(self.sent))
        if self.sent:
            time.sleep(600)
        return super().translate(texts, *rest)


def translate_stuck(file: Path) -> None:
    with TranslationStore(file) as store:
        Translating(Stuck(), store).texts([long_text(n) for n in range(DOCUMENTS)], Way("de", "en", "x"))


def test_a_kill_while_translating_keeps_what_was_translated(tmp_path: Path) -> None:
    running = forked(translate_stuck, tmp_path / "t.sqlite")
    assert [int(running.stdout.readline()) > 0 for _ in range(2)] == [False, True]
    running.kill()
    running.wait()
    with TranslationStore(tmp_path / "t.sqlite") as store:
        kept, using = len(store), Mirror()
        assert 0 < kept < DOCUMENTS
        texts = [long_text(n) for n in range(DOCUMENTS)]
        assert len(Translating(using, store).texts(texts, Way("de", "en", "x"))) == DOCUMENTS
        assert len(using.sent) == (DOCUMENTS - kept) * SENTENCES


def test_pairs_of_languages_that_a_translator_lacks_are_all_named_at_once(tmp_path: Path) -> None:
    lines = ["source,target,text,translation", "fr,en,Bonjour,Hello"]
    (tmp_path / "ready.csv").write_text("\n".join(lines), encoding="utf-8")
    rows = [reply("1", tag, "Hallo.") for tag in ("en", "de", "sw", "fr")]
    with pytest.raises(
        UsageError, match=r"2 of 3 pairs.*\n.*German \(de\).*\n.*Swahili \(sw\).*NLLB"
    ) as error:
        evaluated(pl.DataFrame(rows), translator(f"file/{tmp_path / 'ready.csv'}"))
    assert "--language" in str(error.value)


@pytest.mark.parametrize("column", ["text", "item"])
def test_ready_translations_are_looked_up_whole_and_gaps_are_counted(column: str, tmp_path: Path) -> None:
    said = {"1": "Lima ist die Hauptstadt. Es ist gross.", "2": "Nichts."}
    rows = [{"source": "de", "target": "en", column: said["1"] if column == "text" else "1",
             "translation": "Lima is the capital. It is big."}]  # fmt: skip
    pl.DataFrame(rows).write_ndjson(tmp_path / "ready.jsonl")
    replies = [reply(item, "de", text) for item, text in said.items()]
    replies += [reply(item, "en", "Lima is the capital. It is big.") for item in said]
    found = evaluated(pl.DataFrame(replies), translator(f"file/{tmp_path / 'ready.jsonl'}"))
    assert found.pairs["state"].to_list() == ["compared", "untranslated"]
    row = scores(found)["f_of_means"]
    assert (row["value"], row["n"], row["excluded"], row["reason"]) == (1.0, 1, 1, "1 without a translation")


def test_a_file_needs_no_more_than_who_what_and_the_reply(tmp_path: Path) -> None:
    rows = [
        {"model": "m", "item": 1, "input": tag, "reply": text}
        for tag, text in (("en", "Yes."), ("deu", "Ja."))
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "mine.csv")
    pl.DataFrame(rows).write_ndjson(tmp_path / "mine.jsonl")
    for name in ("mine.csv", "mine.jsonl"):
        read = read_replies(tmp_path / name)
        assert read["task"].unique().to_list() == ["mine"] and read["language"].to_list() == ["en", "de"]
        assert read["outcome"].to_list() == ["answered"] * 2


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            [{"model": "m", "item": "1", "input": "en"}],
            "no column 'reply'; open answers need model, item, input, reply",
        ),
        ([{"model": "m", "item": "1", "input": "xx-nowhere", "reply": "a"}], "'input'"),
        (
            [{"model": "m", "item": "1", "input": "en", "reply": "a", "outcome": "fine"}],
            "unknown outcome 'fine'",
        ),
        ([{"model": "m", "item": "1", "input": "en", "reply": 5}], "expected text"),
        ([{"model": "m", "item": "1", "input": "en", "reply": "a"}] * 2, "the same key"),
    ],
)
def test_broken_files_are_refused_by_name(rows: list[dict[str, object]], said: str, tmp_path: Path) -> None:
    pl.DataFrame(rows).write_ndjson(tmp_path / "x.jsonl")
    with pytest.raises(DataError, match=said) as error:
        read_replies(tmp_path / "x.jsonl")
    assert "x.jsonl" in str(error.value)


def test_a_reference_that_is_missing_or_alone_is_an_error() -> None:
    german = replies_of(pl.DataFrame([reply("1", "de", "Ja.")]))
    with pytest.raises(UnknownNameError, match="reference language of the replies: 'en'; known: de"):
        paired(german, "en")
    with pytest.raises(DataError, match="nothing to compare: all replies are in German"):
        paired(german, "de")
    both = replies_of(pl.DataFrame([reply("1", "de", "Ja."), reply("1", "en", "Yes.")]))
    with pytest.raises(UnknownNameError, match="language of the replies: 'fr'"):
        paired(both, "en", ["fr"])


def test_hostile_answers_pass_through_counted() -> None:
    texts = {
        "empty": "",
        "long": "The lake is deep. " * 2800,
        "control": "The lake\x00 is\x1b[31m deep.\u202e",
        "mixed": "Озеро 深い lake.",
    }
    rows = [reply(name, "en", "The lake is deep.") for name in texts]
    rows += [reply(name, "de", text) for name, text in texts.items()]
    found = evaluated(pl.DataFrame(rows), Mirror(), control=False)
    assert found.pairs.height == 4 and scores(found)["precision"]["n"] == 4
    assert dict(found.pairs.select("item", "state").rows())["empty"] == "candidate_silent"


def test_groups_move_an_item_with_all_its_languages_and_know_both_family_tables() -> None:
    text = "Lima is the capital of Peru. It lies by the sea."
    half = "Lima is the capital of Peru."
    rows = [reply(str(n), "en", text) for n in range(8)]
    for tag in ("de", "fr", "hi"):
        rows += [reply(str(n), tag, text if n % 2 else half) for n in range(8)]
    found = evaluated(pl.DataFrame(rows))
    table = groups_table(found.pairs, signature={}, trained_on={"m/a": ["de"]}, bootstrap=Bootstrap(200))
    groups = {(row["grouping"], row["group"]): row for row in table.rows if row["statistic"] == "recall"}
    assert (
        groups["branch", "Germanic"]["languages"] == "de" and groups["branch", "Romance"]["languages"] == "fr"
    )
    assert groups["paper_family", "Romance"]["languages"] == "de fr"
    assert groups["script", "Deva"]["n"] == 8 and groups["script", "Latn"]["n"] == 16
    assert (
        groups["trained_on", "in"]["languages"] == "de"
        and groups["trained_on", "out"]["languages"] == "fr hi"
    )
    # Every language says the same of an item: eight items, however many languages, give one interval.
    ends = {(round(row["low"], 12), round(row["high"], 12)) for row in groups.values()}
    assert len(ends) == 1 and groups["all", "all"]["value"] == 0.75


def test_repeats_are_paired_with_their_own_and_made_senses_have_rows_of_their_own() -> None:
    text = "Lima is the capital of Peru."
    rows = [reply("1", "en", text, repeat=n) for n in (1, 2)]
    rows += [
        reply("1", tag, text if n == 1 else "Quito is big.", repeat=n)
        for n in (1, 2)
        for tag in ("de", "de_from_en")
    ]
    table = scores_table(evaluated(pl.DataFrame(rows)).pairs, "information", signature={})
    found = {row["input"]: row for row in table.rows if row["statistic"] == "recall"}
    assert {code: (row["language"], row["value"], row["n"]) for code, row in found.items()} == {
        "de": ("de", 0.5, 2), "de_from_en": ("de", 0.5, 2),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "finish", "language", "outcome"),
    [
        ("Lima ist die Hauptstadt. " * 40, "stop", "de", "answered"),
        ("Lima ist die", "length", "de", "truncated"),
        ("", "stop", "de", "empty"),
        ("", "filter", "de", "blocked"),
        (pack("de").refusals[0], "stop", "de", "refused"),
        ("Lima is the capital of Peru and lies by the sea.", "stop", "ru", "wrong_language"),
    ],
)
def test_an_open_reply_is_read_as_a_whole(text: str, finish: str, language: str, outcome: str) -> None:
    answer = read_open(Reply(text, finish), language)  # type: ignore[arg-type]
    assert answer.outcome == outcome and (answer.label is not None) == (outcome == "answered")


@pytest.mark.parametrize("tag", ["tr", "de", "fr", "es", "zh", "ar", "ru", "ja", "hi", "sw"])
def test_a_refusal_in_words_counts_as_refused_whoever_wrote_the_file(tag: str) -> None:
    """Without translation, an evaluator of English would take refusals of other languages for answers."""
    for words in (DECLINING[tag], DECLINING["en"]):
        rows = [
            reply("1", tag, words),
            reply("2", tag, words, answer=words),
            reply("3", tag, words, answer="B"),
        ]
        found = replies_of(pl.DataFrame(rows, schema_overrides={"answer": pl.String()}))["outcome"].to_list()
        assert found[:2] == ["refused"] * 2 and found[2] != "refused"


def test_a_repeat_that_only_the_reference_was_asked_for_is_no_missing_item() -> None:
    rows = [reply("1", "en", "Lima is big.", repeat=n) for n in (1, 2)]
    rows += [reply("2", "en", "Lima is big.", repeat=1), reply("1", "de", "Lima ist groß.", repeat=1)]
    pairs = paired(replies_of(pl.DataFrame(rows)), "en").pairs
    assert pairs.select("item", "repeat", "asked", "reference_asked").rows() == [
        ("1", 1, True, True), ("2", 1, False, True),
    ]  # fmt: skip


def test_what_is_kept_is_read_again_and_a_stranger_is_left_alone(tmp_path: Path) -> None:
    replies, *_ = planted(6, 2, drop=0.3, contradict=0.0, add=0.0)
    found = evaluated(replies)
    home = write_evaluation(found, tmp_path / "evaluations")
    study = {"evaluate": ["information"], "bootstrap": {"resamples": 0}}
    again = run_table(tmp_path, "scores", study)
    assert {row["statistic"]: row["value"] for row in again.rows} == {
        name: row["value"] for name, row in scores(found).items()
    }
    details = pl.read_parquet(home / "details.parquet")
    assert {"claim", "verdict", "side", "item"} <= set(details.columns) and details.height > 60
    assert json.loads((home / "signature.json").read_text())["judge"]["judge"] == "embedded"
    (home / "signature.json").unlink()
    with pytest.raises(DataError, match="holds no whole evaluation"):
        run_table(tmp_path, "scores", study)
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    before = other.read_bytes()
    with pytest.raises(StoreError, match="another program or kind"):
        TranslationStore(other)
    assert other.read_bytes() == before


PAGE = Path(__file__).resolve().parents[2] / "docs" / "open_answers.md"


def test_the_examples_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    (example,) = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    exec(compile(example, PAGE.name, "exec"), {})
    (declared,) = re.findall(r"^```yaml\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    study = OpenAnswersStudy.from_mapping(yaml.safe_load(declared), file=PAGE.name)
    assert study.languages == ("de", "sw", "hi") and study.trained_on == {"openai/gpt-4o-mini": ("de", "hi")}
