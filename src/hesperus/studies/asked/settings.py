"""The settings of a study, from its fields: one list for the flags, the page of settings and the checks of both."""

from __future__ import annotations

import types
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from hesperus.studies.asked.declaring import Declared, Part
from hesperus.studies.asked.field_types import MEMBERS, PAIRS, PATH

SHORT: Mapping[str, str] = {
    "models": "model", "plugins": "plugin", "languages": "language", "senses": "sense", "conditions": "condition", "groups": "group",
    "sample.n": "limit", "answers.temperature": "temperature", "answers.max_tokens": "max-tokens",
    "answers.max_tokens_again": "max-tokens-again", "budget.requests": "max-requests",
    "budget.tokens": "max-tokens-total", "budget.money": "max-money", "comparison.by": "by",
    "comparison.pivot": "pivot", "comparison.statistic": "statistic", "naturalise.rewriter": "rewriter",
    "naturalise.verifier": "verifier", "native.task": "native", "bootstrap.resamples": "resamples",
    "bootstrap.seed": "seed", "bootstrap.interval": "interval", "comparison.bootstrap.resamples": "resamples",
    "comparison.bootstrap.seed": "seed", "comparison.bootstrap.interval": "interval",
}  # fmt: skip
"""Keys whose flag has another, shorter name; all others are their own."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of a study.

    Attributes:
        key: Key of the study file; within a part with a dot, as in `sample.n`.
        kind: Plain type of its value; None if only a file can say it.
        is_many: Whether it may be given several times.
        shown: What its value is called, such as NAME=VALUE of a mapping; empty where its type says it.
        choices: The values that there are, or empty if there are others.
        is_required: Whether a study must have it.
        default: What holds where it is not given; None: nothing.
        section: Heading under which it is listed.
        text: What it means.
    """

    key: str
    kind: type | None
    is_many: bool
    shown: str
    choices: tuple[str, ...]
    is_required: bool
    default: object
    section: str
    text: str

    @property
    def flag(self) -> str:
        """The flag, without dashes."""
        return SHORT.get(self.key, self.key.replace("_", "-"))


def settings_of(study: type[Declared]) -> tuple[Setting, ...]:
    """Every setting of a study, in the order of its fields."""
    own = f"Of the study {study.model_fields['study'].default}"
    return tuple(_settings(study, "", own, None))


def _settings(model: type[BaseModel], before: str, section: str, around: object) -> Iterator[Setting]:
    for name, info in model.model_fields.items():
        if before == "" and name == "study":
            continue
        key = f"{before}{name}"
        heading = (_section(model, name) if before == "" else "") or section
        part = _part(info.annotation)
        default = getattr(around, name, None) if around is not None else _default(info)
        if part is None:
            yield _setting(key, info, heading, default)
        else:
            yield from _settings(part, f"{key}.", part.section or heading, default)


def _setting(key: str, info: FieldInfo, section: str, default: object) -> Setting:
    plain, is_many = _plain(info.annotation)
    shown = next((name for mark, name in _SHOWN.items() if mark in info.metadata), "")
    choices = tuple(map(str, get_args(plain))) if get_origin(plain) is Literal else ()
    kind = str if choices or shown else plain if isinstance(plain, type) else None
    is_required = info.is_required() and "." not in key
    is_many = is_many or shown.startswith("NAME")
    return Setting(key, kind, is_many, shown, choices, is_required, default, section, info.description or "")


_SHOWN = {PAIRS: "NAME=VALUE", MEMBERS: "NAME=JSON", PATH: "PATH"}


def _plain(annotation: object) -> tuple[object, bool]:
    """An annotation without lists, marks and None: a type, or None if only a file can say it; and whether it is a list."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _plain(inner[0])
    if origin in (Union, types.UnionType):
        return _plain(next(one for one in inner if one is not type(None)))
    if origin is tuple:
        return _plain(inner[0])[0], True
    if origin is Literal:
        return annotation, False
    return annotation if annotation in (str, int, float, bool) else None, False


def _default(info: FieldInfo) -> object:
    return None if info.is_required() else info.get_default(call_default_factory=True)


def _section(model: type[BaseModel], name: str) -> str:
    """The section of the first class that has a field; a study that only says it anew does not take it away."""
    owners = [one for one in model.__mro__ if name in one.__dict__.get("__annotations__", {})]
    first: Any = owners[-1]
    return str(first.__dict__.get("section", ""))


def _part(annotation: object) -> type[Part] | None:
    kinds: Collection[object] = get_args(annotation) or (annotation,)
    if get_origin(annotation) not in (None, Union, types.UnionType):
        return None
    return next((one for one in kinds if isinstance(one, type) and issubclass(one, Part)), None)
