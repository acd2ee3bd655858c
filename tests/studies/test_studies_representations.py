"""Representations of the pocket checkpoint on the atlas, with the agreement of what the pocket model believes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from hesperus.api.representing import represent
from hesperus.cli.app import app
from hesperus.errors import DataError, HesperusError, UnknownNameError, UsageError
from hesperus.measures import Bootstrap, Key, hard_pairs, representation_similarity, soft_pairs
from hesperus.models.pocket import WEIGHTS, beliefs
from hesperus.records import records_frame, write_records
from hesperus.studies.representations.agreeing import pair_agreement
from hesperus.studies.representations.running import parallel_sentences
from hesperus.types import Record

POCKET = f"hf/{WEIGHTS / 's'}"
LANGUAGES = ("en", "de", "zh", "sw", "hi")
LABELS = ("A", "B", "C", "D")


def answers(
    languages=LANGUAGES, *, model: str = POCKET, task: str = "atlas", probs: bool = False
) -> pl.DataFrame:
    """What the pocket model believes, as answers: A is right, B, C and D are its distractors."""
    held = beliefs()["s"]
    records = []
    for language in languages:
        for fact, code in held[language].items():
            chances = tuple(0.7 if place == code else 0.1 for place in range(4)) if probs else None
            records.append(
                Record(
                    model, task, fact, language, language, 1, "answered", LABELS[code], "A", LABELS, chances
                )
            )
    return records_frame(records)


class TestSentences:
    def test_every_language_has_the_same_items(self):
        found = parallel_sentences("atlas", LANGUAGES)
        assert list(found.texts) == list(LANGUAGES) and len(found.items) == 200 and not found.dropped
        assert all(len(set(texts)) == 200 for texts in found.texts.values())
        assert (
            parallel_sentences("atlas", LANGUAGES, limit=10, fields=["question"]).texts["en"][0].endswith("?")
        )

    def test_empty_and_repeated_sentences_are_left_out_and_said(self, tmp_path):
        rows = {
            "en": ["One?", "Two?", "Two?", "Four?", "Five?"],
            "de": ["Eins?", "Zwei?", "Drei?", " ", "Fünf?"],
        }
        for language, texts in rows.items():
            lines = [{"id": str(n), "question": text, "answer": "x"} for n, text in enumerate(texts)]
            (tmp_path / f"{language}.jsonl").write_text("\n".join(map(json.dumps, lines)))
        (tmp_path / "own.yaml").write_text(
            "name: own\ndescription: A test.\nform: text\nfields: [question]\nkey: {columns: [id]}\n"
            "columns: {fields: {question: question}, gold: answer}\ngold: {read: text}\n"
            "source: {languages: {en: en, de: de}}\nlayout: '{question}'\ninstructions: {en: {prefix: '', suffix: ''}}\n"
        )
        given = {"data": str(tmp_path / "{language}.jsonl")}
        found = parallel_sentences(str(tmp_path / "own.yaml"), ["en", "de"], **given)
        assert found.texts == {"en": ("One?", "Two?", "Five?"), "de": ("Eins?", "Zwei?", "Fünf?")}
        assert found.dropped["2"] == "the same text as 1 in en" and "3" in found.dropped

    @pytest.mark.parametrize(
        ("call", "error", "message"),
        [
            (("atlas", ["en"]), UsageError, "give two or more"),
            (("atlas", ["en", "xx-none"]), HesperusError, "xx"),
            (("no-task", ["en", "de"]), UnknownNameError, "no-task"),
            (("include", ["en", "de"]), UsageError, "not parallel"),
        ],
    )
    def test_what_cannot_be_compared_is_refused(self, call, error, message):
        with pytest.raises(error, match=message):
            parallel_sentences(*call)
        with pytest.raises(UnknownNameError, match="did you mean 'question'"):
            parallel_sentences("atlas", ["en", "de"], fields=["qestion"])


class TestAgreement:
    def test_it_is_kappa_p_of_the_answers(self):
        held = beliefs()["s"]
        codes = np.array([list(held[language].values()) for language in LANGUAGES], np.int32)
        key = Key(np.zeros(codes.shape[1], np.int32), np.full(codes.shape[1], 4, np.int32))
        expected = hard_pairs(codes, key=key).kappa_p
        found = pair_agreement(answers(), LANGUAGES, model=POCKET).values
        off = ~np.eye(5, dtype=bool)
        assert np.isnan(np.diagonal(found)).all() and found[off] == pytest.approx(expected[off], abs=1e-12)
        turned = pair_agreement(answers(), LANGUAGES[::-1], model=POCKET).values
        assert np.allclose(turned, found[::-1, ::-1], equal_nan=True)
        soft = np.where(np.arange(4) == codes[..., None], 0.7, 0.1)
        found = pair_agreement(answers(probs=True), LANGUAGES, model=POCKET).values
        assert found[off] == pytest.approx(soft_pairs(soft, key=key).kappa_p[off], abs=1e-12)

    def test_items_whose_gold_differs_are_left_out(self):
        frame = answers()
        first = frame["item"][0]
        other = frame.with_columns(
            gold=pl.when((pl.col("item") == first) & (pl.col("input") == "de"))
            .then(pl.lit("B"))
            .otherwise("gold")
        )
        without = pair_agreement(frame.filter(pl.col("item") != first), LANGUAGES, model=POCKET).values
        assert np.allclose(pair_agreement(other, LANGUAGES, model=POCKET).values, without, equal_nan=True)

    def test_what_is_missing_is_named(self):
        frame = answers(("en", "de", "zh"))
        found = pair_agreement(frame, ("en", "sw", "de", "zh"), model=POCKET).values
        assert np.isnan(found[1]).all() and np.isfinite(found[0, 2])
        with pytest.raises(UnknownNameError, match="model of the records"):
            pair_agreement(frame, LANGUAGES, model="openai/x")
        with pytest.raises(DataError, match="in 2 of these languages"):
            pair_agreement(frame, ("en", "de", "sw"), model=POCKET)
        both = pl.concat([frame, answers(("en", "de", "zh"), task="other")])
        with pytest.raises(UsageError, match="the tasks atlas, other; name one"):
            pair_agreement(both, LANGUAGES, model=POCKET)
        with pytest.raises(UnknownNameError, match="task of the records"):
            pair_agreement(both, LANGUAGES, model=POCKET, task="third")
        assert np.isfinite(pair_agreement(both, LANGUAGES, model=POCKET, task="other").values).any()


def test_the_states_are_measured_layer_by_layer(tmp_path):
    study = {"task": "atlas", "languages": LANGUAGES, "limit": 40, "resamples": 50}
    heard: list[str] = []
    found = represent(POCKET, out=tmp_path / "out", states=True, watch=heard.append, **study)
    states = np.load(tmp_path / "out" / "states.npy", mmap_mode="r", allow_pickle=False)
    assert states.shape == (5, 4, 40, 48) and states.dtype == np.float32
    axes = json.loads((tmp_path / "out" / "states.json").read_text())
    assert axes == {"languages": list(LANGUAGES), "items": list(found.sentences.items)}
    for layer, row in enumerate(found.layers):
        expected = representation_similarity(np.array(states[:, layer]), bootstrap=Bootstrap(50))
        assert row["value"] == pytest.approx(expected.mean.value) and row["low"] == expected.mean.low
        assert row["value"] == pytest.approx(row["matching"] - row["baseline"], abs=1e-9)
    # The questions end alike, so their embeddings tell nothing; the layers above know what they are about.
    assert found.layers[0]["value"] == 0.0 and found.layers[3]["low"] > 0.05
    pairs = pl.read_parquet(tmp_path / "out" / "similarity.parquet")
    assert pairs.shape[0] == 4 * 10 and pairs.to_dicts() == [dict(row) for row in found.pairs]
    signed = json.loads((tmp_path / "out" / "signature.json").read_text())
    assert (
        signed == found.signature
        and signed["items"] == 40
        and signed["identity"]["protocol"] == "transformers"
    )
    again = represent(POCKET, out=tmp_path / "again", **study)
    assert again.pairs == found.pairs
    assert sorted(path.name for path in (tmp_path / "again").iterdir()) == [
        "layers.parquet", "signature.json", "similarity.parquet",
    ]  # fmt: skip
    assert "en: states of 4 layers" in heard


def test_the_command_sets_agreement_beside(tmp_path: Path):
    write_records(answers(model="pocket/s"), tmp_path / "records.parquet")
    arguments = [
        "represent",
        POCKET,
        "--task",
        "atlas",
        "--out",
        str(tmp_path / "out"),
        "--format",
        "json",
        "--quiet",
    ]
    arguments += [part for language in LANGUAGES for part in ("--language", language)]
    arguments += [
        "--agreement",
        str(tmp_path / "records.parquet"),
        "--agreement-model",
        "pocket/s",
        "--resamples",
        "20",
    ]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)["rows"]
    assert [row["layer"] for row in rows] == [0, 1, 2, 3]
    assert rows[0]["mantel_r"] is None and "does not vary" in rows[0]["mantel_reason"]
    assert all(
        row["mantel_pairs"] == 10 and 0 < row["mantel_p"] <= row["mantel_p_holm"] <= 1 for row in rows[1:]
    )
    # By hand: Pearson over the pairs.
    pairs = pl.read_parquet(tmp_path / "out" / "similarity.parquet").filter(layer=3)
    kappa = pair_agreement(answers(model="pocket/s"), LANGUAGES, model="pocket/s").values
    beside = [kappa[LANGUAGES.index(a), LANGUAGES.index(b)] for a, b in pairs.select("a", "b").iter_rows()]
    assert rows[3]["mantel_r"] == pytest.approx(np.corrcoef(pairs["value"], beside)[0, 1], abs=1e-9)
    assert pairs["kappa_p"].to_list() == pytest.approx(beside, abs=1e-12)
    assert (pairs["kappa_p_low"] < pairs["kappa_p_high"]).all() and set(pairs["kappa_p_n"]) == {200}
    assert pl.read_parquet(tmp_path / "out" / "layers.parquet").to_dicts() == rows


def test_what_shows_no_states_is_refused(tmp_path):
    with pytest.raises(UsageError, match="pocket/s shows no hidden states; name a model of transformers"):
        represent("pocket/s", task="atlas", languages=("en", "de"), out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
