"""CTranslate2 and transformers on small checkpoints in the real architectures: the real loading code, token for token."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
from transformers.utils import logging

import tiny_translators
from hesperus.errors import DataError, MissingExtraError, PermanentError, UnknownNameError, UsageError
from hesperus.translation import GREEDY, Decoding, Hints, TextTooLongError, TranslatorOptions, convert
from hesperus.translation.translator import Translator
from hesperus.translation.translators import conversion
from hesperus.translation.translators.ctranslate2 import CTranslate2Translator
from hesperus.translation.translators.pieces import read_pieces
from hesperus.translation.translators.transformers import TransformersTranslator
from tiny_translators import TEXTS

pytestmark = pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")
OPTIONS = TranslatorOptions(device="cpu", max_output_tokens=24, threads=1)
FAMILIES = ("nllb", "m2m100", "madlad", "opus")
SAMPLED = Decoding(temperature=0.7, top_p=0.95, seed=4)


@pytest.fixture(scope="module", autouse=True)
def quiet() -> None:
    logging.disable_progress_bar()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Path, Path]]:
    """The checkpoint of a family, and what it was converted to."""
    folder = tmp_path_factory.mktemp("checkpoints")

    def make(family: str) -> tuple[Path, Path]:
        checkpoint, converted = folder / family / "hf", folder / family / "ct2"
        if not converted.exists():
            getattr(tiny_translators, family)(checkpoint)
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="Recommended: pip install sacremoses")
                convert(str(checkpoint), converted)
        return checkpoint, converted

    return make


def generated(family: str, checkpoint: Path) -> list[list[str]]:
    """Tokens of Hugging Face's own greedy generation, set up as each family's model card says."""
    tokenizer: Any = AutoTokenizer.from_pretrained(checkpoint)
    model: Any = AutoModelForSeq2SeqLM.from_pretrained(checkpoint)
    texts, first = list(TEXTS), {}
    if family == "nllb":
        tokenizer.src_lang = "eng_Latn"
        first = {"forced_bos_token_id": tokenizer.convert_tokens_to_ids("spa_Latn")}
    elif family == "m2m100":
        tokenizer.src_lang = "en"
        first = {"forced_bos_token_id": tokenizer.get_lang_id("es")}
    elif family == "madlad":
        texts = [f"<2es> {text}" for text in texts]
    else:
        # Makes the last token of every text that is cut off an end; it is the cut that is compared here.
        model.generation_config.forced_eos_token_id = None
    new = 24 + len(first)
    found = model.generate(
        **tokenizer(texts, return_tensors="pt", padding=True), **first, max_new_tokens=new, num_beams=1
    )
    rows = []
    for ids in found[:, 1 + len(first) :].tolist():
        words = tokenizer.convert_ids_to_tokens(ids)
        ends = [place for place, word in enumerate(words) if word in ("</s>", "<pad>")]
        rows.append(words[: ends[0]] if ends else words)
    return rows


@pytest.mark.parametrize("family", FAMILIES)
def test_greedy_is_that_of_generate_token_for_token(
    family: str, made: Callable[[str], tuple[Path, Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint, converted = made(family)
    translator = CTranslate2Translator(converted, OPTIONS)
    seen: list[list[str]] = []
    join = translator._pieces.join
    monkeypatch.setattr(translator._pieces, "join", lambda cut: [seen.extend(map(list, cut)), join(cut)][1])
    texts = translator.translate(TEXTS, "en", "es")
    expected = generated(family, checkpoint)
    assert seen == expected
    # A comparison of models that say one thing whatever they read would show nothing.
    assert len({tuple(row) for row in expected}) >= 5
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Recommended: pip install sacremoses")
        assert TransformersTranslator(str(checkpoint), OPTIONS).translate(TEXTS, "en", "es") == texts


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("kind", ["ct2", "hf"])
def test_a_translation_does_not_depend_on_the_batch(
    family: str, kind: str, made: Callable[[str], tuple[Path, Path]]
) -> None:
    translator = _of(kind, made(family))
    whole = translator.translate(["", *TEXTS, " \n"], "en", "es")
    assert (whole[0], whole[-1]) == ("", " \n")
    assert [
        *translator.translate(TEXTS[:2], "en", "es"),
        *translator.translate(TEXTS[2:], "en", "es"),
    ] == whole[1:-1]
    assert translator.translate([], "en", "es") == []
    assert isinstance(translator, Translator)


def _of(kind: str, folders: tuple[Path, Path], options: TranslatorOptions = OPTIONS) -> Any:
    if kind == "ct2":
        return CTranslate2Translator(folders[1], options)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Recommended: pip install sacremoses")
        return TransformersTranslator(str(folders[0]), options)


@pytest.mark.parametrize("kind", ["ct2", "hf"])
def test_sampling_is_drawn_from_its_seed(kind: str, made: Callable[[str], tuple[Path, Path]]) -> None:
    translator = _of(kind, made("nllb"))
    greedy = translator.translate(TEXTS, "en", "es")
    drawn = translator.translate(TEXTS, "en", "es", SAMPLED)
    assert drawn != greedy
    assert translator.translate(TEXTS, "en", "es", SAMPLED) == drawn
    assert translator.translate(TEXTS, "en", "es", Decoding(0.7, 0.95, seed=5)) != drawn
    assert translator.translate(TEXTS, "en", "es", GREEDY) == greedy
    # The smallest temperature and nucleus leave nothing but the likeliest word.
    assert translator.translate(TEXTS, "en", "es", Decoding(1e-3, 1e-6)) == greedy


def test_beams_find_what_generate_finds(made: Callable[[str], tuple[Path, Path]]) -> None:
    folders = made("nllb")
    wide = [_of(kind, folders).translate(TEXTS, "en", "es", Decoding(beams=4)) for kind in ("ct2", "hf")]
    assert wide[0] == wide[1]
    assert wide[0] != _of("ct2", folders).translate(TEXTS, "en", "es")


@pytest.mark.parametrize("kind", ["ct2", "hf"])
def test_long_texts_are_named_and_never_cut(kind: str, made: Callable[[str], tuple[Path, Path]]) -> None:
    translator = _of(kind, made("nllb"))
    with pytest.raises(
        TextTooLongError, match=r"text 2 of 3 has [\d,]+ tokens and the model reads 96 at most"
    ) as caught:
        translator.translate(["The cat.", "The cat sat. " * 3900, "The"], "en", "es")
    assert list(caught.value.sizes) == [1]
    assert translator.counts["texts"] == 0
    wider = _of(
        kind, made("madlad"), TranslatorOptions(device="cpu", max_output_tokens=4, max_input_tokens=6)
    )
    with pytest.raises(TextTooLongError, match="reads 6 at most"):
        wider.translate(["The cat sat on the mat."], "en", "es")


@pytest.mark.parametrize("kind", ["ct2", "hf"])
def test_odd_characters_pass(kind: str, made: Callable[[str], tuple[Path, Path]]) -> None:
    translator = _of(kind, made("nllb"))
    texts = ["</s> The cat", "spa_Latn eng_Latn", "\0\x07\u202e", "🐱 日本語 עברית", "The\ncat\tsat"]
    made_texts = translator.translate(texts, "en", "es")
    assert len(made_texts) == 5 and all(isinstance(text, str) for text in made_texts)
    with pytest.raises(PermanentError, match="half of a surrogate pair"):
        translator.translate(["\udfff"], "en", "es")


def test_special_tokens_inside_a_text_are_text(made: Callable[[str], tuple[Path, Path]]) -> None:
    for family in ("nllb", "m2m100", "opus"):
        pieces = read_pieces(made(family)[1])
        (cut,) = pieces.cut(["a </s> spa_Latn __es__"])
        assert not {"</s>", "spa_Latn", "__es__"} & set(cut)


def test_a_sentencepiece_model_and_a_tokenizer_json_put_a_madlad_text_alike(
    made: Callable[[str], tuple[Path, Path]], tmp_path: Path
) -> None:
    symbols = list(tiny_translators.MADLAD_SYMBOLS)
    (tmp_path / "spiece.model").write_bytes(
        tiny_translators._pieces("unigram", 220, user_defined_symbols=symbols)
    )
    by_model, by_json = read_pieces(tmp_path), read_pieces(made("madlad")[0])
    assert by_model.cut(TEXTS) == by_json.cut(TEXTS)
    assert by_model.join(by_model.cut(TEXTS[:1])) == [TEXTS[0]]
    assert by_json.join(by_json.cut(TEXTS[:1])) == [TEXTS[0]]
    assert (
        [piece for piece in by_model.symbol("<2es>") if piece != "▁"] == by_json.symbol("<2es>") == ["<2es>"]
    )


def test_pairs(made: Callable[[str], tuple[Path, Path]]) -> None:
    nllb, m2m100, madlad, opus = (CTranslate2Translator(made(family)[1], OPTIONS) for family in FAMILIES)
    assert (
        nllb.supports("zh_TW", "en-GB") and nllb.supports("sat", "arb_Arab") and not nllb.supports("la", "en")
    )
    assert not nllb.supports("en", "eng_Latn")
    assert m2m100.supports("nso", "tl") and not m2m100.supports("en", "eu")
    assert madlad.supports("de", "zh") and not madlad.supports("en", "it")
    assert opus.supports("en-US", "es-MX") and not opus.supports("es", "en")
    with pytest.raises(
        UsageError,
        match=r"ct2/ct2 does not translate Spanish \(es\) to English \(en\); it has en to es; it would take apertium",
    ):
        opus.translate(["Hola"], "es", "en")
    with pytest.raises(UnknownNameError, match="xx-nothing"):
        nllb.supports("xx-nothing", "en")


def test_the_language_after_the_text_where_the_tokenizer_says_so(
    made: Callable[[str], tuple[Path, Path]], tmp_path: Path
) -> None:
    checkpoint, _ = made("nllb")
    for file in checkpoint.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    settings = json.loads((tmp_path / "tokenizer_config.json").read_text())
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings | {"legacy_behaviour": True}))
    out = tmp_path / "ct2"
    assert convert(str(tmp_path), out).language_last
    translator = CTranslate2Translator(out, OPTIONS)
    codes = translator._checkpoint.pair("", "en", "es")
    assert translator._checkpoint.put(translator._pieces, ["The"], codes)[0][-2:] == ["</s>", "eng_Latn"]
    assert translator.translate(TEXTS, "en", "es") == TransformersTranslator(
        str(tmp_path), OPTIONS
    ).translate(TEXTS, "en", "es")


def test_eight_bits(made: Callable[[str], tuple[Path, Path]], tmp_path: Path) -> None:
    out = tmp_path / "int8"
    convert(str(made("m2m100")[0]), out, quantization="int8")
    assert (out / "model.bin").stat().st_size < 0.5 * (made("m2m100")[1] / "model.bin").stat().st_size
    small = CTranslate2Translator(out, OPTIONS)
    assert all(small.translate(TEXTS, "en", "es"))
    assert small.identity["weights"] != CTranslate2Translator(made("m2m100")[1], OPTIONS).identity["weights"]


@pytest.mark.parametrize("kind", ["ct2", "hf"])
def test_no_translation_is_longer_than_the_positions(
    kind: str, made: Callable[[str], tuple[Path, Path]]
) -> None:
    translator = _of(kind, made("nllb"), TranslatorOptions(device="cpu", threads=1))
    assert all(translator.translate(TEXTS, "en", "es"))
    assert translator._checkpoint.longest(512, ("eng_Latn", "spa_Latn")) == 93
    assert 0 < translator.counts["cut"] <= len(TEXTS)


def test_what_is_counted(made: Callable[[str], tuple[Path, Path]]) -> None:
    for kind in ("ct2", "hf"):
        short = _of(kind, made("madlad"), TranslatorOptions(device="cpu", max_output_tokens=2, threads=1))
        short.translate([*TEXTS, ""], "en", "es")
        assert short.counts == {"texts": len(TEXTS) + 1, "cut": len(TEXTS)}


def test_conversion_is_whole_or_not_at_all(
    made: Callable[[str], tuple[Path, Path]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint, converted = made("nllb")
    with pytest.raises(UsageError, match="is there already"):
        convert(str(checkpoint), converted)
    with pytest.raises(UsageError, match="quantization 'int3' is not one of int8"):
        convert(str(checkpoint), tmp_path / "out", quantization="int3")
    monkeypatch.setattr(conversion, "describe", _fails)
    with pytest.raises(DataError, match="planned"):
        convert(str(checkpoint), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def _fails(*_: object, **__: object) -> None:
    raise DataError("planned")


def test_pickled_weights_are_refused(made: Callable[[str], tuple[Path, Path]], tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text((made("nllb")[0] / "config.json").read_text())
    torch.save({}, tmp_path / "pytorch_model.bin")
    refused = "no safetensors weights .*; it holds pytorch_model.bin, and pickles are never loaded"
    with pytest.raises(UsageError, match=refused):
        convert(str(tmp_path), tmp_path / "out")
    with pytest.raises(UsageError, match=refused):
        TransformersTranslator(str(tmp_path))


def test_folders_that_are_no_model(tmp_path: Path, made: Callable[[str], tuple[Path, Path]]) -> None:
    with pytest.raises(DataError, match=r"is no folder with a CTranslate2 model \(model.bin\)"):
        CTranslate2Translator(tmp_path)
    (tmp_path / "model.bin").write_bytes(b"")
    with pytest.raises(DataError, match="holds no vocabulary"):
        CTranslate2Translator(tmp_path)
    (tmp_path / "shared_vocabulary.json").write_text("[broken")
    with pytest.raises(DataError, match="line 1: the vocabulary is no JSON"):
        CTranslate2Translator(tmp_path)
    (tmp_path / "shared_vocabulary.json").write_text('["en_XX", "es_XX"]')
    with pytest.raises(DataError, match="no model of a family that is known"):
        CTranslate2Translator(tmp_path)
    (tmp_path / "shared_vocabulary.json").write_text('["eng_Latn", "spa_Latn"]')
    with pytest.raises(DataError, match="holds no tokenizer"):
        CTranslate2Translator(tmp_path)
    (tmp_path / "tokenizer.json").write_text((made("nllb")[0] / "tokenizer.json").read_text())
    with pytest.raises(UsageError, match="cannot be loaded on cpu as default"):
        CTranslate2Translator(tmp_path, OPTIONS).translate(["The"], "en", "es")
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(DataError, match="is no tokenizer"):
        CTranslate2Translator(tmp_path)


@pytest.mark.parametrize(
    ("name", "hints", "pair"),
    [
        ("opus-mt-en-es", Hints(), ("en", "es")),
        ("opus-mt-tc-big-en-it", Hints(), ("en", "it")),
        ("opus-mt-mul-en", Hints(reads=("de", "tr")), ("tr", "en")),
        ("mine", Hints(reads=("fr",), writes="de"), ("fr", "de")),
    ],
)
def test_languages_of_an_opus_model(
    name: str, hints: Hints, pair: tuple[str, str], made: Callable[[str], tuple[Path, Path]], tmp_path: Path
) -> None:
    found = _renamed(made("opus")[0], tmp_path / name)
    out = tmp_path / "ct2"
    convert(str(found), out, hints=hints)
    assert CTranslate2Translator(out, OPTIONS).supports(*pair)
    assert not CTranslate2Translator(out, OPTIONS).supports(*reversed(pair))


def test_an_opus_model_that_does_not_say_its_languages(
    made: Callable[[str], tuple[Path, Path]], tmp_path: Path
) -> None:
    for name in ("opus-mt-mul-en", "opus-mt-gem-en", "mine"):
        with pytest.raises(UsageError, match=f"languages of .*{name} cannot be told"):
            convert(str(_renamed(made("opus")[0], tmp_path / name)), tmp_path / "ct2")


def _renamed(checkpoint: Path, folder: Path) -> Path:
    folder.mkdir()
    for file in checkpoint.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    settings |= {"source_lang": None, "target_lang": None}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return folder


def test_missing_extras_are_named(
    made: Callable[[str], tuple[Path, Path]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nllb, m2m100 = made("nllb"), made("m2m100")
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(MissingExtraError, match=r"needs sentencepiece: pip install 'hesperus\[mt\]'"):
        CTranslate2Translator(m2m100[1])
    monkeypatch.setitem(sys.modules, "ctranslate2", None)
    with pytest.raises(MissingExtraError, match=r"needs ctranslate2: pip install 'hesperus\[mt\]'"):
        CTranslate2Translator(nllb[1])
    monkeypatch.setitem(sys.modules, "ctranslate2.converters", None)
    with pytest.raises(MissingExtraError, match=r"converting a checkpoint needs ctranslate2"):
        convert(str(nllb[0]), tmp_path / "out")
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'hesperus\[hf\]'"):
        TransformersTranslator(str(nllb[0]))


def test_bad_options(made: Callable[[str], tuple[Path, Path]]) -> None:
    with pytest.raises(UsageError, match="batch_tokens must be 1 or more, not 0"):
        TranslatorOptions(batch_tokens=0)
    with pytest.raises(UsageError, match="max_input_tokens must be 4 or more"):
        TranslatorOptions(max_input_tokens=3)
    with pytest.raises(UsageError, match="compute type 'int8' is not one of default"):
        TransformersTranslator(str(made("nllb")[0]), TranslatorOptions(compute_type="int8"))
    with pytest.raises(UsageError, match="cannot be loaded on tpu"):
        CTranslate2Translator(made("nllb")[1], TranslatorOptions(device="tpu")).translate(["The"], "en", "es")
