"""A model's inner states for one meaning in several languages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hesperus.analysis.settings import GivenSettings, resolve_bootstrap
from hesperus.errors import UsageError
from hesperus.fingerprint import JSON, fingerprint, plain, signature
from hesperus.languages import normalise
from hesperus.measures import Bootstrap
from hesperus.models import Loading, ModelOptions
from hesperus.models.hf import HfModel
from hesperus.records import read_records
from hesperus.studies.representations.agreeing import pair_agreement
from hesperus.studies.representations.running import (
    PERMUTATIONS,
    SIGNATURE_FILE,
    ProgressCallback,
    Represented,
    compared_states,
    parallel_sentences,
    write_represented,
)


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
        task: Task with items that are the parallel sentences, or path of a task file.
        languages: Language; two or more.
        out: Folder for similarity.parquet, layers.parquet, signature.json.
        data: File or folder of items, instead of the task's own source.
        fields: Field of an item that makes its sentence (default: all).
        limit: Compare only this many items (seeded sample).
        agreement: Run folder or records of answers: κ_p of the same pairs, kept next to them (Mantel's test).
        agreement_model: Name of the model in those records, where it is another.
        agreement_task: Task of those records, where they have several.
        device: auto, cpu, cuda, cuda:1, mps.
        dtype: auto, float32, bfloat16, float16.
        states: Keep the states: states.npy, states.json.
        watch: Hears of each step.
        settings: `resamples`, `seed`, `level`, `interval` of hesperus.analysis.settings.GivenSettings.

    Raises:
        UsageError: No model of transformers, no parallel task, or no room on the disk.
        UnknownNameError: A task, language, field, setting or model of the answers that does not exist.
        DataError: Items or records that break their contract; or answers in fewer than three of the languages.
        PermanentError: A sentence that is longer than the model's context, or does not fit into memory.
    """
    bootstrap = resolve_bootstrap(GivenSettings.of(**settings), {}, Bootstrap())
    if not model.startswith("hf/"):
        raise UsageError(
            f"{model} shows no hidden states; name a model of transformers: hf/ORG/NAME, or hf/./FOLDER"
        )
    say, folder, loading = watch or (lambda text: None), Path(out), Loading(device=device, dtype=dtype)
    asked = HfModel(model, ModelOptions(loading=loading))
    tags = tuple(dict.fromkeys(normalise(tag) for tag in languages))
    sentences = parallel_sentences(task, tags, data=data, fields=fields, limit=limit)
    beside = None
    if agreement is not None:
        who, answers = agreement_model or model, read_records(agreement)
        beside = pair_agreement(answers, tags, model=who, task=agreement_task, bootstrap=bootstrap)
    say(f"{len(sentences.items)} sentences in {len(tags)} languages")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / SIGNATURE_FILE).unlink(missing_ok=True)
    layers, pairs = compared_states(
        asked, sentences, folder, beside, bootstrap=bootstrap, keep_states=states, say=say
    )
    made = {
        "model": model, "task": task, "languages": tags, "data": data, "fields": tuple(fields), "limit": limit,
        "loading": loading, "permutations": PERMUTATIONS,
    }  # fmt: skip
    signed: dict[str, JSON] = {
        **signature(bootstrap),
        "study": plain(made),
        "identity": plain(dict(asked.identity)),
        "sentences": fingerprint(sentences.texts),
        "items": len(sentences.items),
        "dropped": len(sentences.dropped),
    }
    write_represented(folder, layers, pairs, signed)
    return Represented(tuple(layers), tuple(pairs), signed, sentences)
