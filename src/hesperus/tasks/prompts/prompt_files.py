"""The two files of prompts as items; the same door as the atlas has (hesperus.tasks.building)."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal, get_args

from hesperus.errors import UnknownNameError
from hesperus.strict_yaml import read_yaml_as
from hesperus.tasks.definition import Asking
from hesperus.types import Instruction, Item

Form = Literal["information", "seekers"]
"""Questions that seek information, by subject; or posts that seek support, by theme."""

FORMS: tuple[Form, ...] = get_args(Form)

_FIELD = "prompt"
_GROUP = {"information": "subject", "seekers": "theme"}


def languages() -> tuple[str, ...]:
    """English alone: a study has them translated."""
    return ("en",)


def asking(task: str) -> Asking:
    """How a task of these prompts is asked.

    Args:
        task: The task's name; both are asked alike.
    """
    nothing = Instruction("en", "", {}, "", {})
    return Asking(task, "text", (_FIELD,), (), f"{{{_FIELD}}}", {"en": nothing})


@cache
def items(form: str, language: str) -> tuple[Item, ...]:
    """The prompts as items, without gold, grouped by subject or theme.

    Args:
        form: ``information`` (160 prompts in 8 subjects) or ``seekers`` (80 posts under 10 themes).
        language: ``en``.

    Raises:
        UnknownNameError: There is no such form, or another language.
    """
    if form not in FORMS:
        raise UnknownNameError("form of the prompts", form, FORMS)
    if language not in languages():
        raise UnknownNameError("language of the prompts", language, languages(), "a study translates them")
    file = files("hesperus.tasks.prompts").joinpath(f"{form}.yaml")
    table = read_yaml_as(file, "list of prompts", dict[str, list[str]])
    return tuple(
        Item(
            id=f"{group}/{number:02}",
            language=language,
            fields={_FIELD: prompt},
            groups={_GROUP[form]: group},
        )
        for group, prompts in table.items()
        for number, prompt in enumerate(prompts, start=1)
    )
