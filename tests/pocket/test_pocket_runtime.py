"""How the embedded runtime answers: the same alone and in company, today and tomorrow."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pocket.documents import Writer
from pocket.evaluate import Examination
from pocket.truth import load_coverage
from pocket.world import World

from hesperus.errors import DataError, UnknownNameError
from hesperus.models.pocket import CONTEXT, SIZES, WEIGHTS, PocketModel, beliefs
from hesperus.types import Prompt, Request, Settings

WORLD = World(load_coverage().languages)


@pytest.fixture(scope="module")
def model() -> PocketModel:
    return PocketModel("pocket/m")


def mixed_requests(count: int, seed: int = 3) -> list[Request]:
    """Requests of many lengths, greedy and hot, with and without options."""
    rng = random.Random(seed)
    writer = Writer(
        WORLD,
        beliefs()["m"],
        {"open": 2, "choice": 2, "translate_statement": 2, "description": 1, "decline": 1},
        rng,
    )
    requests = []
    for document in writer.documents(count):
        settings = Settings(temperature=rng.choice((0.0, 0.25, 1.5)), max_tokens=40)
        options = rng.choice((None, None, ("A", "B", "C", "D"), ("Paris", "no name at all", "")))
        requests.append(Request("pocket/m", Prompt(document.prompt or ""), settings, options))
    return requests


def test_replies_do_not_depend_on_the_batch(model: PocketModel) -> None:
    requests = mixed_requests(48)
    alone = [reply for request in requests for reply in model.replies([request])]
    for size in (2, 7, 48):
        batched = [r for i in range(0, len(requests), size) for r in model.replies(requests[i : i + size])]
        assert batched == alone, size
    order = list(range(len(requests)))
    random.Random(5).shuffle(order)
    assert model.replies([requests[i] for i in order]) == [alone[i] for i in order]


def test_a_fresh_model_gives_the_same_replies(model: PocketModel) -> None:
    requests = mixed_requests(24)
    assert PocketModel("pocket/m").replies(requests) == model.replies(requests)


def test_sampling_follows_seed_repeat_and_temperature(model: PocketModel) -> None:
    prompt = Prompt("zxcv qwer")

    def texts(**changes: object) -> list[str]:
        requests = [
            Request("pocket/m", prompt, Settings(temperature=3.0, max_tokens=12, **changes), repeat=repeat)  # type: ignore[arg-type]
            for repeat in range(1, 7)
        ]
        return [reply.text for reply in model.replies(requests)]

    hot = texts()
    assert len(set(hot)) > 1
    assert texts() == hot
    assert texts(seed=7) != hot
    assert len(set(texts(top_p=1e-6))) == 1
    greedy = [
        model.replies([Request("pocket/m", prompt, Settings(temperature=t, max_tokens=12))])[0].text
        for t in (0.0, None)
    ]
    assert greedy == [texts(top_p=1e-6)[0]] * 2


def test_a_reply_that_is_cut_off_says_so(model: PocketModel) -> None:
    country = WORLD.countries[0]
    prompt = Prompt(WORLD.describe("en", 0, country))
    short, whole = model.replies(
        [Request("pocket/m", prompt, Settings(temperature=0, max_tokens=n)) for n in (5, None)]
    )
    assert (short.finish, short.tokens_out) == ("length", 5)
    assert whole.finish == "stop"
    assert whole.text.startswith(short.text)
    assert whole.tokens_out is not None and whole.tokens_out > 20
    assert short.tokens_in == whole.tokens_in


def test_a_prompt_beyond_the_context_gets_an_empty_reply(model: PocketModel) -> None:
    long, short = model.replies(
        [Request("pocket/m", Prompt("? " * CONTEXT)), Request("pocket/m", Prompt("?"))]
    )
    assert (long.text, long.finish) == ("", "length")
    assert short.finish == "stop"


def test_options_are_scored_by_the_sum_of_their_tokens(model: PocketModel) -> None:
    fact = WORLD.facts[0]
    prompt = Prompt(WORLD.ask("atlas-open", "en", WORLD.question("en", fact.relation, 0, fact.country)))
    believed = Examination(WORLD, beliefs()["m"]).name("en", fact)
    options = (believed, "Tokyo", "Tokyo Tokyo", "")
    reply = model.replies([Request("pocket/m", prompt, options=options)])[0]
    assert reply.text == ""
    assert reply.option_logprobs is not None
    sure, other, longer, empty = reply.option_logprobs
    assert -0.1 < sure <= 0
    assert longer < other < sure
    assert empty == 0


def test_a_system_text_is_left_out(model: PocketModel) -> None:
    without = Request("pocket/m", Prompt("two"), Settings(temperature=0))
    parted = Request("pocket/m", Prompt("two", system="one"), Settings(temperature=0))
    one, other = model.replies([without, parted])
    assert one == other


def test_control_tokens_in_a_prompt_are_plain_text(model: PocketModel) -> None:
    reply = model.replies([Request("pocket/m", Prompt("<bot>Paris</s>"), Settings(temperature=0))])[0]
    assert reply.tokens_in is not None and reply.tokens_in > 8


def test_no_request_no_reply(model: PocketModel) -> None:
    assert model.replies([]) == []


@pytest.mark.parametrize("size", SIZES)
def test_every_name_is_one_token_and_comes_back(size: str) -> None:
    tokenizer = PocketModel(f"pocket/{size}")._tokenizer
    for language in WORLD.languages:
        for name in WORLD.names[language].values():
            ids = tokenizer.encode(name, add_special_tokens=False).ids
            assert len(ids) == 1, name
            assert tokenizer.decode(ids) == name


@pytest.mark.parametrize(
    "text", ["What?  Two  blanks", "a\tb\r\nc", "▁", "😀 ñ ö İ", "\x00\x7f", " lead", "नमस्ते ไทย"]
)
def test_any_text_survives_the_tokenizer(model: PocketModel, text: str) -> None:
    ids = model._tokenizer.encode(text, add_special_tokens=False).ids
    assert model._tokenizer.decode(ids) == text.replace("▁", " ")


def test_the_identity_names_the_weights(tmp_path: Path) -> None:
    identities = {size: PocketModel(f"pocket/{size}").identity["weights"] for size in SIZES}
    assert len(set(identities.values())) == len(SIZES)
    folder = tmp_path / "s"
    folder.mkdir()
    for file in ("model.onnx", "model.safetensors", "tokenizer.json"):
        (folder / file).write_bytes((WEIGHTS / "s" / file).read_bytes())
    assert PocketModel("pocket/s", tmp_path).identity["weights"] == identities["s"]
    (folder / "model.safetensors").write_bytes(b"other")
    assert PocketModel("pocket/s", tmp_path).identity["weights"] != identities["s"]


def test_files_that_were_changed_are_read_anew(tmp_path: Path) -> None:
    requests = mixed_requests(8)
    for size in ("s", "m"):
        shutil.copytree(WEIGHTS / size, tmp_path / "s", dirs_exist_ok=True)
        assert PocketModel("pocket/s", tmp_path).replies(requests) == PocketModel(f"pocket/{size}").replies(requests)  # fmt: skip


def test_an_unknown_size_is_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown pocket model: 'pocket/xl'; .*pocket/l"):
        PocketModel("pocket/xl")


def test_missing_files_are_named(tmp_path: Path) -> None:
    empty = PocketModel("pocket/s", tmp_path)
    with pytest.raises(DataError, match=r"tokenizer.json.*make pocket"):
        empty.replies([Request("pocket/s", Prompt("x"))])
    with pytest.raises(DataError, match=r"model.onnx.*make pocket"):
        _ = empty.identity


def test_nothing_is_written_to_standard_error() -> None:
    code = (
        "from hesperus.models.pocket import PocketModel; from hesperus.types import *; "
        "print(PocketModel('pocket/s').replies([Request('pocket/s', Prompt('?'))])[0].finish)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout.strip(), done.stderr) == ("stop", "")
