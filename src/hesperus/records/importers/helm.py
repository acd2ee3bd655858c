"""Logs of HELM: `scenario_state.json`, with `run_spec.json` next to it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import msgspec

from hesperus.records.importers.asked_texts import texts_of_item
from hesperus.records.importers.benchmark_table import COMMON_GROUPS
from hesperus.records.importers.import_settings import ImportSettings, LeftOut, Log, Source
from hesperus.records.importers.log_names import Evidence, about
from hesperus.records.importers.sampled import Kept, Row, logs_of
from hesperus.records.importers.settling import samples
from hesperus.records.importers.texts import decoded, text_of, written_by
from hesperus.records.schema import LAST_REPEAT
from hesperus.tables import LANGUAGE_COLUMNS, unpacked
from hesperus.types import Outcome

# Arguments of a scenario that say who was asked or how, not what about.
_NOT_ABOUT = frozenset(
    {"model", "model_deployment", "method", "groups", "data_augmentation", *LANGUAGE_COLUMNS}
)


class _Text(msgspec.Struct):
    text: str = ""


class _Reference(msgspec.Struct):
    output: _Text
    tags: list[str] = []


class _Instance(msgspec.Struct):
    references: list[_Reference]
    input: _Text = msgspec.field(default_factory=_Text)
    id: str | None = None
    split: str | None = None
    perturbation: Any = None


class _Reason(msgspec.Struct):
    reason: str = ""


class _Completion(msgspec.Struct):
    text: str = ""
    logprob: float | None = None
    finish_reason: _Reason | None = None


class _Result(msgspec.Struct):
    success: bool = True
    completions: list[_Completion] = []
    error: str | None = None


class _State(msgspec.Struct):
    instance: _Instance
    reference_index: int | None = None
    request_mode: str | None = None
    train_trial_index: Annotated[int, msgspec.Meta(ge=0, lt=LAST_REPEAT)] = 0
    output_mapping: dict[str, str] | None = None
    result: _Result | None = None


class _Adapter(msgspec.Struct):
    method: str = ""
    model: str = ""
    model_deployment: str = ""


class _Scenario(msgspec.Struct):
    adapter_spec: _Adapter
    request_states: list[_State]


class _Spec(msgspec.Struct):
    name: str = ""
    scenario_spec: dict[str, Any] = {}


def read_helm(source: Source, settings: ImportSettings) -> tuple[list[Log], list[LeftOut]]:
    """Read one log.

    Its ids count the instances of a scenario, so that items are joined by row and gold has to prove it.

    Raises:
        DataError: It is no log of HELM, or its language cannot be told.
    """
    scenario: _Scenario = _decoded(source, source.path.name, _Scenario)
    spec = _spec(source)
    name, arguments = _named(spec, source)
    what = about(Evidence(name, source.place, arguments), settings)
    about_what = {key: value for key, value in arguments.items() if key not in _NOT_ABOUT}
    states, left = _original(scenario.request_states, source)
    separate = "separate" in scenario.adapter_spec.method
    rows = _separate(states, about_what) if separate else _joint(states, about_what)
    if not states:
        return [], left
    splits = Counter(state.instance.split or "" for state in states)
    adapter = scenario.adapter_spec
    kept = Kept(
        source,
        adapter.model or adapter.model_deployment,
        what,
        by_row=True,
        split=splits.most_common(1)[0][0] or None,
        texts=samples([{"input": state.instance.input.text} for state in states[:24]]),
    )
    logs, more = logs_of(rows, kept, settings)
    return logs, left + more


def _decoded(source: Source, name: str, kind: Any) -> Any:
    with written_by("HELM", source.place, name):
        return decoded(unpacked(source.path.with_name(name), source.place), kind)


def _spec(source: Source) -> _Spec:
    for name in ("run_spec.json", "run_spec.json.gz"):
        if source.path.with_name(name).is_file():
            spec: _Spec = _decoded(source, name, _Spec)
            return spec
    return _Spec(source.path.parent.name)


def _named(spec: _Spec, source: Source) -> tuple[str, dict[str, str]]:
    """``mmlu:subject=anatomy,model=…`` and the scenario's own arguments: name and arguments."""
    name, _, rest = (spec.name or source.path.parent.name).partition(":")
    arguments = dict(part.split("=", 1) for part in re.split(r"[,|]", rest) if "=" in part)
    own = spec.scenario_spec.get("args")
    given = own if isinstance(own, dict) else {}
    return name, arguments | {str(key): text_of(value) or "" for key, value in given.items()}


def _original(states: list[_State], source: Source) -> tuple[list[_State], list[LeftOut]]:
    """Without perturbed copies of an instance, and without the requests that only calibrate."""
    plain = [state for state in states if state.instance.perturbation is None]
    left = []
    if len(plain) < len(states):
        detail = "only the unperturbed instances are taken"
        left.append(LeftOut("perturbed copy", len(states) - len(plain), source.place, detail))
    return [state for state in plain if state.request_mode in (None, "original")], left


def _id(state: _State, about_what: Mapping[str, str]) -> str:
    return "/".join([*(value for _, value in sorted(about_what.items())), state.instance.id or ""])


def _texts(state: _State) -> dict[str, str]:
    options = [reference.output.text for reference in state.instance.references]
    return texts_of_item({"input": state.instance.input.text}, options if len(options) > 1 else None)


def _groups(about_what: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in about_what.items() if name in COMMON_GROUPS}


def _right(state: _State, lettered: bool) -> list[str]:
    """The right answers, as letters or as texts."""
    return [
        chr(ord("A") + place) if lettered else reference.output.text
        for place, reference in enumerate(state.instance.references)
        if "correct" in reference.tags
    ]


def _joint(states: list[_State], about_what: Mapping[str, str]) -> Iterable[Row]:
    """The model wrote a letter, or free text."""
    for state in states:
        completion = state.result.completions[0] if state.result and state.result.completions else None
        text = completion.text if completion is not None else None
        letters = state.output_mapping or {}
        right = _right(state, bool(letters))
        yield Row(
            item=_id(state, about_what),
            gold=next(iter(right), None),
            also_right=tuple(right[1:]),
            answer=text,
            options=len(letters),
            failed=_failed(state, completion),
            reply=text,
            repeat=state.train_trial_index + 1,
            groups=_groups(about_what),
            asked=_texts(state),
        )


def _separate(states: list[_State], about_what: Mapping[str, str]) -> Iterable[Row]:
    """Each option was scored in a request of its own; the prompt is in every score, and so in none of the shares."""
    together: dict[tuple[str, int], dict[int, _State]] = defaultdict(dict)
    for state in states:
        if state.reference_index is not None:
            together[_id(state, about_what), state.train_trial_index][state.reference_index] = state
    for (item, trial), options in together.items():
        first = next(iter(options.values()))
        scores = [_score(options.get(place)) for place in range(len(first.instance.references))]
        right = _right(first, lettered=True)
        yield Row(
            item=item,
            gold=next(iter(right), None),
            also_right=tuple(right[1:]),
            options=len(scores),
            scores=tuple(scores),
            repeat=trial + 1,
            groups=_groups(about_what),
            asked=_texts(first),
        )


def _score(state: _State | None) -> float:
    if state is None or state.result is None or not state.result.completions:
        return float("nan")
    logprob = state.result.completions[0].logprob
    return float("nan") if logprob is None else logprob


def _failed(state: _State, completion: _Completion | None) -> Outcome | None:
    if completion is None or (state.result is not None and not state.result.success):
        return "error"
    reason = completion.finish_reason.reason if completion.finish_reason is not None else ""
    return "truncated" if reason == "length" else "blocked" if reason == "content_filter" else None
