"""`hesperus train`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hesperus.cli.help import Commands
from hesperus.cli.measure_flags import Format, Only, Resampling, takes_flags
from hesperus.cli.said import say

if TYPE_CHECKING:
    from hesperus.analysis.table import Table
    from hesperus.evaluators.properties.epitome import LabelledPairs, SplitSettings
    from hesperus.evaluators.properties.searching import Trainer, Training, Watch
    from hesperus.measures import Bootstrap

app = Commands(
    no_args_is_help=True,
    help="Train evaluators of free text.",
)

_PAPER_BALANCE = {
    "emotional_reactions": {"train": 0.337, "dev": 0.312, "test": 0.355},
    "interpretations": {"train": 0.472, "dev": 0.481, "test": 0.475},
    "explorations": {"train": 0.158, "dev": 0.130, "test": 0.154},
}
"""Gupta et al., Found in Translation, Table 5."""


@app.callback()
def root() -> None:
    """Train evaluators of free text."""


@app.command("empathy")
@takes_flags
def empathy(
    data: Annotated[
        Path, typer.Option(help="Folder with EPITOME's files: emotional-reactions*.csv, …, or .csv.gz.")
    ],
    out: Annotated[
        Path | None, typer.Option(help="New folder for the evaluator.", show_default=False)
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option(
            help="Encoder of transformers: ORG/NAME or a folder (default: answerdotai/ModernBERT-large)."
        ),
    ] = None,
    baseline: Annotated[
        bool, typer.Option("--baseline", help="TF-IDF and logistic regression instead; a minute on a CPU.")
    ] = False,
    rate: Annotated[
        list[float] | None, typer.Option(help="Learning rate to try; repeatable (default: the paper's five).")
    ] = None,
    epochs: Annotated[
        list[int] | None,
        typer.Option(min=1, help="Epochs to try; repeatable (default: 5, 10, 15 and 20)."),
    ] = None,
    batch_size: Annotated[int, typer.Option(min=1, help="Pairs of a step.")] = 32,
    max_tokens: Annotated[int, typer.Option(min=3, help="Longest text in tokens.")] = 512,
    tune_seeker: Annotated[
        bool, typer.Option("--tune-seeker", help="Train the seeker's encoder, too (as published: not).")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of split, training and intervals.")] = 0,
    split: Annotated[
        bool, typer.Option("--split", help="Only show the split and its balance; train nothing.")
    ] = False,
    drawn: Annotated[Resampling, Only("resamples interval")] = Resampling(),
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps.")] = "auto",
    dtype: Annotated[str, typer.Option(help="auto, float32, bfloat16.")] = "auto",
    format: Format = "table",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Train classifiers of the three mechanisms of empathy, from EPITOME's pairs of posts and responses.

    Pairs are divided by seeker's post, 75/5/20. Every setting is tried on dev; the best by macro F1 is trained again on
    train and dev, and scored on test. Stopped, the same command goes on. `hesperus evaluate` takes the folder.

    For example:

        hesperus train empathy --data epitome --split

        hesperus train empathy --data epitome --baseline --out empathy-baseline

        hesperus train empathy --data epitome --encoder FacebookAI/roberta-base --rate 2.5e-5 --epochs 10 --out empathy
    """
    from hesperus.analysis.settings import resolve_bootstrap
    from hesperus.errors import UnknownNameError, UsageError
    from hesperus.evaluators.properties.epitome import SplitSettings, read_epitome
    from hesperus.measures import Bootstrap
    from hesperus.reports.formats import FORMATS, print_table

    if format not in FORMATS:
        raise UnknownNameError("format", format, FORMATS)
    if baseline and (encoder or rate or epochs or tune_seeker):
        raise UsageError("--baseline has no encoder; leave out --encoder, --rate, --epochs and --tune-seeker")
    pairs, settings = read_epitome(data), SplitSettings(seed=seed)
    balance = _balance(pairs, settings)
    if split:
        print_table(balance, format)
        return
    if out is None:
        raise UsageError("name the folder for the evaluator with --out, or show the split alone with --split")
    trainer = _baseline() if baseline else _trainer(
        encoder, rates=rate, epochs=epochs, sizes=(batch_size, max_tokens), tune_seeker=tune_seeker, place=(device, dtype),
    )  # fmt: skip
    bootstrap = resolve_bootstrap(replace(drawn, seed=seed).given(), {}, Bootstrap())
    training = _trained(pairs, trainer, out, settings=settings, bootstrap=bootstrap, quiet=quiet)
    print_table(_scores(training, pairs), format)
    say(f"evaluator: {out}; report: {out / 'report.json'}")


def _baseline() -> Trainer:
    from hesperus.evaluators.properties.baseline import BaselineTrainer

    return BaselineTrainer()


def _trainer(
    encoder: str | None,
    *,
    rates: list[float] | None,
    epochs: list[int] | None,
    sizes: tuple[int, int],
    tune_seeker: bool,
    place: tuple[str, str],
) -> Trainer:
    from hesperus.evaluators.properties.encoders import Placing
    from hesperus.evaluators.properties.tuning import DEFAULT_ENCODER, BiEncoderTrainer, TuningSettings

    usual = TuningSettings()
    settings = TuningSettings(
        rates=tuple(dict.fromkeys(rates or usual.rates)),
        epochs=tuple(dict.fromkeys(epochs or usual.epochs)),
        batch_size=sizes[0],
        max_tokens=sizes[1],
        tune_seeker=tune_seeker,
    )
    return BiEncoderTrainer(encoder or DEFAULT_ENCODER, settings, placing=Placing(*place))


def _trained(
    pairs: LabelledPairs,
    trainer: Trainer,
    out: Path,
    *,
    settings: SplitSettings,
    bootstrap: Bootstrap,
    quiet: bool,
) -> Training:
    from hesperus.evaluators.properties.searching import train_evaluator

    def watch(what: str, done: int, total: int) -> None:
        say(f"{what} ({done}/{total})")

    told: Watch | None = None if quiet else watch
    return train_evaluator(pairs, trainer, out, split=settings, bootstrap=bootstrap, watch=told)


def _balance(pairs: LabelledPairs, settings: SplitSettings) -> Table:
    """Shares of each property in each side, next to the paper's."""
    from hesperus.analysis.table import ESTIMATE_COLUMNS, Table
    from hesperus.evaluators.properties.epitome import split_by_post
    from hesperus.evaluators.properties.searching import left_out
    from hesperus.fingerprint import signature

    divided = split_by_post(pairs, settings)
    reasons = {
        str(row["property"]): (
            row["rows"] - row["examples"],
            f"{row['said_again']} rows repeat a pair, {row['conflicting_rows']} contradict each other, in the whole data",
        )
        for row in left_out(pairs)
    }
    rows = [
        {
            "property": balance.property,
            "side": balance.side,
            "posts": divided.posts[balance.side],
            "present": balance.present,
            "value": balance.share.value,
            "low": balance.share.low,
            "high": balance.share.high,
            "n": balance.share.n,
            "paper": _PAPER_BALANCE.get(balance.property, {}).get(balance.side),
            "excluded": reasons[balance.property][0],
            "reason": reasons[balance.property][1],
        }
        for balance in divided.balances()
    ]
    columns = ("property", "side", "posts", "present", "paper", *ESTIMATE_COLUMNS)
    made = {**signature(settings), "data": pairs.fingerprint()}
    return Table("split", columns, tuple(rows), made)


def _scores(training: Training, pairs: LabelledPairs) -> Table:
    """Scores on test, with what was chosen on dev."""
    from hesperus.analysis.table import ESTIMATE_COLUMNS, Table
    from hesperus.fingerprint import plain

    rows = []
    for name, scores in training.test.items():
        chosen = ", ".join(f"{setting} {value:g}" for setting, value in training.chosen[name].items())
        left = pairs.rows[name] - len(pairs.examples[name])
        for statistic, found in scores.items():
            shown = {column: getattr(found, column) for column in ESTIMATE_COLUMNS}
            rows.append(
                {"property": name, "chosen": chosen, "statistic": statistic, **shown, "rows_left_out": left}
            )
    columns = ("property", "chosen", "statistic", *ESTIMATE_COLUMNS, "rows_left_out")
    signed = plain(dict(training.signature))
    return Table("empathy", columns, tuple(rows), signed if isinstance(signed, dict) else {})
