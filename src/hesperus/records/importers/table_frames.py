"""The columns of a user's table: flat, with what people call them."""

from __future__ import annotations

import re

import polars as pl

from hesperus.errors import DataError
from hesperus.records.importers.import_settings import Source
from hesperus.tables import INDEX, LANGUAGE_COLUMNS, read_table, table_kind

_DEEPEST, _WIDEST = 8, 20_000


def read_frame(source: Source) -> pl.DataFrame:
    """Read a table, its nested fields under dotted names; CSV and TSV stay text.

    Raises:
        DataError: It is no table, or cannot be read.
    """
    if table_kind(source.path) is None:
        raise DataError("a table is CSV, TSV, JSON, JSON lines or Parquet", file=source.place)
    frame = read_table(source.path, source.place)
    return _flat(frame.rename({"": INDEX} if "" in frame.columns else {}), source)


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
LANGUAGE_NAMES = (*LANGUAGE_COLUMNS, "target_language", "tgt_lang")
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
