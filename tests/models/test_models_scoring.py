"""Option log-probabilities from what endpoints show."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hesperus.errors import PermanentError
from hesperus.models.scoring import chat_alternatives, echoed_logprob, first_token_logprobs


def log(p: float) -> float:
    return math.log(p)


def test_variants_with_blanks_add_up():
    found = first_token_logprobs(
        ["A", "B"], {"A": log(0.4), " A": log(0.1), "B": log(0.3), "\nB": log(0.1)}, "m"
    )
    assert found == pytest.approx((log(0.5), log(0.4)))


def test_an_option_is_read_off_the_token_that_reaches_furthest():
    shown = {"Par": log(0.5), "P": log(0.2), " Rom": log(0.1), "Ber": log(0.05), "The": log(0.1)}
    assert first_token_logprobs(["Paris", "Rome", "Berlin"], shown, "m") == pytest.approx(
        (log(0.5), log(0.1), log(0.05))
    )


def test_an_exact_token_beats_a_beginning():
    assert first_token_logprobs(["A", "AB"], {"A": -1.0, "AB": -2.0}, "m") == (-1.0, -2.0)


@pytest.mark.parametrize(
    ("options", "shown", "named"),
    [
        (["A", "B"], {"A": -0.1}, "1 of 2 options .'B'."),
        (["Canada", "Canberra"], {"Can": -0.1}, "2 of 2 options"),
        (["yes", "no"], {"Yes": -0.1, "No": -1.0}, "2 of 2"),
    ],
)
def test_what_cannot_be_told_is_an_error(options, shown, named):
    with pytest.raises(PermanentError, match=named) as caught:
        first_token_logprobs(options, shown, "m")
    assert caught.value.kind == "option_not_shown"


@settings(max_examples=100, derandomize=True, deadline=None)
@given(
    st.lists(st.text("ABCd ", min_size=1, max_size=4), min_size=1, max_size=4, unique=True),
    st.dictionaries(st.text("ABCd ", max_size=3), st.floats(-30, 0), max_size=10),
)
def test_numbers_are_log_probabilities_or_an_error(options, shown):
    try:
        found = first_token_logprobs(options, shown, "m")
    except PermanentError:
        return
    assert len(found) == len(options)
    assert all(min(shown.values()) <= value <= math.log(len(shown)) + 1e-9 for value in found)


def test_both_forms_of_alternatives_are_read():
    new = {"logprobs": {"content": [{"token": "A", "top_logprobs": [{"token": "A", "logprob": -0.5}]}]}}
    old = {"logprobs": {"tokens": ["A"], "top_logprobs": [{"A": -0.5}]}}
    assert chat_alternatives(new, "m") == chat_alternatives(old, "m") == {"A": -0.5}


def test_the_same_token_twice_adds_up():
    entry = {"token": "�", "logprob": log(0.25)}
    choice = {"logprobs": {"content": [{"top_logprobs": [entry, entry]}]}}
    assert chat_alternatives(choice, "m")["�"] == pytest.approx(log(0.5))


@pytest.mark.parametrize(
    "choice",
    [
        {},
        {"logprobs": None},
        {"logprobs": {"content": []}},
        {"logprobs": {"content": [{"top_logprobs": []}]}},
        {"logprobs": {"content": [{"top_logprobs": [{"token": "A", "logprob": None}]}]}},
        {"logprobs": {"content": [{"top_logprobs": "x"}]}},
        {"logprobs": {"top_logprobs": [None]}},
    ],
)
def test_endpoints_without_alternatives_are_named(choice):
    with pytest.raises(PermanentError, match="returned no log-probabilities"):
        chat_alternatives(choice, "m")


def echoed(tokens, logprobs, text=None, shift=0):
    offsets, at = [], 0
    for token in tokens:
        offsets.append(at)
        at += len(token)
    text = "".join(tokens)[shift:] if text is None else text
    return {
        "text": text,
        "logprobs": {"tokens": tokens, "token_logprobs": logprobs, "text_offset": offsets},
    }


def test_echoed_options_sum_over_their_tokens():
    choice = echoed(["Q", ":", " Par", "is", "!"], [None, -9.0, -0.5, -0.25, -7.0])
    assert echoed_logprob(choice, "Q:", " Paris", "m") == -0.75


def test_a_start_token_that_the_text_does_not_show_is_allowed_for():
    choice = echoed(["<s>", "Q", ":", " Par", "is", "!"], [None, -9, -9, -0.5, -0.25, -7.0], shift=3)
    assert echoed_logprob(choice, "Q:", " Paris", "m") == -0.75


def test_a_token_over_the_border_counts_to_the_option():
    choice = echoed(["Q", ": P", "aris", "!"], [None, -0.5, -0.25, -7.0])
    assert echoed_logprob(choice, "Q: ", "Paris", "m") == -0.75


@pytest.mark.parametrize(
    "choice",
    [
        {},
        {"text": "Q: Paris", "logprobs": None},
        {"text": "Q: Paris", "logprobs": {"tokens": [], "token_logprobs": [], "text_offset": []}},
        echoed(["!"], [-1.0]),
        echoed(["Q:", " Par", "is"], [None, -0.5]),
        echoed(["Q:", " Paris", "!"], [None, -0.5, -1.0])
        | {"logprobs": {"tokens": [1], "token_logprobs": [0], "text_offset": [0]}},
        echoed(["Q:", " Paris", "!"], [None, -0.5, -1.0])
        | {"logprobs": {"tokens": ["Q"], "token_logprobs": [0], "text_offset": ["0"]}},
    ],
)
def test_servers_that_do_not_echo_are_named(choice):
    with pytest.raises(PermanentError, match="does not echo"):
        echoed_logprob(choice, "Q:", " Paris", "m")


def test_an_echoed_token_without_a_number_is_an_error():
    with pytest.raises(PermanentError, match="no log-probability for a token"):
        echoed_logprob(echoed(["Q:", " Par", "is"], [None, -0.5, None]), "Q:", " Paris", "m")
