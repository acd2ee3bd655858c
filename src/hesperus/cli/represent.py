"""`hesperus represent`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hesperus.cli.measure_flags import Format, Resampling, takes_flags
from hesperus.cli.said import say, show_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hesperus.measures import Bootstrap
    from hesperus.studies.representations.agreeing import PairAgreement


@takes_flags
def command(
    model: Annotated[
        str, typer.Argument(help="Model of transformers: hf/ORG/NAME or hf/./FOLDER.", show_default=False)
    ],
    task: Annotated[
        str, typer.Option(help="Task whose items are the parallel sentences, or path of a task file.")
    ],
    language: Annotated[list[str], typer.Option(help="Language; repeat for two or more.")],
    out: Annotated[Path, typer.Option(help="Folder for similarity.parquet, layers.parquet, signature.json.")],
    data: Annotated[
        str | None, typer.Option(help="File or folder of items, instead of the task's own source.")
    ] = None,
    field: Annotated[
        list[str] | None,
        typer.Option(help="Field of an item that makes its sentence; repeatable (default: all)."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=2, help="Compare only this many items (seeded sample).")
    ] = None,
    agreement: Annotated[
        Path | None,
        typer.Option(
            help="Run folder or records of answers: κ_p of the same pairs, kept beside them (Mantel's test)."
        ),
    ] = None,
    agreement_model: Annotated[
        str | None, typer.Option(help="Name of the model in those records, where it is another.")
    ] = None,
    agreement_task: Annotated[
        str | None, typer.Option(help="Task of those records, where they have several.")
    ] = None,
    drawn: Resampling = Resampling(),
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps.")] = "auto",
    dtype: Annotated[str, typer.Option(help="auto, float32, bfloat16, float16.")] = "auto",
    states: Annotated[
        bool, typer.Option("--states", help="Keep the states: states.npy, states.json.")
    ] = False,
    format: Format = "table",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Are a model's inner states alike for one meaning in two languages?

    Cosine of the last token's hidden states of matching sentences, minus that of sentences that do not match, for every
    layer (0: embeddings) and pair of languages. The table shows the mean over pairs of each layer; all pairs are in
    OUT/similarity.parquet. Extra `hf`.

    For example:

        hesperus represent hf/Qwen/Qwen3-0.6B --task belebele --language en --language de --language sw --out states

        hesperus represent hf/./checkpoint --task atlas --language en --language hi --language ar --out states
        --agreement runs/similarity-atlas --format json
    """
    from hesperus.analysis.settings import resolve_bootstrap
    from hesperus.languages import normalise
    from hesperus.measures import Bootstrap
    from hesperus.models import Loading
    from hesperus.studies.representations.running import RepresentationStudy, represent

    study = RepresentationStudy(
        model, task, tuple(normalise(tag) for tag in language), data=data, fields=tuple(field or ()), limit=limit,
        loading=Loading(device=device, dtype=dtype), bootstrap=resolve_bootstrap(drawn.given(), {}, Bootstrap()),
    )  # fmt: skip
    beside = (
        None
        if agreement is None
        else _agreement(agreement, agreement_model or model, agreement_task, study.bootstrap)
    )
    found = represent(
        study,
        out,
        agreement=beside,
        keep_states=states,
        watch=None if quiet else lambda text: say(text),
    )
    show_rows("representations", found.layers, format, signature=found.signature)
    _say_left_out(found.sentences.dropped)
    say(f"all pairs: {out / 'similarity.parquet'}")


def _say_left_out(left: Mapping[str, str]) -> None:
    if left:
        some = "; ".join(f"{item}: {why}" for item, why in list(left.items())[:3])
        say(f"{len(left)} items are excluded, such as {some}")


def _agreement(
    path: Path, model: str, task: str | None, bootstrap: Bootstrap
) -> Callable[[Sequence[str]], PairAgreement]:
    """κ_p of the pairs of languages, once it is known which."""
    from hesperus.records import read_records
    from hesperus.studies.representations.agreeing import pair_agreement

    records = read_records(path)
    return lambda languages: pair_agreement(records, languages, model=model, task=task, bootstrap=bootstrap)
