"""What a run would ask and cost, worked out without sending anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hesperus.asking import ReplyStore, request_key
from hesperus.fingerprint import JSON, canonical_json, fingerprint, plain
from hesperus.models import Model
from hesperus.senses import SenseMaker
from hesperus.studies.multisense.answering import How, Senses, questions
from hesperus.studies.multisense.config import MultisenseStudy
from hesperus.studies.multisense.design import Cell, Design, design
from hesperus.studies.multisense.desk import models_of
from hesperus.studies.multisense.making import make_request, rewords_instructions, steps_of
from hesperus.studies.multisense.material import Material, gather, originals_of, texts_of
from hesperus.studies.prices import Prices, read_prices
from hesperus.studies.token_estimate import NOTHING, TokenRange, tokens_of, tokens_of_made
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
        stage: `make` or `answer`.
        what: Sense or cell.
        language: Language of what is written back.
        requests: How many questions there are.
        known: The exact requests, where they are known before anything is sent; else empty.
        tokens_in: Range of prompt tokens of one pass over all questions.
        tokens_out: Range of reply tokens.
    """

    model: str
    stage: str
    what: str
    language: str
    requests: int
    known: tuple[Request, ...]
    tokens_in: TokenRange
    tokens_out: TokenRange


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan: lines, what the store already holds, prices.

    Attributes:
        lines: In the order in which they would be asked.
        stored: Keys of known requests that the store holds.
        models: Who is asked.
        prices: What tokens cost.
        signature: Fingerprint of the study.
    """

    lines: tuple[Line, ...]
    stored: frozenset[str]
    models: Mapping[str, Model]
    prices: Prices
    signature: Mapping[str, JSON]

    columns = COLUMNS

    @property
    def rows(self) -> tuple[dict[str, object], ...]:
        """One row a line and a row `total` for each model; what stands in several lines is counted once."""
        rows, seen = [], set[str]()
        totals: dict[str, dict[str, float]] = {}
        unpriced = set()
        for line in self.lines:
            keys = [request_key(request, self.models[request.model].identity) for request in line.known]
            new = [key for key in dict.fromkeys(keys) if key not in seen]
            seen.update(new)
            distinct = len(new) if keys else line.requests
            stored = sum(key in self.stored for key in new)
            share = (distinct - stored) / line.requests if line.requests else 0.0
            price = self.prices.of(line.model)
            row: dict[str, object] = {
                "model": line.model, "stage": line.stage, "what": line.what, "language": line.language,
                "requests": line.requests, "distinct": distinct, "stored": stored, "to_ask": distinct - stored,
                "tokens_in_low": round(line.tokens_in.low * share), "tokens_in_high": round(line.tokens_in.high * share),
                "tokens_out_low": round(line.tokens_out.low * share),
                "tokens_out_high": round(line.tokens_out.high * share),
            }  # fmt: skip
            for end in ("low", "high"):
                tokens = float(str(row[f"tokens_in_{end}"])), float(str(row[f"tokens_out_{end}"]))
                row[f"price_{end}"] = (
                    (tokens[0] * price.input + tokens[1] * price.output) / 1e6 if price else None
                )
            if price is None:
                unpriced.add(line.model)
            rows.append(row)
            total = totals.setdefault(line.model, dict.fromkeys(COLUMNS[4:], 0.0))
            for name in COLUMNS[4:]:
                total[name] += float(str(row[name])) if row[name] is not None else 0.0
        for model, total in totals.items():
            counts = {name: round(value) for name, value in total.items() if not name.startswith("price")}
            money = {
                name: None if model in unpriced else value
                for name, value in total.items()
                if name.startswith("price")
            }
            rows.append({"model": model, "stage": "total", "what": "", "language": "", **counts, **money})
        return tuple(rows)

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know beside the rows."""
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
        return tuple(notes)

    def request_lines(self) -> Iterator[str]:
        """Every distinct request that is known beforehand, as JSON lines."""
        seen = set()
        for line in self.lines:
            for request in line.known:
                key = request_key(request, self.models[request.model].identity)
                if key not in seen:
                    seen.add(key)
                    yield canonical_json({"key": key, "stored": key in self.stored, **_mapping(request)})


def plan_study(
    study: MultisenseStudy, *, store: Path | None = None, makers: Mapping[str, SenseMaker] | None = None
) -> Plan:
    """Work out a plan; sends nothing and writes nothing.

    Args:
        study: The design.
        store: Reply store whose replies need not be asked again; None or a missing file holds none.
        makers: Further sense-makers by the name of their variant.

    Raises:
        UsageError: As in run_study.
        DataError: As in run_study.
    """
    plan = design(study)
    material = gather(study, plan)
    models = models_of(study, plan)
    lines: list[Line] = []
    for name in study.models:
        lines += _making_lines(name, study, plan, material=material, makers=makers or {})
        lines += _answer_lines(name, study, plan, material=material)
    stored = _stored([request for line in lines for request in line.known], models, store)
    signature = {"hesperus": __version__, "study": fingerprint(study.model_dump(mode="json"))}
    return Plan(tuple(lines), stored, models, read_prices(study.prices), signature)


def _making_lines(
    name: str,
    study: MultisenseStudy,
    plan: Design,
    *,
    material: Material,
    makers: Mapping[str, SenseMaker],
) -> Iterator[Line]:
    settings = study.making.settings()
    for sense in plan.made:
        texts = texts_of(material, sense, plan, inputs_only=not rewords_instructions(sense, makers))
        for depth, step in enumerate(steps_of(sense, name, makers)):
            if step.maker.request is None:
                continue
            requests = [make_request(step, text, study.system, settings) for text in texts]
            asked = [request for request in requests if request is not None]
            written = [
                tokens_of_made(text, sense.origin, step.target)
                if step.source != step.target
                else tokens_of(text, step.target)
                for text in texts
            ]
            yield Line(
                step.model, "make", sense.code + (f" (step {depth + 1})" if depth else ""), step.target, len(texts),
                tuple(asked) if depth == 0 else (), _prompt_tokens(asked, step.source), sum(written, NOTHING),
            )  # fmt: skip


def _answer_lines(name: str, study: MultisenseStudy, plan: Design, *, material: Material) -> Iterator[Line]:
    """Cells of originals with their exact requests, others with an estimate from the original they are made of."""
    how = How(study.system, study.answers.settings(), study.scoring == "logprobs")
    senses = Senses(
        material.task.layout,
        material.task.form,
        {Sense(language): material.instructions[language] for language in plan.originals},
        {Sense(language): originals_of(material, language) for language in plan.originals},
        {},
        material.labels,
    )
    limit = 1 if how.by_logprobs else study.answers.max_tokens or 256
    for cell in plan.cells:
        start = Cell(Sense(cell.instruction.origin), Sense(cell.input.origin), cell.repeat)
        requests = [
            one.request for one in questions(name, [start], senses, how) if isinstance(one.request, Request)
        ]
        known = cell == start
        if known:
            tokens = _prompt_tokens(requests, cell.input.language)
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
            name, "answer", str(cell), cell.instruction.language, len(requests), tuple(requests) if known else (), tokens,
            out,
        )  # fmt: skip


def _prompt_tokens(requests: Sequence[Request], language: str) -> TokenRange:
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
