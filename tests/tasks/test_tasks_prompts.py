"""The bundled prompts: enough of them, all different, and behind the same door as every other task."""

from __future__ import annotations

from collections import Counter

import pytest

from hesperus.errors import UnknownNameError
from hesperus.senses import render
from hesperus.tasks import load_items, task
from hesperus.tasks.prompts import items


@pytest.mark.parametrize(("name", "group", "groups", "least"), [
    ("information-prompts", "subject", 8, 150), ("seeker-posts", "theme", 10, 60),
])  # fmt: skip
def test_prompts_load_as_items(name: str, group: str, groups: int, least: int) -> None:
    what = task(name)
    found = load_items(what, ["en"])["en"]
    assert len(found) >= least
    assert len({item.fields["prompt"] for item in found}) == len({item.id for item in found}) == len(found)
    sizes = Counter(item.groups[group] for item in found)
    assert len(sizes) == groups and len(set(sizes.values())) == 1
    first = found[0]
    assert render(what.layout, what.instructions["en"], first) == first.fields["prompt"]


def test_questions_ask_and_posts_tell() -> None:
    assert all(item.fields["prompt"].endswith("?") for item in items("information", "en"))
    for item in items("seekers", "en"):
        assert 40 <= len(item.fields["prompt"]) <= 200 and item.fields["prompt"][-1] in ".!?"


def test_other_forms_and_languages_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="form of the prompts: 'jokes'"):
        items("jokes", "en")
    with pytest.raises(UnknownNameError, match="language of the prompts: 'de'.*a study translates them"):
        items("information", "de")
