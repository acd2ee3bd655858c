"""The columns of a user's table: flat, with what people call them."""

from __future__ import annotations

import io
import re
from codecs import BOM_UTF8
from pathlib import Path

import orjson
import polars as pl

from hesperus.errors import DataError
from hesperus.records.importers.import_settings import Source
from hesperus.records.importers.lines import decode, read_whole
from hesperus.tables import DAMAGED, read_separated

INDEX = "(index)"
"""Name of a column whose heading is empty: what spreadsheets and pandas call the number of the row."""

_DEEPEST, _WIDEST = 8, 20_000


def ending_of(source: Source) -> str:
    """The ending of a table's name, without that of its packing."""
    return Path(source.path.name.removesuffix(".gz")).suffix.lower()


def read_frame(source: Source) -> pl.DataFrame:
    """Read a table; CSV and TSV stay text.

    Raises:
        DataError: It is no table, or cannot be read.
    """
    ending = ending_of(source)
    try:
        if ending in (".parquet", ".pq"):
            frame = pl.read_parquet(source.path)
        elif ending in (".jsonl", ".ndjson", ".json"):
            frame = _of_json(read_whole(source.path), ending, source)
        elif ending in (".csv", ".tsv"):
            separator = "\t" if ending == ".tsv" else ","
            frame = read_separated(read_whole(source.path).removeprefix(BOM_UTF8), separator)
        else:
            raise DataError("a table is CSV, TSV, JSON, JSON lines or Parquet", file=source.place)
    except (*DAMAGED, UnicodeDecodeError) as error:
        line = (str(error).splitlines() or ["?"])[0]
        raise DataError(f"cannot be read: {line}", file=source.place) from error
    return _flat(frame.rename({"": INDEX} if "" in frame.columns else {}), source)


def _of_json(text: bytes, ending: str, source: Source) -> pl.DataFrame:
    """JSON lines; or an array of objects, alone or as the only list of an object; or an object of objects by their id."""
    if ending != ".json" and not text.lstrip().startswith(b"["):
        return pl.read_ndjson(text, infer_schema_length=None)
    try:
        value = decode(text)
    except ValueError as error:
        if ending == ".json" and b"\n" in text.strip():
            return pl.read_ndjson(text, infer_schema_length=None)
        raise DataError(f"is no JSON: {error}", file=source.place) from error
    if isinstance(value, dict):
        lists = [one for one in value.values() if isinstance(one, list) and one]
        if len(lists) == 1 and isinstance(lists[0][0], dict):
            value = lists[0]
        elif value and all(isinstance(one, dict) for one in value.values()):
            value = [{INDEX: name, **one} for name, one in value.items()]
    if not isinstance(value, list) or not value or not all(isinstance(row, dict) for row in value):
        raise DataError(
            "a table is CSV, TSV, JSON lines, Parquet, or a JSON array of objects", file=source.place
        )
    rows = b"\n".join(orjson.dumps(row, option=orjson.OPT_NON_STR_KEYS) for row in value)
    return pl.read_ndjson(io.BytesIO(rows), infer_schema_length=None)


def _flat(frame: pl.DataFrame, source: Source) -> pl.DataFrame:
    for _ in range(_DEEPEST):
        nested = {name: kind for name, kind in frame.schema.items() if isinstance(kind, pl.Struct)}
        if not nested:
            return frame
        frame = frame.select(
            part
            for name in frame.columns
            for part in (
                [
                    pl.col(name).struct.field(one.name).alias(f"{name}.{one.name}")
                    for one in nested[name].fields
                ]
                if name in nested
                else [pl.col(name)]
            )
        )
        if frame.width > _WIDEST:
            raise DataError(f"{frame.width:,} fields; at most {_WIDEST:,} are read", file=source.place)
    raise DataError(f"fields are nested more than {_DEEPEST} deep", file=source.place)


ANSWER_WORDS = frozenset({
    "answer", "answers", "response", "responses", "reply", "replies", "output", "outputs", "prediction",
    "predictions", "predicted", "pred", "generation", "generated", "completion", "completions", "model",
    "result", "results", "said", "choice", "chosen", "correct", "raw",
})  # fmt: skip
NOT_ANSWERS = frozenset({
    "question", "questions", "prompt", "prompts", "input", "inputs", "context", "passage", "premise",
    "hypothesis", "text", "source", "src", "gold", "target", "label", "reference", "references", "title",
    "url", "translation", "translated", "instruction", "option", "options", "sentence",
})  # fmt: skip

ITEM_NAMES = (
    "item", "item_id", "qid", "question_id", "sample_id", "id", "ID", "uid", "idx", "index", "doc_id",
    "key",
)  # fmt: skip
LANGUAGE_NAMES = ("language", "lang", "locale", "language_code", "lang_code", "target_language", "tgt_lang")
ANSWER_NAMES = (
    "answer", "prediction", "predicted", "pred", "model_answer", "choice", "chosen", "extracted",
    "parsed_answer",
)  # fmt: skip
REPLY_NAMES = (
    "reply", "response", "output", "generation", "completion", "model_output", "raw", "raw_output", "said",
    "text",
)  # fmt: skip
GOLD_NAMES = (
    "gold", "label", "target", "truth", "correct_answer", "expected", "reference", "ground_truth",
    "answer_key",
)  # fmt: skip
MODEL_NAMES = ("model", "model_name", "model_id", "llm", "engine", "system")
TEXT_NAMES = ("question", "prompt", "query", "text", "input", "instruction", "sentence", "premise", "context")

_FAMILY = re.compile(
    r"(?:gpt|chatgpt|o[134](?=[-_]?mini|[-_.]|$)|claude|gemini|gemma|palm|llama|meta[-_]llama|alpaca|vicuna|mistral|mixtral|"
    r"ministral|codestral|qwen|qwq|aya|command|cohere|phi|deepseek|yi|falcon|bloom|bloomz|mt0|mt5|flan|olmo|jais|allam|"
    r"acegpt|sailor|seallm|sealion|apertus|eurollm|salamandra|teuken|occiglot|granite|nemotron|solar|exaone|glm|chatglm|"
    r"internlm|baichuan|ernie|hunyuan|kimi|grok|dbrx|jamba|smollm|pythia|opt|gptj|gpt2|stablelm|zephyr|openchat|tulu|"
    r"hermes|wizardlm|orca|nova|titan|minimax|doubao|pocket)\d*(?:[-_. ]?[\w.]+)*",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"(?:^|[-_. ])(?:raw|answers?|responses?|replies|outputs?|results?|predictions?|preds?|generations?|completions?|eval|"
    r"evaluation|records|data|test|dev|train|val|final|all|full|run\d*|seed\d*|\d{4}-\d\d-\d\d|\d{8})(?=$|[-_. ])",
    re.IGNORECASE,
)


def without_plain_words(stem: str) -> str:
    """The name of a file without words such as *answers*, which say nothing of what it holds."""
    rest = stem
    while (shorter := _BESIDE.sub("", rest).strip("-_. ")) != rest:
        rest = shorter
    return rest


def model_in(stem: str) -> str | None:
    """The model that the name of a file says: what is left without words such as *answers*, if it begins as models do."""
    rest = without_plain_words(stem)
    return rest if rest and _FAMILY.fullmatch(rest) else None
