"""``python -m recipes.empathy --data FOLDER --out FOLDER``: train classifiers of the three mechanisms of empathy."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from hesperus.analysis.table import ESTIMATE_COLUMNS, Table
from hesperus.errors import HesperusError, UsageError
from hesperus.fingerprint import plain, signature
from hesperus.measures import Bootstrap
from hesperus.reports.formats import FORMATS, print_table
from recipes.empathy.epitome import LabelledPairs, SplitSettings, read_epitome, split_by_post
from recipes.empathy.search import ProgressCallback, Trainer, Training, excluded_rows, train_evaluator

PAPER_BALANCE: Mapping[str, Mapping[str, float]] = {
    "emotional_reactions": {"train": 0.337, "dev": 0.312, "test": 0.355},
    "interpretations": {"train": 0.472, "dev": 0.481, "test": 0.475},
    "explorations": {"train": 0.158, "dev": 0.130, "test": 0.154},
}
"""Share of pairs in which each mechanism is present. Gupta et al., Found in Translation, Table 5."""

PAPER_SCORES: Mapping[str, Mapping[str, float]] = {
    "emotional_reactions": {"macro_f1": 0.861, "accuracy": 0.872},
    "interpretations": {"macro_f1": 0.873, "accuracy": 0.874},
    "explorations": {"macro_f1": 0.920, "accuracy": 0.958},
}
"""Scores of the paper's bi-encoder on its test pairs. Found in Translation, Table 6."""

_DESCRIPTION = """\
Train classifiers of the three mechanisms of empathy, from EPITOME's pairs of posts and responses.

Pairs are divided by seeker's post, 75/5/20. Every setting is tried on dev; the best by macro F1 is trained again on train
and dev, and scored on test. After an interruption the same command continues. `hesperus evaluate empathy --classifier
FOLDER` takes the folder.
"""


def main(words: list[str] | None = None) -> int:
    """Read the command line, train, and print the scores; returns the exit code.

    Args:
        words: Arguments; those of the process if None.
    """
    arguments = _parser().parse_args(words)
    try:
        _run(arguments)
    except HesperusError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_code
    except KeyboardInterrupt:
        sys.stderr.write("stopped; run the same command again to continue\n")
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m recipes.empathy",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--data", type=Path, required=True, help="folder with EPITOME's three files, .csv or .csv.gz")
    add("--out", type=Path, help="new folder for the evaluator")
    add("--split", action="store_true", help="only show the split and its balance; train nothing")
    add("--baseline", action="store_true", help="TF-IDF and logistic regression; seconds on a CPU")
    add(
        "--encoder",
        help="encoder of transformers: ORG/NAME or a folder (default: answerdotai/ModernBERT-large)",
    )
    add(
        "--rate",
        type=float,
        action="append",
        help="learning rate to try; repeatable (default: the paper's five)",
    )
    add("--epochs", type=int, action="append", help="epochs to try; repeatable (default: 5, 10, 15 and 20)")
    add("--batch-size", type=int, default=32, help="pairs of a step (default: 32)")
    add("--max-tokens", type=int, default=512, help="longest text in tokens (default: 512)")
    add("--tune-seeker", action="store_true", help="train the seeker's encoder, too (the paper does not)")
    add("--seed", type=int, default=0, help="seed of split, training and intervals (default: 0)")
    add("--resamples", type=int, default=2000, help="resamples of an interval; 0 for none (default: 2000)")
    add("--device", default="auto", help="auto, cpu, cuda, cuda:1, mps")
    add("--dtype", default="auto", help="auto, float32, bfloat16")
    add("--format", choices=FORMATS, default="table", help="format of the printed table")
    add("--quiet", "-q", action="store_true", help="no progress")
    return parser


def _run(arguments: argparse.Namespace) -> None:
    if arguments.baseline and (
        arguments.encoder or arguments.rate or arguments.epochs or arguments.tune_seeker
    ):
        raise UsageError("--baseline has no encoder; leave out --encoder, --rate, --epochs and --tune-seeker")
    if min(arguments.seed, arguments.resamples) < 0:
        raise UsageError("--seed and --resamples are 0 or more")
    pairs, split = read_epitome(arguments.data), SplitSettings(seed=arguments.seed)
    balance = _balance(pairs, split)
    if arguments.split:
        print_table(
            balance, arguments.format, lead="Shares of pairs with each mechanism, next to the paper's."
        )
        return
    if arguments.out is None:
        raise UsageError("name the folder for the evaluator with --out, or show the split alone with --split")
    trainer = _trainer(arguments)
    watch: ProgressCallback | None = None if arguments.quiet else _tell
    bootstrap = Bootstrap(arguments.resamples, arguments.seed)
    training = train_evaluator(pairs, trainer, arguments.out, split=split, bootstrap=bootstrap, watch=watch)
    print_table(
        _scores(training, pairs), arguments.format, lead="Scores on the test pairs, next to the paper's."
    )
    sys.stderr.write(f"evaluator: {arguments.out}; report: {arguments.out / 'report.json'}\n")


def _tell(what: str, done: int, total: int) -> None:
    sys.stderr.write(f"{what} ({done}/{total})\n")


def _trainer(arguments: argparse.Namespace) -> Trainer:
    if arguments.baseline:
        from recipes.empathy.term_weights import TermWeightsTrainer

        return TermWeightsTrainer()
    # The baseline and the split need no torch.
    from hesperus.evaluators.properties.encoders import Placing
    from recipes.empathy.tuning import DEFAULT_ENCODER, BiEncoderTrainer, TuningSettings

    usual = TuningSettings()
    settings = TuningSettings(
        rates=tuple(dict.fromkeys(arguments.rate or usual.rates)),
        epochs=tuple(dict.fromkeys(arguments.epochs or usual.epochs)),
        batch_size=arguments.batch_size,
        max_tokens=arguments.max_tokens,
        tune_seeker=arguments.tune_seeker,
    )
    placing = Placing(arguments.device, arguments.dtype)
    return BiEncoderTrainer(arguments.encoder or DEFAULT_ENCODER, settings, placing=placing)


def _balance(pairs: LabelledPairs, settings: SplitSettings) -> Table:
    """Shares of each property in each side, next to the paper's."""
    divided = split_by_post(pairs, settings)
    excluded = {str(row["property"]): row for row in excluded_rows(pairs)}
    rows = [
        {
            "property": balance.property,
            "side": balance.side,
            "posts": divided.posts[balance.side],
            "present": balance.present,
            "paper": PAPER_BALANCE.get(balance.property, {}).get(balance.side),
            "value": balance.share.value,
            "low": balance.share.low,
            "high": balance.share.high,
            "n": balance.share.n,
            "excluded": (row := excluded[balance.property])["rows"] - row["examples"],
            "reason": f"{row['said_again']} rows repeat a pair, {row['conflicting_rows']} contradict each other, in the "
            "whole data",
        }
        for balance in divided.balances()
    ]
    columns = ("property", "side", "posts", "present", "paper", *ESTIMATE_COLUMNS)
    made = {**signature(settings), "data": pairs.fingerprint()}
    return Table("split", columns, tuple(rows), made)


def _scores(training: Training, pairs: LabelledPairs) -> Table:
    """Scores on test next to the paper's, with what was chosen on dev."""
    rows = []
    for name, scores in training.test.items():
        chosen = ", ".join(f"{setting} {value:g}" for setting, value in training.chosen[name].items())
        left = pairs.rows[name] - len(pairs.examples[name])
        for statistic, found in scores.items():
            rows.append(
                {
                    "property": name,
                    "chosen": chosen,
                    "statistic": statistic,
                    "paper": PAPER_SCORES.get(name, {}).get(statistic),
                    **{column: getattr(found, column) for column in ESTIMATE_COLUMNS},
                    "rows_left_out": left,
                }
            )
    columns = ("property", "chosen", "statistic", "paper", *ESTIMATE_COLUMNS, "rows_left_out")
    signed = plain(dict(training.signature))
    return Table("empathy", columns, tuple(rows), signed if isinstance(signed, dict) else {})


if __name__ == "__main__":
    sys.exit(main())
