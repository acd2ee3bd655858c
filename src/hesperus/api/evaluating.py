"""Evaluation of open answers that are there already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import polars as pl

from hesperus.analysis.open_answers.open_tables import TABLES, TableSettings, evaluation_table
from hesperus.analysis.run_kinds import described
from hesperus.analysis.settings import GivenSettings, resolve_bootstrap
from hesperus.api.progress import stage_progress
from hesperus.asking.engines import EngineName
from hesperus.errors import UnknownNameError, UsageError
from hesperus.languages import normalise
from hesperus.measures import Bootstrap
from hesperus.studies.asked.declaring import Terms
from hesperus.studies.asked.session import models_named, open_session
from hesperus.studies.evaluating.evaluation import evaluate as evaluate_pairs
from hesperus.studies.evaluating.evaluation import frame_of
from hesperus.studies.evaluating.evaluators import evaluator_named, models_of, translator_named
from hesperus.studies.evaluating.keeping import write_evaluation
from hesperus.studies.evaluating.replies import chosen, paired, read_prompts, read_replies
from hesperus.studies.evaluating.translating import Translating
from hesperus.studies.evaluating.translation_store import TranslationStore
from hesperus.version import __version__

if TYPE_CHECKING:
    from hesperus.analysis.table import Table
    from hesperus.fingerprint import JSON
    from hesperus.studies.evaluating.evaluation import Evaluation


@dataclass(frozen=True, eq=False, repr=False)
class Evaluated:
    """What an evaluation found.

    Attributes:
        what: `information`, `equivalence` or a property.
        found: Pairs, claims with verdicts, sentences, signature.
        replies: The replies that were evaluated.
        prompts: Item to what was asked, where it is known.
        settings: How tables are made.
    """

    what: str
    found: Evaluation
    replies: pl.DataFrame
    prompts: Mapping[str, str]
    settings: TableSettings

    def table(self, name: str = "scores") -> Table:
        """One of the tables: scores, groups or counts."""
        if name not in TABLES:
            raise UnknownNameError("table of evaluate", name, TABLES)
        return evaluation_table(
            name, self.found.pairs, self.what, signature=self._signature, settings=self.settings
        )

    @cached_property
    def _signature(self) -> Mapping[str, JSON]:
        warned: list[JSON] = list(self.found.warnings())
        return {**self.found.signature, **({"notes": warned} if warned else {})}

    @property
    def nothing(self) -> str:
        """A sentence where no reply was an answer; empty where one was, or the evaluator has a rule for such replies."""
        from hesperus.analysis.answered import coverage_of_pairs
        from hesperus.analysis.run_notes import nothing_of

        rules = self.found.signature.get("judge")
        is_ruled = isinstance(rules, dict) and bool(rules.get("missing"))
        return "" if is_ruled else nothing_of(coverage_of_pairs(self.found.pairs))

    def save(self, folder: Path | str) -> Path:
        """Write pairs, claims with verdicts, translations and all tables as Parquet; returns the folder."""
        tables = {name: frame_of(self.table(name).rows, self.table(name).columns) for name in TABLES}
        return write_evaluation(self.found, Path(folder), tables=tables)

    def report(self, out: Path | str) -> Path:
        """Write the page of the evaluation, as that of a run; returns where it is."""
        from hesperus.analysis.open_answers.evidence import Evaluated, OpenEvidence
        from hesperus.analysis.short_signature import SHORT, with_short
        from hesperus.evidence.page import PageClaims
        from hesperus.records import Run
        from hesperus.reports.html import write_report
        from hesperus.reports.open_answers.open_report import open_answers_report

        one = self.found
        shown = Evaluated(one.what, one.pairs, one.details, one.sentences, one.signature)
        run = Run(self.replies, self._items())
        drawn = self.settings.bootstrap
        decided = GivenSettings(**asdict(drawn)) if drawn else GivenSettings(resamples=0)
        held = OpenEvidence([shown], self.replies, trained_on=self.settings.trained_on)
        line = str(with_short(self.table("scores"), GivenSettings(), "scores").signature[SHORT])
        sign = PageClaims({}, {}, __version__, is_of_run=False, lines=(line,)).written_on
        return write_report(run, Path(out), found=open_answers_report(run, held, given=decided), sign=sign)

    def _items(self) -> pl.DataFrame | None:
        if not self.prompts:
            return None
        columns = {"item": list(self.prompts), "field:prompt": list(self.prompts.values())}
        return pl.DataFrame(columns).with_columns(language=pl.lit(self.found.signature["reference"]))

    def __repr__(self) -> str:
        return f"{self.what} of {len(self.found.pairs):,} pairs\n{self.table()!r}"

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def evaluate(
    what: str,
    run: Path | str,
    *,
    reference: str = "en",
    translator: str = "none",
    judge: str = "embedded",
    classifier: str | None = None,
    prompts: Path | str | None = None,
    languages: Sequence[str] = (),
    models: Sequence[str] = (),
    tasks: Sequence[str] = (),
    control: bool = True,
    missing: str = "leave-out",
    trained_on: Mapping[str, tuple[str, ...]] | None = None,
    retry_unread: bool = False,
    store: Path | str = "replies.sqlite",
    translations: Path | str = "translations.sqlite",
    base_url: str | None = None,
    engine: EngineName | None = None,
    engine_address: str | None = None,
    engine_workers: int | None = None,
    progress: bool | None = None,
    **settings: Any,
) -> Evaluated:
    """Evaluate open answers that are there already: what `hesperus evaluate` prints.

    Args:
        what: `information`, `equivalence`, or a property: `empathy` (with a classifier), `refusal`, `length`, `hf/ORG/NAME`.
        run: Run folder, or a file of replies (Parquet, CSV, TSV, JSON lines) with model, item, input and reply.
        reference: Language with which the others are compared.
        translator: `none`, `apertium`, `ct2/FOLDER`, `hf/ORG/NAME`, `file/PATH`, or a model: `provider/name`.
        judge: Of information and equivalence: `embedded`, or a model: `provider/name`.
        classifier: Of a property: a folder that a training wrote (`recipes/`), or `hf/ORG/NAME`.
        prompts: What was asked, in the reference language: a table with item and prompt (default: the run's).
        languages: Only this language.
        models: Only the replies of this model.
        tasks: Only this task.
        control: Send the reference there and back, too, where the translator can: the ceiling of each score.
        missing: An item that one side was not asked: `leave-out`, or `no-answer`.
        trained_on: MODEL=de,fr,…: the languages of its training, for the table of groups.
        retry_unread: Ask the judge again where its stored replies could not be read.
        store: Reply store: no request is paid for twice.
        translations: Store of translations: nothing is translated twice.
        base_url: Endpoint of models over HTTP.
        engine: Where models are asked: `local` is this process, `ray` a Ray cluster (extra `ray`), with the same replies.
        engine_address: Head node of a running Ray cluster, HOST:PORT; if not given, Ray is started on this machine.
        engine_workers: Workers that ask each model (default: one per GPU for models that run here, or else one per node).
        progress: As in hesperus.run.
        settings: `resamples`, `seed`, `level`, `interval`.

    Raises:
        UnknownNameError: No such evaluator, model, language, translator, engine or setting.
        UsageError: No such file, or settings that do not go together.
        DataError: The replies break their contract, or there is nothing to compare.
        ModelError: A judge or translator fails every request alike.
    """
    terms = _terms(base_url, engine, engine_address, engine_workers)
    file = Path(run)
    replies = chosen(chosen(read_replies(file), "model", list(models)), "task", list(tasks))
    trained = _trained(trained_on or {}, replies["model"].unique().sort().to_list())
    together = paired(replies, reference, list(languages))
    asked = read_prompts(Path(prompts) if prompts else file, together.reference, named=prompts is not None)
    named = models_named(models_of(translator, judge), terms)
    with (
        stage_progress(progress) as watch,
        open_session(named, Path(store), terms=terms, watch=watch) as session,
        TranslationStore(Path(translations)) as kept,
    ):
        judging = evaluator_named(
            what, judge, session.ask, classifier=classifier, held=session.held, retry=retry_unread
        )
        translating = Translating(translator_named(translator, named, session.ask), kept, watch=watch)
        (found,) = evaluate_pairs(
            together, translating, [judging], control=control, missing=missing, prompts=asked
        )
    drawn = resolve_bootstrap(GivenSettings.of(**settings), described(file).study, Bootstrap())
    return Evaluated(what, found, replies, asked, TableSettings(drawn, trained))


def _trained(given: Mapping[str, tuple[str, ...]], known: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Model to the tags of the languages of its training."""
    for name in given:
        if name not in known:
            raise UnknownNameError("model of --trained-on", name, known)
    return {model: tuple(normalise(tag) for tag in tags) for model, tags in given.items()}


def _terms(
    base_url: str | None, engine: EngineName | None, address: str | None, workers: int | None
) -> Terms:
    if engine is not None and engine not in get_args(EngineName):
        raise UnknownNameError("engine", engine, get_args(EngineName))
    if workers is not None and not 1 <= workers <= 10_000:
        raise UsageError(f"--engine-workers is a number from 1 to 10000, not {workers}")
    return Terms(base_url=base_url, engine=engine, engine_address=address, engine_workers=workers)
