"""What a run would ask and cost, worked out without sending anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from hesperus.asking import ReplyStore, request_key
from hesperus.fingerprint import JSON, canonical_json, fingerprint, plain
from hesperus.models import Model
from hesperus.studies.asked.answering import AskSettings, Senses, questions
from hesperus.studies.asked.material import LoadedItems
from hesperus.studies.asked.session import longest_reply
from hesperus.studies.asked.study_cells import Cell
from hesperus.studies.prices import NOTHING, Prices, TokenRange, read_prices, tokens_of, tokens_of_made
from hesperus.types import Request, Sense
from hesperus.version import __version__

COLUMNS = (
    "model", "stage", "what", "language", "requests", "distinct", "stored", "to_ask", "tokens_in_low",
    "tokens_in_high", "tokens_out_low", "tokens_out_high", "price_low", "price_high",
)  # fmt: skip
SHORT_ANSWER = 2
"""Tokens of the shortest answer; the longest is the study's own limit."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a plan.

    Attributes:
        model: Who is asked.
        stage: What is done: `make`, `answer`, `score`, …
        what: Sense, cell, or whatever the stage goes through.
        language: Language of what is written back.
        requests: How many questions there are.
        known: The exact requests, where they are known before anything is sent; else empty.
        tokens_in: Range of prompt tokens of one pass over all questions.
        tokens_out: Range of reply tokens.
        least: Low end of the requests, where their number depends on answers that are yet to come; else None.
    """

    model: str
    stage: str
    what: str
    language: str
    requests: int
    known: tuple[Request, ...]
    tokens_in: TokenRange
    tokens_out: TokenRange
    least: int | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan: lines, what the store already holds, prices.

    Attributes:
        lines: In the order in which they would be asked.
        stored: Keys of known requests that the store holds.
        models: Who is asked.
        prices: What tokens cost.
        signature: Fingerprint of the study.
        dropped: What alignment left out of the items, as one line; empty where nothing was.
        is_batched: Whether the prices are those in batches, where they are known.
        said: Notes of the study itself.
    """

    lines: tuple[Line, ...]
    stored: frozenset[str]
    models: Mapping[str, Model]
    prices: Prices
    signature: Mapping[str, JSON]
    dropped: str = ""
    is_batched: bool = False
    said: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns; `requests_low` where some number of requests depends on answers."""
        at = COLUMNS.index("requests")
        return (*COLUMNS[:at], "requests_low", *COLUMNS[at:]) if self._is_ranged else COLUMNS

    @property
    def _is_ranged(self) -> bool:
        return any(line.least is not None for line in self.lines)

    def with_notes(self, said: tuple[str, ...]) -> Plan:
        """The same, with notes of the study."""
        return replace(self, said=said)

    @property
    def rows(self) -> tuple[dict[str, Any], ...]:
        """One row a line and a row `total` for each model; what is in several lines is counted once."""
        seen: set[str] = set()
        rows = [self._row(line, seen) for line in self.lines]
        names = dict.fromkeys(line.model for line in self.lines)
        return (*rows, *(_total(name, [row for row in rows if row["model"] == name]) for name in names))

    def _row(self, line: Line, seen: set[str]) -> dict[str, Any]:
        keys = [request_key(request, self.models[request.model].identity) for request in line.known]
        new = [key for key in dict.fromkeys(keys) if key not in seen]
        seen.update(new)
        distinct = len(new) if keys else line.requests
        stored = sum(key in self.stored for key in new)
        share = (distinct - stored) / line.requests if line.requests else 0.0
        price = self.prices.of(line.model)
        row: dict[str, Any] = {
            "model": line.model, "stage": line.stage, "what": line.what, "language": line.language,
            "requests_low": line.requests if line.least is None else line.least,
            "requests": line.requests, "distinct": distinct, "stored": stored, "to_ask": distinct - stored,
        }  # fmt: skip
        for name, tokens in (("in", line.tokens_in), ("out", line.tokens_out)):
            row[f"tokens_{name}_low"], row[f"tokens_{name}_high"] = (
                round(tokens.low * share),
                round(tokens.high * share),
            )
        for end in ("low", "high"):
            into, out = float(row[f"tokens_in_{end}"]), float(row[f"tokens_out_{end}"])
            row[f"price_{end}"] = (into * price.input + out * price.output) / 1e6 if price else None
        return row if self._is_ranged else {name: row[name] for name in COLUMNS}

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know next to the rows."""
        notes = [
            "nothing was sent. Token counts are estimates by script; questions in senses that are yet to be made are "
            "counted as distinct. `distinct` leaves out what an earlier line asks already, `stored` is in the store."
        ]
        if any(
            self.prices.of(line.model) not in (None,) and not _free(self, line.model) for line in self.lines
        ):
            notes.append(f"prices: {self.prices.currency}, as of {self.prices.as_of}")
        for name in dict.fromkeys(line.model for line in self.lines if self.prices.of(line.model) is None):
            notes.append(f"no price for {name}: put it into a price file and give it with --prices")
        for name in dict.fromkeys(line.model for line in self.lines if self._is_full_price(line.model)):
            notes.append(f"no price in batches for {name}: the full one is counted (`batch` in a price file)")
        return (*([self.dropped] if self.dropped else []), *notes, *self.said)

    def _is_full_price(self, name: str) -> bool:
        listed = self.prices.models.get(name)
        return self.is_batched and listed is not None and listed.batch is None

    def request_lines(self) -> Iterator[str]:
        """Every distinct request that is known beforehand, as JSON lines."""
        seen = set()
        for line in self.lines:
            for request in line.known:
                key = request_key(request, self.models[request.model].identity)
                if key not in seen:
                    seen.add(key)
                    yield canonical_json({"key": key, "stored": key in self.stored, **_mapping(request)})


def _total(model: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The sums of the rows of a model; of the price None if it is not known."""
    total: dict[str, Any] = {"model": model, "stage": "total", "what": "", "language": ""}
    for name in list(rows[0])[len(total) :]:
        numbers = [row[name] for row in rows]
        is_money = name.startswith("price")
        known = [float(number) for number in numbers if number is not None]
        total[name] = None if len(known) < len(numbers) else sum(known) if is_money else round(sum(known))
    return total


def plan_of(
    lines: Sequence[Line],
    models: Mapping[str, Model],
    *,
    study: BaseModel,
    store: Path | None,
    prices: str | None,
    material: LoadedItems,
) -> Plan:
    """A plan of lines: what of them the store holds, and what the rest costs.

    Args:
        lines: In the order in which they would be asked.
        models: Everybody who is asked.
        study: The study, for the signature.
        store: Reply store; its replies need not be asked again; None or a missing file holds none.
        prices: Price file; None takes the one that ships.
        material: What is asked about, for what alignment left out.
    """
    known = [request for line in lines for request in line.known]
    signature = {"hesperus": __version__, "study": fingerprint(study.model_dump(mode="json"))}
    dropped = material.dropped_note(sampled=getattr(study, "sample", None) is not None)
    priced, is_batched = read_prices(prices), getattr(study, "batch", None) is not None
    priced = priced.in_batches() if is_batched else priced
    return Plan(tuple(lines), _stored(known, models, store), models, priced, signature, dropped, is_batched)


def answer_lines(
    model: str, cells: Sequence[Cell], senses: Senses, how: AskSettings, *, stage: str = "answer"
) -> Iterator[Line]:
    """A line for each cell: with its exact requests where it is of originals, else estimated from what it is made of.

    Args:
        model: Who is asked.
        cells: What is asked.
        senses: The task in the original languages (see `senses_of`).
        how: How answers are drawn.
        stage: Name of the stage.
    """
    limit = 1 if how.by_logprobs else longest_reply(model, how.settings)
    for cell in cells:
        start = Cell(Sense(cell.instruction.origin), Sense(cell.input.origin), cell.repeat)
        requests = [request for _, request in questions(model, [start], senses, how) if request is not None]
        known = cell == start
        if known:
            tokens = prompt_tokens(requests, cell.input.language)
        else:
            made = [
                tokens_of_made(r.prompt.user, cell.input.origin, cell.input.language)
                if cell.input.origin != cell.input.language
                else tokens_of(r.prompt.user, cell.input.language)
                for r in requests
            ]
            tokens = sum(made, NOTHING)
        out = TokenRange(len(requests) * min(SHORT_ANSWER, limit), len(requests) * limit)
        yield Line(
            model, stage, str(cell), cell.instruction.language, len(requests), tuple(requests) if known else (), tokens,
            out,
        )  # fmt: skip


def prompt_tokens(requests: Sequence[Request], language: str) -> TokenRange:
    """Tokens of the prompts of requests, system texts included."""
    return sum(
        (tokens_of((request.prompt.system or "") + request.prompt.user, language) for request in requests),
        NOTHING,
    )


def _stored(requests: Sequence[Request], models: Mapping[str, Model], store: Path | None) -> frozenset[str]:
    if store is None or not store.is_file():
        return frozenset()
    keys = {request_key(request, models[request.model].identity) for request in requests}
    with ReplyStore(store) as replies:
        return frozenset(replies.find(sorted(keys)))


def _free(plan: Plan, model: str) -> bool:
    price = plan.prices.of(model)
    return price is not None and not price.input and not price.output


def _mapping(request: Request) -> dict[str, JSON]:
    values = plain(request)
    assert isinstance(values, dict)
    return values
