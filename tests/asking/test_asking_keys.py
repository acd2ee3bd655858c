"""Request keys: everything that decides a reply, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import fields, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hesperus.asking import request_key
from hesperus.asking.keys import key_maker
from hesperus.errors import DataError
from hesperus.types import Prompt, Request, Settings

BASE = Request("a/b", Prompt("q", "s"), Settings(0.25, 5, 0.5, 1), ("A", "B"), 1)
WHO = {"base_url": "u", "model": "b"}


def test_the_key_is_pinned():
    # A change here makes every stored reply of every user be paid for again.
    assert request_key(BASE, WHO) == request_key(BASE, dict(reversed(WHO.items())))
    assert request_key(BASE, WHO) == "2eac98c9741159c62e76848892367b79"
    assert (
        request_key(Request("a/b", Prompt("你好"), Settings(0.25, 256)), {})
        == "d349fabcde91f8b5d8f5bb343b5b5e14"
    )


def test_every_field_enters():
    changed = {
        "model": "a/c",
        "prompt": Prompt("q"),
        "settings": Settings(),
        "options": ("A",),
        "repeat": 2,
    }
    assert set(changed) == {f.name for f in fields(Request)}
    keys = {request_key(replace(BASE, **{name: value}), WHO) for name, value in changed.items()}
    assert len(keys | {request_key(BASE, WHO)}) == len(changed) + 1
    other = {"temperature": 0.5, "max_tokens": 6, "top_p": 0.6, "seed": 2}
    assert set(other) == {f.name for f in fields(Settings)}
    for name, value in other.items():
        for new in (value, None):
            variant = replace(BASE, settings=replace(BASE.settings, **{name: new}))
            assert request_key(variant, WHO) != request_key(BASE, WHO)
    assert request_key(BASE, WHO | {"extra": "{}"}) != request_key(BASE, WHO)


def test_equal_numbers_are_equal():
    whole, real = (replace(BASE, settings=Settings(temperature=t)) for t in (0, 0.0))
    assert request_key(whole, WHO) == request_key(real, WHO)


prompts = st.builds(Prompt, st.text(max_size=4), st.none() | st.text(max_size=4))
requests = st.builds(
    Request,
    st.sampled_from(["a/b", "a/c"]),
    prompts,
    st.builds(Settings, st.sampled_from([None, 0.0, 0.5]), st.sampled_from([None, 1])),
    st.none() | st.lists(st.text(max_size=2), max_size=2).map(tuple),
    st.integers(1, 2),
)


@settings(max_examples=200, derandomize=True, deadline=None)
@given(requests, requests)
def test_keys_are_equal_exactly_where_requests_are(one, two):
    key = key_maker(WHO)
    assert (key(one) == key(two)) == (one == two)


def test_text_that_is_no_utf8_is_named():
    with pytest.raises(DataError, match="half a surrogate pair"):
        request_key(replace(BASE, prompt=Prompt("\ud83d")), WHO)


def test_keys_do_not_depend_on_the_process():
    code = (
        "from hesperus.asking import request_key; from hesperus.types import *; "
        "print(request_key(Request('a/b', Prompt('q', 's'), Settings(0.25, 5, 0.5, 1), ('A', 'B'), 1), "
        "{'model': 'b', 'base_url': 'u'}))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "7"}
    )
    assert run.stdout.strip() == request_key(BASE, WHO)
