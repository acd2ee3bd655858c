"""The bundled prompts: enough of them, all different, and behind the same door as every other task."""

from __future__ import annotations

from collections import Counter

import pytest

from hesperus.errors import UnknownNameError
from hesperus.senses import render
from hesperus.tasks import load_items, task
from hesperus.tasks.prompts import items


@pytest.mark.parametrize(("name", "group", "groups", "least"), [
    ("information-prompts", "subject", 8, 150), ("seeker-posts", "theme", 10, 80),
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


def test_prompts_are_put_in_several_ways() -> None:
    texts = [item.fields["prompt"] for item in items("information", "en")]
    assert all(text[-1] in ".?" for text in texts)
    first = Counter(text.split()[0] for text in texts)
    assert max(first.values()) <= len(texts) / 3
    assert sum(text.endswith(".") for text in texts) >= len(texts) / 5
    assert sum(", and " in text and text.endswith("?") for text in texts) <= len(texts) / 8


def test_posts_are_short_and_composed_or_long_and_rough() -> None:
    texts = [item.fields["prompt"] for item in items("seekers", "en")]
    rough = [text for text in texts if len(text.split()) >= 40]
    assert len(rough) == 20 and all(len(text.split()) <= 120 and "\n" not in text for text in rough)
    assert sum("?" in text for text in rough) >= 15
    for text in set(texts) - set(rough):
        assert 40 <= len(text) <= 200 and text[-1] in ".!?"


def test_other_forms_and_languages_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="form of the prompts: 'jokes'"):
        items("jokes", "en")
    with pytest.raises(UnknownNameError, match="language of the prompts: 'de'.*a study translates them"):
        items("information", "de")
