"""A model's inner states for one meaning in several languages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hesperus.analysis.settings import GivenSettings, resolve_bootstrap
from hesperus.languages import normalise
from hesperus.measures import Bootstrap
from hesperus.models import Loading
from hesperus.records import read_records
from hesperus.studies.representations import running
from hesperus.studies.representations.agreeing import PairAgreement, pair_agreement
from hesperus.studies.representations.running import ProgressCallback, RepresentationStudy, Represented


def represent(
    model: str,
    *,
    task: str,
    languages: Sequence[str],
    out: Path | str,
    data: str | None = None,
    fields: Sequence[str] = (),
    limit: int | None = None,
    agreement: Path | str | None = None,
    agreement_model: str | None = None,
    agreement_task: str | None = None,
    device: str = "auto",
    dtype: str = "auto",
    states: bool = False,
    watch: ProgressCallback | None = None,
    **settings: Any,
) -> Represented:
    """Compare a model's inner states between languages: what `hesperus represent` does.

    Args:
        model: Model of transformers: `hf/ORG/NAME` or `hf/./FOLDER`.
        task: Task whose items are the parallel sentences, or path of a task file.
        languages: Language; two or more.
        out: Folder for similarity.parquet, layers.parquet, signature.json.
        data: File or folder of items, instead of the task's own source.
        fields: Field of an item that makes its sentence (default: all).
        limit: Compare only this many items (seeded sample).
        agreement: Run folder or records of answers: κ_p of the same pairs, kept beside them (Mantel's test).
        agreement_model: Name of the model in those records, where it is another.
        agreement_task: Task of those records, where they have several.
        device: auto, cpu, cuda, cuda:1, mps.
        dtype: auto, float32, bfloat16, float16.
        states: Keep the states: states.npy, states.json.
        watch: Hears of each step.
        settings: `resamples`, `seed`, `level`, `interval` of hesperus.analysis.settings.GivenSettings.

    Raises:
        UsageError: As hesperus.studies.representations.running.represent.
        UnknownNameError: Likewise; or no such model or task in the records of answers.
        DataError: Likewise; or answers in fewer than three of the languages.
    """
    bootstrap = resolve_bootstrap(GivenSettings.of(**settings), {}, Bootstrap())
    study = RepresentationStudy(
        model, task, tuple(normalise(tag) for tag in languages), data=data, fields=tuple(fields), limit=limit,
        loading=Loading(device=device, dtype=dtype), bootstrap=bootstrap,
    )  # fmt: skip
    records = None if agreement is None else read_records(agreement)

    def agreeing(tags: Sequence[str]) -> PairAgreement:
        """κ_p of the pairs of languages, once it is known which."""
        assert records is not None
        return pair_agreement(
            records, tags, model=agreement_model or model, task=agreement_task, bootstrap=bootstrap
        )

    return running.represent(
        study, Path(out), agreement=None if records is None else agreeing, keep_states=states, watch=watch
    )
