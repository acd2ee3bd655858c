"""Runs a study: make the senses, ask the cells, write the run folder. Every stage starts again from the store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from hesperus.asking import Budget, Policy, Prices, Progress, ReplyStore, Spending, ask
from hesperus.errors import ModelError, SenseError, UnknownNameError, UsageError
from hesperus.fingerprint import JSON, fingerprint, plain
from hesperus.models import Model, ModelOptions
from hesperus.models import model as model_named
from hesperus.records import SCHEMA, Run, write_run
from hesperus.senses import SenseMaker, recompose, remake_item
from hesperus.studies.multisense.answering import How, Senses, answer_cells, questions
from hesperus.studies.multisense.config import MultisenseStudy
from hesperus.studies.multisense.design import Design, design
from hesperus.studies.multisense.making import Fault, Wanted, make_texts, rewords_instructions, steps_of
from hesperus.studies.multisense.material import Material, gather, originals_of, override, texts_of
from hesperus.studies.prices import read_prices
from hesperus.tasks import items_frame
from hesperus.types import Failure, Instruction, Item, Reply, Request, Sense
from hesperus.version import __version__

Watch = Callable[[str, Progress], None]
"""Called with the name of a stage and how far it is."""


@dataclass(frozen=True, slots=True)
class StudyRun:
    """A finished run.

    Attributes:
        run: Records, items, study and signature, as they stand in the folder.
        folder: Where.
        faults: What could not be asked, each as one line for people.
    """

    run: Run
    folder: Path
    faults: tuple[str, ...]

    @property
    def records(self) -> pl.DataFrame:
        """The records table."""
        return self.run.records

    def raise_if_incomplete(self) -> None:
        """Raise where cells are missing, so that a script notices.

        Raises:
            ModelError: Some questions got no answer; the message says how many and why.
        """
        if self.faults:
            shown = "\n  ".join(self.faults[:8])
            more = f"\n  … and {len(self.faults) - 8} more kinds" if len(self.faults) > 8 else ""
            raise ModelError(
                f"the run is incomplete; these rows have the outcome `error`, run again to complete it:\n  {shown}{more}"
            )


@dataclass(frozen=True, slots=True)
class Desk:
    """What asking needs: the models by name, the store, the policy and one purse for all.

    Attributes:
        models: Every model that the study asks, makers included.
        store: Where replies are kept.
        policies: How hard each is asked.
        spending: What the whole run has spent.
        watch: Hears of the progress, or None.
    """

    models: Mapping[str, Model]
    store: ReplyStore
    policies: Mapping[str, Policy]
    spending: Spending
    watch: Watch | None

    def ask(self, requests: Sequence[Request], stage: str) -> list[Reply | Failure]:
        """Ask each request of the model that it names; results in order."""
        results: dict[int, Reply | Failure] = {}
        watch = self.watch
        for name in dict.fromkeys(request.model for request in requests):
            places = [i for i, request in enumerate(requests) if request.model == name]
            replies = ask(
                self.models[name],
                [requests[i] for i in places],
                store=self.store,
                policy=self.policies[name],
                progress=(lambda state: watch(stage, state)) if watch else None,
                spending=self.spending,
            )
            results.update(zip(places, replies, strict=True))
        return [results[i] for i in range(len(requests))]


def default_folder(study: MultisenseStudy) -> Path:
    """`runs/TASK-HASH`: the same study always has the same folder, so that a second run goes on with the first."""
    decides = study.model_dump(mode="json", exclude={"concurrency", "budget", "prices"})
    return Path("runs") / f"{Path(study.task).stem}-{fingerprint(decides)[:8]}"


def default_store(folder: Path) -> Path:
    """The reply store beside a run folder, shared by all runs beside it."""
    return folder.parent / "replies.sqlite"


def run_study(
    study: MultisenseStudy,
    folder: Path,
    *,
    store: Path | None = None,
    progress: Watch | None = None,
    makers: Mapping[str, SenseMaker] | None = None,
) -> StudyRun:
    """Run a multisense study to its end, or go on with one that was stopped.

    Method: Ohmer, Bruni and Hupkes 2023, sections 3.3 to 4.2; see METHODS in the documentation.

    Args:
        study: The design.
        folder: Run folder to write; written anew when the run is complete.
        store: Reply store; `replies.sqlite` beside the folder where None.
        progress: Hears of every stage.
        makers: Further sense-makers by the name of their variant.

    Raises:
        UsageError: A task, language, model or sense that does not exist, or a missing key.
        DataError: Items that break their contract.
        ModelError: An endpoint that fails every request alike.
        BudgetReachedError: The budget stopped the run; what was answered is kept.
    """
    plan = design(study)
    material = gather(study, plan)
    makers = makers or {}
    models = models_of(study, plan)
    with ReplyStore(store or default_store(folder)) as replies:
        desk = Desk(models, replies, _policies(study, models), Spending(), progress)
        frames, items, faults = [], [_original_items(material)], []
        for name in study.models:
            senses, texts = _make(name, study, plan, material=material, desk=desk, makers=makers)
            frames.append(_answer(name, study, plan, material=material, desk=desk, senses=senses))
            items.append(_made_items(name, senses))
            faults += _faults(name, texts)
    records = pl.concat(frames)
    faults += _failures(records)
    run = Run(
        records,
        pl.concat([frame for frame in items if frame is not None], how="diagonal_relaxed"),
        study.model_dump(mode="json"),
        _signature(study, material, models),
    )
    write_run(run, folder)
    return StudyRun(run, folder, tuple(faults))


def models_of(study: MultisenseStudy, plan: Design) -> dict[str, Model]:
    """Every model that the study asks, by name.

    Raises:
        UnknownNameError: A model, or a maker behind `@`, that does not exist.
    """
    for sense in plan.made:
        if sense.maker and "/" not in sense.maker:
            raise UnknownNameError("maker", sense.maker, study.models, f"in the sense {sense.code!r}; write provider/name")
    names = dict.fromkeys([*study.models, *(sense.maker for sense in plan.made if sense.maker)])
    return {name: model_named(name, _options(name, study)) for name in names}


def _options(name: str, study: MultisenseStudy) -> ModelOptions:
    local = name.startswith(("pocket/", "replay/", "scripted"))
    return ModelOptions() if local else ModelOptions(base_url=study.base_url)


def _policies(study: MultisenseStudy, models: Mapping[str, Model]) -> dict[str, Policy]:
    limits = study.budget
    prices = read_prices(study.prices)
    policies = {}
    for name in models:
        price = prices.of(name)
        if limits.money is not None and price is None:
            raise UsageError(
                f"a budget in money needs a price for {name}: put it into a price file and give it with --prices"
            )
        known = Prices(price.input, price.output) if price else None
        policies[name] = Policy(
            concurrency=study.concurrency,
            budget=Budget(limits.requests, limits.tokens, limits.money, known),
        )
    return policies


def _make(
    name: str,
    study: MultisenseStudy,
    plan: Design,
    *,
    material: Material,
    desk: Desk,
    makers: Mapping[str, SenseMaker],
) -> tuple[Senses, Mapping[tuple[Sense, str], str | Fault]]:
    """Make all senses with one model and put the task together in each."""
    wanted = []
    for sense in plan.made:
        texts = texts_of(material, sense, plan, inputs_only=not rewords_instructions(sense, makers))
        wanted.append(Wanted(sense, steps_of(sense, name, makers), texts))
    made = make_texts(
        wanted,
        lambda requests: desk.ask(requests, f"{name}: making senses"),
        system=study.system,
        settings=study.making.settings(),
    )
    instructions: dict[Sense, Instruction | Fault] = {}
    inputs: dict[Sense, Mapping[str, Item | Fault]] = {}
    for language in plan.originals:
        instructions[Sense(language)] = material.instructions[language]
        inputs[Sense(language)] = originals_of(material, language)
    for sense in plan.made:
        texts_made = {text: result for (owner, text), result in made.items() if owner == sense}
        instructions[sense] = _instruction(sense, study, material, texts_made, makers)
        inputs[sense] = _items(sense, material, texts_made, plan)
    golds = {
        language: {item.id: item.gold for item in items} for language, items in material.items.by_language.items()
    }
    return Senses(material.task.layout, material.task.form, instructions, inputs, golds, material.labels), made


def _instruction(
    sense: Sense,
    study: MultisenseStudy,
    material: Material,
    made: Mapping[str, str | Fault],
    makers: Mapping[str, SenseMaker],
) -> Instruction | Fault:
    original = material.instructions[sense.origin]
    if not rewords_instructions(sense, makers):
        return replace(original, language=sense.language)
    by_hand = study.instructions.get(sense.code)
    texts = {text: result for text, result in made.items() if isinstance(result, str)}
    if by_hand is not None:
        # A part written by hand is not asked to hold what the model's own version lost.
        texts |= {
            part.strip(): hand
            for part, hand in (
                (original.prefix, by_hand.prefix),
                (original.suffix, by_hand.suffix),
                *((word, by_hand.words.get(field)) for field, word in original.words.items()),
            )
            if hand is not None
        }
    lost = next((result for text, result in made.items() if isinstance(result, Fault) and text not in texts), None)
    try:
        answers = material.task.answer_words(sense.language)
        return override(recompose(original, texts, sense.language, answers), by_hand)
    except SenseError as error:
        return Fault("sense", f"{sense.code}: {lost.message if lost else error}")


def _items(
    sense: Sense, material: Material, made: Mapping[str, str | Fault], plan: Design
) -> Mapping[str, Item | Fault]:
    if not any(cell.input == sense for cell in plan.cells):
        return {}
    texts = {text: result for text, result in made.items() if isinstance(result, str)}
    items: dict[str, Item | Fault] = {}
    for item in material.items.by_language[sense.origin]:
        try:
            items[item.id] = remake_item(item, texts, sense.language)
        except SenseError as error:
            reasons = [made[text] for text in (*item.fields.values(), *(item.options or ())) if text in made]
            lost = next((reason for reason in reasons if isinstance(reason, Fault)), None)
            items[item.id] = lost or Fault("sense", str(error))
    return items


def _answer(
    name: str, study: MultisenseStudy, plan: Design, *, material: Material, desk: Desk, senses: Senses
) -> pl.DataFrame:
    how = How(study.system, study.answers.settings(), study.scoring == "logprobs")
    rows = answer_cells(
        questions(name, plan.cells, senses, how),
        senses,
        how,
        ask=lambda requests: desk.ask(requests, f"{name}: answers"),
        name=lambda _: material.task.name,
    )
    groups = _groups(material)
    schema = {**SCHEMA, "rule": pl.String(), "note": pl.String(), "tokens_in": pl.Int64(), "tokens_out": pl.Int64()}
    frame = pl.DataFrame(
        {column: [name] * len(rows) if column == "model" else [row.get(column) for row in rows] for column in schema},
        schema=schema,
    )
    return frame if groups is None else frame.join(groups, on="item", how="left", maintain_order="left")


def _groups(material: Material) -> pl.DataFrame | None:
    """Group columns by item; a name that the contract has already is left out."""
    items = next(iter(material.items.by_language.values()))
    names = [name for name in dict.fromkeys(n for item in items for n in item.groups) if name not in SCHEMA]
    if not names:
        return None
    columns: dict[str, list[str | None]] = {"item": [item.id for item in items]}
    columns |= {name: [item.groups.get(name) for item in items] for name in names}
    return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String()))


def _original_items(material: Material) -> pl.DataFrame:
    frame = items_frame(material.items)
    return frame.with_columns(pl.col("language").alias("input"), pl.lit(None, pl.String()).alias("model"))


def _made_items(name: str, senses: Senses) -> pl.DataFrame | None:
    """What a model made of the items, laid out as the originals are."""
    frames = []
    for sense, items in senses.inputs.items():
        whole = [item for item in items.values() if isinstance(item, Item)]
        if sense.is_original or not whole:
            continue
        frame = items_frame({sense.language: tuple(whole)})
        frames.append(frame.with_columns(pl.lit(sense.code).alias("input"), pl.lit(name).alias("model")))
    return pl.concat(frames, how="diagonal_relaxed") if frames else None


def _faults(name: str, made: Mapping[tuple[Sense, str], str | Fault]) -> list[str]:
    counts: dict[tuple[str, str], list[str]] = {}
    for (sense, _), result in made.items():
        if isinstance(result, Fault):
            counts.setdefault((sense.code, result.kind), []).append(result.message)
    return [
        f"{name}, {code}: {len(messages)} texts were not made ({kind}: {messages[0]})"
        for (code, kind), messages in counts.items()
    ]


def _failures(records: pl.DataFrame) -> list[str]:
    """Rows without an answer, counted by cell and reason."""
    lost = records.filter(pl.col("outcome") == "error")
    grouped = lost.group_by("model", "instruction", "input", maintain_order=True).agg(
        pl.len().alias("rows"), pl.col("note").first()
    )
    return [
        f"{row['model']}, instruction={row['instruction']},input={row['input']}: {row['rows']} questions unanswered "
        f"({row['note']})"
        for row in grouped.iter_rows(named=True)
    ]


def _signature(study: MultisenseStudy, material: Material, models: Mapping[str, Model]) -> dict[str, JSON]:
    items = [
        [language, item.id, dict(item.fields), item.gold, list(item.options or ())]
        for language, items in material.items.by_language.items()
        for item in items
    ]
    return {
        "hesperus": __version__,
        "study": fingerprint(study.model_dump(mode="json", exclude={"concurrency", "budget", "prices"})),
        "task": material.task.name,
        "items": fingerprint(items),
        "models": {name: plain(dict(model.identity)) for name, model in models.items()},
        "reader": "default",
        "dropped": plain(list(material.items.dropped)),
    }
