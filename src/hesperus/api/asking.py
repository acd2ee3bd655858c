"""Items, questions and answers: load what a task asks, ask a model, read what it says. Frames are polars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from hesperus import asking, models, tasks
from hesperus.answers import read, reader_for
from hesperus.types import Prompt, Reply, Request, Settings


def load_items(
    task: str, languages: Sequence[str], *, data: str | None = None, limit: int | None = None, seed: int = 42
) -> pl.DataFrame:
    """Items of a task, aligned by id, as a frame with one row per item and language.

    Args:
        task: Name in the catalogue, or path of a task file.
        languages: Any style of tag.
        data: File or folder of items, instead of the task's own source.
        limit: Take a seeded sample of this many items.
        seed: Seed of the sample.

    Raises:
        UnknownNameError: No such task or language.
        DataError: The data break their contract.
    """
    sample = tasks.Sample(n=limit, seed=seed) if limit else None
    return tasks.items_frame(tasks.load_items(tasks.task(task), languages, source=data, sample=sample))


def ask(
    model: str,
    prompts: Sequence[str | Prompt],
    *,
    settings: Settings | None = None,
    repeat: int = 1,
    store: Path | str = ":memory:",
    base_url: str | None = None,
) -> pl.DataFrame:
    """Ask a model; one row per prompt with `prompt`, `reply`, `finish`, `tokens_in`, `tokens_out`, `error`.

    Args:
        model: `provider/name`.
        prompts: Texts, or `hesperus.types.Prompt` for one with a system text.
        settings: How replies are drawn.
        repeat: Ask for the repeat of this number; each is its own question.
        store: Reply store; what it holds is not asked again. Kept in memory only by default.
        base_url: Endpoint, for `http/NAME` or in place of a provider's own.

    Raises:
        UnknownNameError: No such model.
        ModelError: The endpoint fails every request alike.
    """
    options = models.ModelOptions(base_url=base_url)
    put = [Prompt(one) if isinstance(one, str) else one for one in prompts]
    requests = [Request(model, one, settings or Settings(), repeat=repeat) for one in put]
    with asking.ReplyStore(store) as replies:
        results = asking.ask(models.model(model, options), requests, store=replies)
    rows = [
        (one.user, r.text, r.finish, r.tokens_in, r.tokens_out, None)
        if isinstance(r, Reply)
        else (one.user, None, None, None, None, r.message)
        for one, r in zip(put, results, strict=True)
    ]
    text, number = pl.String(), pl.Int64()
    schema = {
        "prompt": text,
        "reply": text,
        "finish": text,
        "tokens_in": number,
        "tokens_out": number,
        "error": text,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def read_answers(
    replies: Sequence[str], *, form: str, language: str, answers: Mapping[str, Sequence[str]]
) -> pl.DataFrame:
    """Read replies; one row each with `reply`, `outcome`, `answer`, `rule`.

    Args:
        replies: Raw texts.
        form: `label`, `choice`, `text` or `number`.
        language: Language of the instruction.
        answers: Label to its words in that language.
    """
    reader = reader_for(form, language, answers=answers)
    rows = [(reply, a.outcome, a.label, a.rule) for reply in replies for a in (read(reader, reply),)]
    text = pl.String()
    return pl.DataFrame(
        rows, schema={"reply": text, "outcome": text, "answer": text, "rule": text}, orient="row"
    )
