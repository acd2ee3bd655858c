"""The log of judgements: nothing lost, nothing doubled, nothing out of scale, whatever order things arrive in."""

from __future__ import annotations

import sqlite3
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hesperus.annotation import Judgement, RatingStore, Sheet, Text, Unit, create_store, read_scheme
from hesperus.annotation.scales import judgement_from
from hesperus.annotation.store import RATINGS, can_be_written
from hesperus.errors import DataError, StoreError, UnknownNameError, UsageError
from hesperus.storage import open_unchanging

MakeStore = Callable[..., RatingStore]


def said(sheet: Sheet, unit: str, question: str, value: str | None, key: str) -> Judgement:
    state = "cannot_judge" if value is None else "rated"
    return Judgement(sheet.by_id[unit], question, state, value, key.ljust(8, "-"))


def test_the_last_judgement_counts_and_the_log_keeps_all(residue: Sheet, make_store: MakeStore) -> None:
    store = make_store(residue, "a", "b")
    first, second = store.raters()
    assert (
        store.append(first, [said(residue, "q1", "cue", "2", "one"), said(residue, "q1", "cue", "4", "two")])
        == 2
    )
    assert store.append(second, [said(residue, "q1", "cue", None, "one")]) == 1
    current = store.current()
    assert current["a", residue.by_id["q1"], "cue"].judgement.value == "4"
    assert current["b", residue.by_id["q1"], "cue"].judgement.state == "cannot_judge"
    withdrawn = Judgement(residue.by_id["q1"], "cue", "withdrawn", None, "three---")
    store.append(first, [withdrawn])
    assert ("a", residue.by_id["q1"], "cue") not in store.current()
    assert [entry.judgement.value for entry in store.log()] == ["2", "4", None, None]


def test_a_judgement_that_is_sent_twice_counts_once(residue: Sheet, make_store: MakeStore) -> None:
    store = make_store(residue, "a")
    (rater,) = store.raters()
    older, newer = said(residue, "q1", "cue", "2", "older"), said(residue, "q1", "cue", "3", "newer")
    assert store.append(rater, [older, newer]) == 2
    assert store.append(rater, [older]) == 0, "a late repetition does not bring the old value back"
    assert store.current()["a", residue.by_id["q1"], "cue"].judgement.value == "3"
    with pytest.raises(DataError, match="its key was used for another judgement"):
        store.append(rater, [said(residue, "q1", "cue", "5", "older")])
    assert len(list(store.log())) == 2


def test_server_order_counts_whatever_the_clocks_say(residue: Sheet, make_store: MakeStore) -> None:
    store = make_store(residue, "a")
    (rater,) = store.raters()
    code = residue.by_id["q1"]
    store.append(rater, [Judgement(code, "cue", "rated", "1", "from-2099", 4e9)])
    store.append(rater, [Judgement(code, "cue", "rated", "5", "from-1970", 0.0)])
    assert store.current()["a", code, "cue"].judgement.value == "5"


@pytest.mark.parametrize(
    ("question", "state", "value", "message"),
    [
        ("cue", "rated", "6", "'6' is not on the scale; expected one of 1, 2, 3, 4, 5"),
        ("cue", "rated", "", "'' is not on the scale"),
        ("cue", "rated", None, "a value belongs to the state 'rated'"),
        ("cue", "cannot_judge", "3", "a value belongs to the state 'rated'"),
        ("clue", "rated", "3", "unknown question: 'clue'; did you mean 'cue'"),
        ("comment", "rated", "x" * 4001, "a comment has 1 to 4,000 characters, this one 4,001"),
        ("comment", "cannot_judge", None, "a comment is text, or withdrawn"),
    ],
)  # fmt: skip
def test_what_is_out_of_scale_is_refused_and_nothing_of_its_batch_is_kept(
    residue: Sheet, make_store: MakeStore, question: str, state: str, value: str | None, message: str
) -> None:
    store = make_store(residue, "a")
    (rater,) = store.raters()
    wrong = judgement_from(
        {"unit": residue.by_id["q1"], "question": question, "state": state, "value": value, "key": "k" * 8}
    )
    with pytest.raises(DataError) as caught:
        store.append(rater, [said(residue, "q2", "cue", "1", "fine"), wrong])
    assert message in str(caught.value)
    assert list(store.log()) == []


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ([], "a judgement is an object"),
        ({"key": "k" * 8, "unit": "u", "question": "q", "state": "rated", "vaule": 1}, "did you mean 'value'"),
        ({"key": "k" * 8, "unit": "u", "question": "q", "state": "rated", "value": 3}, "expected text or null"),
        ({"key": "k", "unit": "u", "question": "q", "state": "rated"}, "expected 8 to 64 characters"),
        ({"key": "k" * 8, "unit": "u", "question": "q", "state": "rate"}, "did you mean 'rated'"),
        ({"key": "k" * 8, "unit": 1, "question": "q", "state": "rated"}, "field 'unit': expected text"),
        ({"key": "k" * 8, "unit": "u", "question": "q", "state": "rated", "client_time": float("nan")}, "since 1970"),
    ],
)  # fmt: skip
def test_a_malformed_judgement_is_refused(entry: object, message: str) -> None:
    with pytest.raises(DataError) as caught:
        judgement_from(entry)
    assert message in str(caught.value)


def test_a_rater_judges_only_their_share(residue: Sheet, make_store: MakeStore) -> None:
    store = make_store(residue)
    first, second = store.add_raters(["a", "b"], per_unit=1)
    shares = set(store.assigned(first)), set(store.assigned(second))
    assert shares[0].isdisjoint(shares[1]) and shares[0] | shares[1] == set(residue.by_code)
    other = next(iter(shares[1]))
    with pytest.raises(DataError, match="not assigned to a"):
        store.append(first, [Judgement(other, "cue", "rated", "1", "k" * 8)])


def test_tokens_are_kept_as_digests_only_and_a_new_one_voids_the_old(
    residue: Sheet, make_store: MakeStore
) -> None:
    store = make_store(residue, "a", "b")
    first, second = store.raters()
    assert store.rater_of("") is None and not first.has_link
    old, other = store.issue_token(first), store.issue_token(second)
    assert len(old) >= 32 and old != other
    assert store.rater_of(old) == store.rater("a") and store.rater_of(other) == store.rater("b")
    new = store.issue_token(first)
    assert store.rater_of(old) is None and store.rater_of(new) == store.rater("a")
    stored = b"".join(file.read_bytes() for file in store.path.parent.glob(f"{store.path.name}*"))
    assert new.encode() not in stored and other.encode() not in stored


@pytest.mark.parametrize("name", ["", "  ", "x" * 81, "line\nbreak", "a"])
def test_names_of_raters_are_checked(residue: Sheet, make_store: MakeStore, name: str) -> None:
    store = make_store(residue, "a")
    with pytest.raises(UsageError, match="no name for a rater|already"):
        store.add_raters(["fresh", name])
    assert [rater.name for rater in store.raters()] == ["a"], "all or none"


def test_two_writers_at_once_lose_nothing(residue: Sheet, make_store: MakeStore) -> None:
    store = make_store(residue, "a", "b")
    values = [str(1 + at % 5) for at in range(60)]

    def rate(name: str) -> None:
        with RatingStore(store.path) as own:
            for at, value in enumerate(values):
                own.append(own.rater(name), [said(residue, "q1", "cue", value, f"{name}{at}")])

    threads = [threading.Thread(target=rate, args=(name,)) for name in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name in ("a", "b"):
        assert [one.judgement.value for one in store.log() if one.rater.name == name] == values


@settings(max_examples=12, deadline=None)
@given(
    clicks=st.lists(st.tuples(st.sampled_from(["q1", "q2"]), st.sampled_from("12345")), min_size=1, max_size=6),
    data=st.data(),
)  # fmt: skip
def test_resending_changes_nothing(
    residue: Sheet, clicks: list[tuple[str, str]], data: st.DataObject
) -> None:
    """A queue that sends in order and repeats any earlier part of it ends in the last click of each question."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.sqlite"
        create_store(path, residue)
        with RatingStore(path) as store:
            (rater,) = store.add_raters(["a"])
            queue = [
                said(residue, unit, "cue", value, f"click{at}") for at, (unit, value) in enumerate(clicks)
            ]
            for end in range(1, len(queue) + 1):
                start = data.draw(st.integers(0, end - 1))
                store.append(rater, queue[start:end])
            assert len(list(store.log())) == len(queue)
            last = {residue.by_id[unit]: value for unit, value in clicks}
            assert {code: entry.judgement.value for (_, code, _), entry in store.current().items()} == last


def test_every_rater_has_an_order_of_their_own_which_the_seed_decides() -> None:
    scheme = read_scheme("fidelity")
    units = tuple(Unit(str(at), (Text("source", "s"), Text("text", "t"))) for at in range(50))
    sheet, again, other = Sheet(scheme, units, 1), Sheet(scheme, units, 1), Sheet(scheme, units, 2)
    shares = sheet.shares(["a", "b", "c"], per_unit=2)
    assert shares == again.shares(["a", "b", "c"], per_unit=2)
    assert sorted(map(len, shares.values())) == [33, 33, 34]
    assert all(sum(code in codes for codes in shares.values()) == 2 for code in sheet.by_code)
    everybody = sheet.shares(["a", "b"])
    assert everybody["a"] != everybody["b"] and sorted(everybody["a"]) == sorted(everybody["b"])
    assert sheet.fingerprint == again.fingerprint != other.fingerprint
    with pytest.raises(UsageError, match="3 raters for each unit, but 2 raters"):
        sheet.shares(["a", "b"], per_unit=3)


def test_files_that_are_no_rating_stores_are_left_alone(residue: Sheet, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such rating store"):
        RatingStore(tmp_path / "none.sqlite")
    text = tmp_path / "text.sqlite"
    text.write_text("not a database, but long enough to be looked at as one" * 20)
    with pytest.raises(StoreError, match="cannot use"):
        RatingStore(text)
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE t (x)")
    connection.close()
    before = other.read_bytes()
    with pytest.raises(StoreError, match="another program"):
        RatingStore(other)
    assert other.read_bytes() == before
    store = tmp_path / "store.sqlite"
    create_store(store, residue)
    with pytest.raises(UsageError, match="exists; give another name"):
        create_store(store, residue)
    with sqlite3.connect(store) as connection:
        connection.execute("""UPDATE units SET content = replace(content, 'France', 'Italy')""")
    connection.close()
    with pytest.raises(StoreError, match="was changed after it was made"):
        RatingStore(store)


def test_unknown_raters_and_units_are_named(residue: Sheet, make_store: MakeStore) -> None:
    store = make_store(residue, "first")
    with pytest.raises(UnknownNameError, match="did you mean 'first'"):
        store.rater("frist")
    with pytest.raises(DataError, match="no such unit"):
        store.append(store.rater("first"), [Judgement("nowhere", "cue", "rated", "1", "k" * 8)])


def test_a_store_that_cannot_be_written_is_read_but_never_without_its_last_judgements(
    residue: Sheet, make_store: MakeStore
) -> None:
    store = make_store(residue, "first")
    assert store.is_writable and can_be_written(store.path) and not can_be_written(store.path / "none")
    store.append(store.rater("first"), [said(residue, "q1", "cue", "4", "k" * 8)])
    with pytest.raises(StoreError, match=r"store0.sqlite-wal next to it holds what is not in it yet"):
        open_unchanging(store.path, RATINGS)
    store.close()
    before = store.path.read_bytes()
    reading = open_unchanging(store.path, RATINGS)
    assert reading.execute("SELECT value FROM judgements").fetchall() == [("4",)]
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        reading.execute("DELETE FROM judgements")
    reading.close()
    assert store.path.read_bytes() == before and [file.name for file in store.path.parent.iterdir()] == [
        store.path.name
    ]
