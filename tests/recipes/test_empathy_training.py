from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from recipes.empathy.__main__ import main
from recipes.empathy.epitome import (
    Example,
    LabelledPairs,
    SplitSettings,
    read_epitome,
    split_by_post,
)
from recipes.empathy.search import Training, train_evaluator
from recipes.empathy.term_weights import TermWeightsSettings, TermWeightsTrainer
from recipes.empathy.tuning import BiEncoderTrainer, TuningSettings
from recipes.empathy.writing import write_terms
from tests.evaluators.property_encoders import encoder, write_pairs

from hesperus.errors import DataError, UsageError
from hesperus.evaluators import property_evaluator
from hesperus.evaluators.properties.bi_encoder import Dropout, logits, read
from hesperus.evaluators.properties.encoders import Placing
from hesperus.evaluators.properties.lookup_text import terms
from hesperus.evaluators.properties.tfidf import TermWeights
from hesperus.measures import Bootstrap

ROOT = Path(__file__).resolve().parents[2]
CPU = Placing("cpu", "float32")
SMALL = TermWeightsSettings(strengths=(1.0, 10.0), longest=(2,))
QUICK = TuningSettings(rates=(1e-3, 3e-3), epochs=(1,), batch_size=16)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> LabelledPairs:
    return read_epitome(write_pairs(tmp_path_factory.mktemp("pairs"), pairs=160))


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> LabelledPairs:
    """Enough for every split to have both answers, where what is learnt doesn't matter."""
    return read_epitome(write_pairs(tmp_path_factory.mktemp("few"), pairs=120))


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return encoder(tmp_path_factory.mktemp("bert"))


def _test_texts(pairs: LabelledPairs, name: str) -> tuple[list[str], list[str], list[int]]:
    found = split_by_post(pairs).examples[name]["test"]
    return [e.text for e in found], [e.context for e in found], [e.present for e in found]


def test_the_baseline_learns_and_predicts_the_same_once_it_is_loaded(
    made: LabelledPairs, tmp_path: Path
) -> None:
    training = train_evaluator(made, TermWeightsTrainer(SMALL), tmp_path / "out", bootstrap=Bootstrap(200))
    evaluator = property_evaluator(tmp_path / "out")
    assert evaluator.properties == made.properties and not evaluator.needs_context
    held = json.loads((tmp_path / "out" / "search.json").read_text())
    for place, name in enumerate(made.properties):
        texts, _, gold = _test_texts(made, name)
        said = evaluator.profiles(texts).values[:, place]
        assert said.tolist() == held["final"][name]["predicted"]
        assert float(np.mean(said == gold)) == training.test[name]["accuracy"].value
        score = training.test[name]["macro_f1"]
        assert score.value is not None and score.value > 0.9
        assert score.low is not None and score.high is not None and score.low <= score.value <= score.high
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert len(report["dev"]) == 6 and len(report["split"]) == 9 and report["left_out"][0]["rows"] == 160
    assert {path.suffix for path in (tmp_path / "out").iterdir()} == {".json"}


def test_weights_decide_as_scikit_learn_does(made: LabelledPairs, tmp_path: Path) -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    sides = split_by_post(made).examples["interpretations"]
    fitted = TermWeightsTrainer(SMALL).fit(sides["train"], {"longest": 2, "C": 10.0}, seed=0)
    vectorizer = TfidfVectorizer(analyzer=lambda text: terms(text, 2), min_df=2, sublinear_tf=True)
    theirs = LogisticRegression(C=10.0, class_weight="balanced", max_iter=2000).fit(
        vectorizer.fit_transform([e.text for e in sides["train"]]), [e.present for e in sides["train"]]
    )
    texts = [*(e.text for e in sides["test"]), "", "unheard-of", "sorry sorry sorry must ?"]
    wanted = theirs.decision_function(vectorizer.transform(texts))
    write_terms(fitted.weights, tmp_path / "w.json")
    read = TermWeights.read(tmp_path / "w.json")
    assert read == fitted.weights
    assert read.decisions(texts) == pytest.approx(wanted, abs=1e-9)


def test_the_baseline_on_the_real_pairs(shared_data: Path, tmp_path: Path) -> None:
    """TF-IDF is far above chance (0.5) on every mechanism, and below the paper's bi-encoder (Table 6)."""
    pairs = read_epitome(shared_data / "NC_epitome_text")
    trainer = TermWeightsTrainer(TermWeightsSettings(strengths=(1.0, 10.0), longest=(1,)))
    training = train_evaluator(pairs, trainer, tmp_path / "out", bootstrap=Bootstrap(300))
    for name, (least, paper) in {
        "emotional_reactions": (0.70, 0.861), "interpretations": (0.75, 0.873), "explorations": (0.78, 0.920),
    }.items():  # fmt: skip
        score = training.test[name]["macro_f1"]
        assert score.low is not None and score.value is not None
        assert least < score.low < score.value < paper
        assert score.n > 590


def _overfit(pairs: LabelledPairs, folder: Path, **more: Any) -> tuple[Any, list[Example]]:
    none = Dropout(0.0, 0.0, 0.0)
    settings = TuningSettings(rates=(5e-3,), epochs=(30,), batch_size=12, dropout=none, **more)
    trainer = BiEncoderTrainer(str(folder), settings, placing=CPU)
    examples = list(pairs.examples["explorations"][:24])
    return trainer.fit(examples, trainer.grid[0], seed=1), examples


@pytest.mark.parametrize("architecture", ["bert", "roberta", "modernbert"])
def test_the_bi_encoder_overfits_a_small_sample(
    architecture: str, made: LabelledPairs, tmp_path: Path
) -> None:
    # Without their own dropout, too: what is tried here is whether the loop can learn at all.
    dropped = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    folder = encoder(
        tmp_path, architecture, head="ForMaskedLM", **(dropped if architecture != "modernbert" else {})
    )
    trained, examples = _overfit(made, folder)
    assert trained.losses[-1] < 0.1 < trained.losses[0]
    assert trained.predict(examples).tolist() == [example.present for example in examples]


def test_the_response_is_read_beside_its_post(tmp_path: Path, tiny: Path) -> None:
    """The same words mean something else after another post: only the attention over the post can tell."""
    settings = TuningSettings(rates=(3e-3,), epochs=(60,), batch_size=8, dropout=Dropout(0.0, 0.0, 0.0))
    examples = [
        Example(post, "so it was", int(post.endswith("cat")), post) for post in ("my cat", "my bus")
    ] * 8
    trainer = BiEncoderTrainer(str(tiny), settings, placing=CPU)
    trained = trainer.fit(examples, trainer.grid[0], seed=0)
    assert trained.predict(examples[:2]).tolist() == [1, 0]


@pytest.fixture(scope="module")
def overfitted(made: LabelledPairs, tiny: Path) -> tuple[Any, list[Example]]:
    """A model that has learnt, and what it learnt from."""
    return _overfit(made, tiny)


def _train(pairs: LabelledPairs, encoder_folder: Path, out: Path, **more: Any) -> Training:
    trainer = BiEncoderTrainer(str(encoder_folder), QUICK, placing=CPU)
    return train_evaluator(pairs, trainer, out, bootstrap=Bootstrap(100), **more)


def test_a_trained_bi_encoder_is_loaded_as_it_was_and_goes_on_where_it_was_stopped(
    few: LabelledPairs, tiny: Path, tmp_path: Path
) -> None:
    told: list[str] = []

    def stop(what: str, done: int, total: int) -> None:
        told.append(what)
        if len(told) == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _train(few, tiny, tmp_path / "stopped", watch=stop)
    with pytest.raises(UsageError, match="not finished; run the same"):
        property_evaluator(tmp_path / "stopped")
    rest: list[str] = []
    resumed = _train(few, tiny, tmp_path / "stopped", watch=lambda what, done, total: rest.append(what))
    whole = _train(few, tiny, tmp_path / "whole")
    # 3 properties x (2 points + 1 final); the point that was stopped is done again.
    assert len(rest) == 9 - 4
    assert resumed == whole
    for name in few.properties:
        file = f"{name}.safetensors"
        assert (tmp_path / "stopped" / file).read_bytes() == (tmp_path / "whole" / file).read_bytes()
    evaluator = property_evaluator(tmp_path / "stopped", device="cpu")
    assert evaluator.needs_context and evaluator.properties == few.properties
    held = json.loads((tmp_path / "whole" / "search.json").read_text())
    for place, name in enumerate(few.properties):
        texts, posts, _ = _test_texts(few, name)
        found = evaluator.profiles(texts, posts)
        assert found.values[:, place].tolist() == held["final"][name]["predicted"]
        assert found.truncated == 0 and not any(found.reasons)
    some = evaluator.profiles(["sorry", " ", "sorry"], ["my cat", "my cat", ""])
    assert some.reasons == ("", "empty text", "empty context")
    assert some.values[1].tolist() == [-1, -1, -1]
    assert evaluator.profiles(["cat " * 900], ["cat"]).truncated == 1
    assert evaluator.profiles([], []).values.shape == (0, 3)
    with pytest.raises(UsageError, match="give the prompt of each text"):
        evaluator.profiles(["sorry"])
    with pytest.raises(UsageError, match="1 texts need as many contexts, not 2"):
        evaluator.profiles(["sorry"], ["a", "b"])


def test_the_posts_encoder_learns_only_where_that_is_wished(
    overfitted: tuple[Any, list[Example]], few: LabelledPairs, tiny: Path, tmp_path: Path
) -> None:
    kept, _ = overfitted
    assert all(weight.grad is None for weight in kept.network.seeker.parameters())
    begun = dict(kept.network.seeker.state_dict())
    settings = TuningSettings(rates=(1e-3,), epochs=(1,), tune_seeker=True)
    trainer = BiEncoderTrainer(str(tiny), settings, placing=CPU)
    train_evaluator(few, trainer, tmp_path / "out", bootstrap=Bootstrap(0))
    files = {path.name for path in (tmp_path / "out").iterdir()}
    assert "seeker.safetensors" not in files
    evaluator = property_evaluator(tmp_path / "out", device="cpu")
    weights: Any = pytest.importorskip("safetensors.torch")
    tuned = weights.load_file(tmp_path / "out" / "interpretations.safetensors")
    assert any(not torch.equal(begun[key], tuned[f"seeker.{key}"]) for key in begun)
    texts, posts, _ = _test_texts(few, "interpretations")
    held = json.loads((tmp_path / "out" / "search.json").read_text())
    assert (
        evaluator.profiles(texts, posts).values[:, 1].tolist()
        == held["final"]["interpretations"]["predicted"]
    )


def test_padding_and_company_change_no_profile(overfitted: tuple[Any, list[Example]]) -> None:
    """Seen before it is rounded to present or absent: next to longer texts both texts of a pair are padded."""
    trained, examples = overfitted
    network, reader = trained.network, trained.reader

    def scores(*pairs: tuple[str, str]) -> torch.Tensor:
        (posts, _), (rows, _) = (reader.tokens.rows(texts) for texts in zip(*pairs, strict=True))
        post, row = (reader.place.padded(many, reader.tokens.padding) for many in (posts, rows))
        with torch.inference_mode():
            first, seen = read(network.response, *row)[:, :1], read(network.seeker, *post)
            return logits(network.layers, first, seen, post[1], Dropout(0.0, 0.0, 0.0))

    pair = (examples[0].context, examples[0].text)
    alone, in_company = scores(pair)[0], scores(pair, ("my cat " * 20, "so it was " * 15))[0]
    assert in_company.tolist() == pytest.approx(alone.tolist(), abs=1e-4)
    together = trained.predict(examples).tolist()
    assert together == [int(trained.predict([example])[0]) for example in examples]


def test_another_training_in_the_same_folder_is_refused(made: LabelledPairs, tmp_path: Path) -> None:
    train_evaluator(made, TermWeightsTrainer(SMALL), tmp_path / "out", bootstrap=Bootstrap(0))
    with pytest.raises(UsageError, match="other data, settings or encoder"):
        train_evaluator(made, TermWeightsTrainer(SMALL), tmp_path / "out", split=SplitSettings(5))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("x")
    with pytest.raises(UsageError, match="holds something else"):
        train_evaluator(made, TermWeightsTrainer(SMALL), tmp_path / "full")
    again = tmp_path / "out" / "explorations.json"
    written = again.read_bytes()
    again.unlink()
    train_evaluator(made, TermWeightsTrainer(SMALL), tmp_path / "out", bootstrap=Bootstrap(0))
    assert again.read_bytes() == written


@pytest.fixture(scope="module")
def trained(made: LabelledPairs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained") / "out"
    train_evaluator(made, TermWeightsTrainer(SMALL), folder, bootstrap=Bootstrap(0))
    return folder


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda f: (f / "explorations.json").write_text("{}"), "its hash differs"),
        (lambda f: (f / "explorations.json").unlink(), "is missing; evaluator.json names it"),
        (
            lambda f: (f / "evaluator.json").write_text("[]"),
            "is not what a training wrote: Expected `object`",
        ),
        (lambda f: (f / "evaluator.json").write_text("{"), "is not what a training wrote: Input data"),
        (lambda f: (f / "evaluator.json").write_text("{}"), "is not the manifest"),
    ],
)
def test_a_folder_that_was_changed_is_refused(change: Any, said: str, trained: Path, tmp_path: Path) -> None:
    shutil.copytree(trained, tmp_path / "out")
    change(tmp_path / "out")
    with pytest.raises(DataError, match=said):
        property_evaluator(tmp_path / "out")


def test_an_encoder_that_is_none_is_refused(tmp_path: Path, tiny: Path) -> None:
    with pytest.raises(UsageError, match="./nowhere: no folder 'nowhere'"):
        BiEncoderTrainer("./nowhere")
    with pytest.raises(UsageError, match="has no config.json"):
        BiEncoderTrainer(str(tmp_path))
    small = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 1, "num_attention_heads": 4}
    decoder = encoder(tmp_path / "llama", "Llama", head="ForCausalLM", **small)
    with pytest.raises(UsageError, match="is a decoder"):
        BiEncoderTrainer(str(decoder))
    copied = encoder(tmp_path / "bin")
    (copied / "model.safetensors").rename(copied / "pytorch_model.bin")
    with pytest.raises(UsageError, match="pytorch_model.bin, and pickles are never loaded"):
        BiEncoderTrainer(str(copied))
    with pytest.raises(UsageError, match="no dtype 'int8'"):
        BiEncoderTrainer(str(tiny), placing=Placing("cpu", "int8"))
    with pytest.raises(UsageError, match="no device 'gpu'"):
        BiEncoderTrainer(str(tiny), placing=Placing("gpu"))
    with pytest.raises(UsageError, match="above 0"):
        TuningSettings(rates=(0.0,))


def test_the_command_trains_resumes_and_says_what_is_wrong(
    tmp_path: Path, tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def command(*arguments: str, code: int = 0) -> tuple[str, str]:
        assert main([*arguments]) == code
        return capsys.readouterr()

    data = write_pairs(tmp_path / "data", pairs=120)
    rows = json.loads(command("--data", str(data), "--split", "--format", "json")[0])["rows"]
    assert len(rows) == 9 and rows[0]["paper"] == 0.337 and rows[0]["posts"] == 90
    arguments = [
        "--data",
        str(data),
        "--encoder",
        str(tiny),
        "--out",
        str(tmp_path / "out"),
        "--rate",
        "1e-3",
    ]
    arguments += ["--epochs", "1", "--device", "cpu", "--resamples", "50", "--format", "json"]
    table, told = command(*arguments)
    assert "emotional_reactions 1/1 rate 0.001, epochs 1: loss" in told
    rows = json.loads(table)["rows"]
    assert [row["statistic"] for row in rows[:5]] == ["accuracy", "precision", "recall", "f1", "macro_f1"]
    assert [row["paper"] for row in rows[:5]] == [0.872, None, None, None, 0.861]
    again, told = command(*arguments)
    assert again == table and "loss" not in told
    for wrong, said in [
        (["--data", str(data)], "name the folder for the evaluator with --out"),
        (["--data", str(tmp_path / "no"), "--split"], "is no folder"),
        (["--data", str(data), "--baseline", "--epochs", "3", "--out", "x"], "--baseline has no encoder"),
        (["--data", str(data), "--split", "--seed", "-1"], "--seed and --resamples are 0 or more"),
    ]:
        assert said in command(*wrong, code=2)[1]


def test_without_a_network_the_command_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write_pairs(tmp_path / "data", pairs=120)
    assert main(["--data", str(data), "--encoder", "no/such", "--out", str(tmp_path / "x")]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: no/such: there is no such folder, and the hub could not give it: ")
    assert "write ./FOLDER for a local copy" in said
    assert not (tmp_path / "x").exists()


def test_the_module_is_the_command() -> None:
    words = [sys.executable, "-m", "recipes.empathy", "--data", "no such", "--split"]
    failed = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert failed.returncode == 2 and "no such: is no folder" in failed.stderr
