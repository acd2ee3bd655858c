"""Names of languages, ready translations, asked models, and the door through which translators come."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest

from hesperus.errors import DataError, PermanentError, TransientError, UnknownNameError, UsageError
from hesperus.languages import normalise, pack, packs
from hesperus.studies.evaluating.translation_store import TranslationStore
from hesperus.translation import (
    GREEDY,
    Decoding,
    Job,
    TextTooLongError,
    translate_kept,
    would_translate,
)
from hesperus.translation.codes import (
    code_of,
    debian_modes,
    family_codes,
    mode_languages,
    mode_of,
    read_codes,
    spellings,
)
from hesperus.translation.translator import Translator
from hesperus.translation.translator_registry import translator, translators
from hesperus.translation.translators.asked import AskedTranslator
from hesperus.translation.translators.files import FileTranslator
from hesperus.types import Failure

PAPER = [
    "ar",
    "bn",
    "cs",
    "de",
    "el",
    "es",
    "fa",
    "fr",
    "gu",
    "he",
    "hi",
    "hu",
    "id",
    "it",
    "ja",
    "ko",
    "ml",
    "mr",
    "nl",
    "pl",
    "pt",
    "ro",
    "ru",
    "sv",
    "ta",
    "te",
    "th",
    "tr",
    "uk",
    "vi",
    "zh",
]


@pytest.mark.parametrize(("family", "size"), [("nllb", 202), ("m2m100", 100), ("madlad", 416)])
def test_tables_of_codes(family: str, size: int) -> None:
    codes = family_codes(family)
    assert len(codes) == size == len(set(codes.values()))
    for tag, code in codes.items():
        assert normalise(tag) == tag
        # A code is a tag of its language in another style, but for the few that the table's head explains.
        if (family, code) not in {("nllb", "sat_Beng"), ("m2m100", "ns")}:
            assert normalise(code) == tag
    with pytest.raises(UnknownNameError, match="family of translation models"):
        family_codes("nlb")


def test_tables_against_transformers() -> None:
    from transformers.models.m2m_100.tokenization_m2m_100 import FAIRSEQ_LANGUAGE_CODES as M2M100
    from transformers.models.nllb.tokenization_nllb import FAIRSEQ_LANGUAGE_CODES as NLLB

    assert set(family_codes("nllb").values()) == set(NLLB)
    assert set(family_codes("m2m100").values()) == set(M2M100["m2m100"])


@pytest.mark.parametrize(
    ("tag", "code"),
    [
        ("zh", "zho_Hans"), ("zh-TW", "zho_Hant"), ("ZH_HK", "zho_Hant"), ("en-GB", "eng_Latn"), ("iw", "heb_Hebr"),
        ("pt-BR", "por_Latn"), ("no", "nob_Latn"), ("qu", "quy_Latn"), ("sr", "srp_Cyrl"), ("sr-Latn", None),
        ("fa-AF", "prs_Arab"), ("Santali", "sat_Beng"), ("kas_Deva", "kas_Deva"), ("la", None),
    ],
)  # fmt: skip
def test_codes_of_nllb(tag: str, code: str | None) -> None:
    assert code_of(tag, family_codes("nllb")) == code


def test_every_language_of_the_paper_and_of_the_packs_is_translated() -> None:
    # NLLB-200 writes Serbian and Uzbek in one script each.
    for tag in {*PAPER, *packs()} - {"en", "sr-Latn", "uz-Cyrl"}:
        for pair in ((tag, "en"), ("en", tag)):
            assert any("NLLB-200" in name for name in would_translate(*pair)), pair


def test_modes_of_apertium() -> None:
    assert mode_languages("eng-spa") == (("en",), "es")
    assert mode_languages("es-pt_BR") == (("es",), "pt-BR")
    assert mode_languages("eng-hbs_SR") == (("en",), "sr-Latn")
    assert mode_languages("hbs-eng") == (("bs", "hr", "sr-Latn"), "en")
    assert mode_languages("ind-zlm") == (("id",), "ms")
    for other in ("Cyrl-Latn", "eco-es-fr", "eo-en-bytecode", "fra-cat_pre2017"):
        assert mode_languages(other) is None
    modes = tuple(debian_modes())
    assert len(modes) == 98
    assert all(mode_languages(mode) for mode in modes)
    assert mode_of("es", "pt", modes) == "es-pt" and mode_of("es", "pt-BR", modes) == "es-pt_BR"
    assert mode_of("hr", "en-US", modes) == "hbs-eng" and mode_of("sr", "en", modes) is None
    assert mode_of("en", "fr", modes) is None


def test_codes_that_checkpoints_name() -> None:
    assert read_codes(["fra", "por_BR", "cmn_Hans", "nolanguage", "zz_ZZ"]) == {
        "fr": "fra", "pt-BR": "por_BR", "zh": "cmn_Hans",
    }  # fmt: skip
    assert spellings("nb") == ("nb", "no")


def test_nobody_does_klingon_to_klingon() -> None:
    assert would_translate("tlh", "en") == ("ct2/FOLDER or hf/NAME with MADLAD-400",)
    with pytest.raises(UsageError, match="no translator that hesperus knows does"):
        FileTranslatorOf({"source": ["en"], "target": ["de"], "text": ["a"], "translation": ["b"]}).translate(
            ["a"], "ae", "en"
        )


def FileTranslatorOf(columns: dict[str, list[str]]) -> FileTranslator:  # noqa: N802
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ready.parquet"
        pl.DataFrame(columns).write_parquet(path)
        return FileTranslator(path)


ROWS = pl.DataFrame(
    {
        "item": ["1", "2", "3"],
        "source": ["deu_Latn", "de", "de"],
        "target": ["en", "en", "fr"],
        "text": ["Das Haus", "Der Hund,\nder bellt", "Das Haus"],
        "translation": ["the house", 'the "dog" that barks', "la maison"],
    }
)


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_ready_translations(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"ready.{ending}"
    writers = {"csv": ROWS.write_csv, "jsonl": ROWS.write_ndjson, "parquet": ROWS.write_parquet}
    ROWS.write_csv(path, separator="\t") if ending == "tsv" else writers[ending](path)
    ready = translator(f"file/{path}")
    assert isinstance(ready, FileTranslator) and isinstance(ready, Translator)
    assert ready.translate(["Der Hund,\nder bellt", "", "Das Haus"], "de", "eng") == [
        'the "dog" that barks', "", "the house",
    ]  # fmt: skip
    assert ready.translate_items(["3"], ["Das Haus"], "de", "fr") == ["la maison"]
    assert ready.supports("deu", "en") and not ready.supports("en", "de")
    with pytest.raises(
        PermanentError, match="lacks 1 of 2 translations from de to en, the first of 'Die Katze'"
    ):
        ready.translate(["Das Haus", "Die Katze"], "de", "en")
    with pytest.raises(UsageError, match="it has de to en, de to fr; it would take ct2"):
        ready.translate(["x"], "en", "ja")


def test_bad_files_of_ready_translations(tmp_path: Path) -> None:
    path = tmp_path / "ready.csv"
    cases = [
        ("source,target,text\nde,en,a\n", "lacks the column translation; it has source, target, text"),
        ("source,target,translation\nde,en,a\n", "lacks the column text or item"),
        ("source,target,text,translation\nde,en,a,b\nde,en,a,c\n", "line 2: a second translation of 'a'"),
        ("source,target,text,translation\ndutsch,en,a,b\n", "line 1, field 'source': unknown language"),
        ("", "is empty"),
    ]
    for content, message in cases:
        path.write_text(content)
        with pytest.raises(DataError, match=message):
            FileTranslator(path)
    with pytest.raises(UsageError, match="expected a name that ends in .csv"):
        FileTranslator(tmp_path / "ready.txt")
    with pytest.raises(UsageError, match="no such file"):
        FileTranslator(tmp_path / "missing.jsonl")


def test_names() -> None:
    assert translators() == ("apertium", "ct2", "file", "hf", "none")
    with pytest.raises(UnknownNameError, match="did you mean 'apertium'"):
        translator("apertum")
    with pytest.raises(UsageError, match="write ct2/FOLDER"):
        translator("ct2")
    none = translator("none")
    assert none.translate(["a", ""], "de", "en") == ["a", ""] and none.supports("de", "en")
    with pytest.raises(UnknownNameError):
        none.translate(["a"], "nolanguage", "en")


class Recorded:
    """A model that answers with what it was asked, backwards, and remembers how."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.decodings: list[Decoding] = []

    def __call__(self, requests: Sequence[str], decoding: Decoding) -> list[str | Failure]:
        self.asked += requests
        self.decodings.append(decoding)
        return [f"  {request[::-1]} " for request in requests]


def test_an_asked_model() -> None:
    model = Recorded()
    asked = AskedTranslator("pocket/s", {"weights": "abc"}, model)
    assert isinstance(asked, Translator)
    made = asked.translate(["Das Haus", " "], "de", "es", Decoding(0.7, 0.95, seed=2))
    (request,) = model.asked
    assert request.startswith(pack("de").requests["translate"].split("{")[0]) and "Das Haus" in request
    assert made == [request[::-1].strip(), " "]
    assert model.decodings == [Decoding(0.7, 0.95, seed=2)]
    assert asked.identity == {"translator": "asked", "model": "pocket/s", "weights": "abc"}
    with pytest.raises(UsageError, match="has the languages whose pack has requests"):
        asked.translate(["x"], "co", "en")
    cleaned = AskedTranslator("m", {}, model, clean=lambda said, text: text.upper())
    assert cleaned.translate(["Haus"], "de", "en") == ["HAUS"]


def test_an_asked_model_that_fails() -> None:
    lost = AskedTranslator(
        "m", {}, lambda requests, decoding: ["ok", Failure("timeout", "no answer in 60 s")]
    )
    with pytest.raises(TransientError, match="1 of 2 translations failed, the first with timeout: no answer"):
        lost.translate(["a", "b"], "de", "en")
    few = AskedTranslator("m", {}, lambda requests, decoding: [])
    with pytest.raises(PermanentError, match="1 requests were sent and 0 replies came back"):
        few.translate(["a"], "de", "en")


class Counting:
    """Upper case, and how often each text was asked for; stops at a text where it is told to."""

    name = "counting"
    identity = {"translator": "counting"}

    def __init__(self, stop_at: str | None = None) -> None:
        self.seen: Counter[str] = Counter()
        self.stop_at = stop_at

    def supports(self, source: str, target: str) -> bool:
        return True

    def translate(
        self, texts: Sequence[str], source: str, target: str, decoding: Decoding = GREEDY
    ) -> Sequence[str]:
        if self.stop_at in texts:
            raise TransientError("planned")
        long = {number: len(text) for number, text in enumerate(texts) if len(text) > 50}
        if long:
            raise TextTooLongError(self.name, texts, long, 50)
        self.seen.update(texts)
        return [text.upper() for text in texts]


def test_a_job_that_was_stopped_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "kept.sqlite"
    texts = [f"text {number % 70}\n\u2028" for number in range(100)]
    first = Counting(stop_at=texts[60])
    with TranslationStore(path) as store, pytest.raises(TransientError):
        translate_kept(Job(first, "de", "en", chunk=16), texts, store=store)
    assert len(first.seen) == 48
    second, told = Counting(), []
    with TranslationStore(path) as store:
        made = translate_kept(
            Job(second, "de", "en", chunk=16), texts, store=store, tell=lambda *state: told.append(state)
        )
        assert [one.text for one in made] == [text.upper() for text in texts]
        # Another decoding, language or translator is another translation.
        other = Counting()
        translate_kept(Job(other, "de", "fr"), texts[:1], store=store)
        assert other.seen
    assert set(first.seen) | set(second.seen) == set(texts) and not set(first.seen) & set(second.seen)
    assert told == [(done, 48) for done in range(48, 71)]
    with TranslationStore(path) as store:
        assert translate_kept(Job(Counting(stop_at=texts[0]), "de", "en"), texts, store=store) == made


def test_a_long_text_of_a_job_is_named_by_its_own_number() -> None:
    texts = ["short", "short", "more", "x" * 60]
    with pytest.raises(TextTooLongError, match="text 4 of 4 has 60 tokens") as caught:
        translate_kept(Job(Counting(), "de", "en", chunk=2), texts)
    assert caught.value.sizes == {3: 60}


def test_the_example_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "translators.md"
    code = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)[0]
    exec(compile(code, str(page), "exec"), {})  # our own page, not a user's text
    assert capsys.readouterr().out == "['La casa es verde.', '']\n0\n['Das Haus']\n"
