from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest
from recipes.empathy.epitome import (
    SIDES,
    LabelledPairs,
    Split,
    SplitSettings,
    folded,
    read_epitome,
    split_by_post,
)
from tests.evaluators.property_encoders import FILES, write_pairs

from hesperus.errors import DataError

TABLE_5 = {
    "emotional_reactions": (0.337, 0.312, 0.355),
    "interpretations": (0.472, 0.481, 0.475),
    "explorations": (0.158, 0.130, 0.154),
}


@pytest.fixture(scope="module")
def real(shared_data: Path) -> LabelledPairs:
    return read_epitome(shared_data / "NC_epitome_text")


def _posts(split: Split, side: str) -> set[str]:
    return {example.post for sides in split.examples.values() for example in sides[side]}  # type: ignore[index]


def test_every_real_row_is_an_example_or_is_counted(real: LabelledPairs) -> None:
    assert set(real.rows.values()) == {3084}
    for name in real.properties:
        left = real.repeated[name] + real.conflicting_rows[name]
        assert len(real.examples[name]) + left == 3084
    assert dict(real.conflicting) == {"emotional_reactions": 8, "interpretations": 10, "explorations": 4}
    assert {name: len(found) for name, found in real.examples.items()} == {
        "emotional_reactions": 3015, "interpretations": 3013, "explorations": 3019,
    }  # fmt: skip
    # Of 2,979 posts one has a single response, and its rows disagree on every property.
    assert len({example.post for found in real.examples.values() for example in found}) == 2978


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_split_keeps_seekers_apart_and_has_the_balance_of_table_5(real: LabelledPairs, seed: int) -> None:
    split = split_by_post(real, SplitSettings(seed))
    sides = [_posts(split, side) for side in SIDES]
    assert sum(map(len, sides)) == len(set.union(*sides)) == sum(split.posts.values())
    shares = [len(split.examples["explorations"][side]) / 3019 for side in SIDES]
    assert shares == pytest.approx([0.75, 0.05, 0.20], abs=0.005)
    for balance in split.balances():
        theirs = TABLE_5[balance.property][SIDES.index(balance.side)]
        ours, n = balance.share.value, balance.share.n
        assert ours is not None
        # Both are samples of one population: three standard errors of their difference.
        error = (theirs * (1 - theirs) * (2 / n)) ** 0.5
        assert abs(ours - theirs) < 3 * error, balance


def test_a_split_follows_from_seed_and_posts_alone(tmp_path: Path) -> None:
    pairs = read_epitome(write_pairs(tmp_path / "data", pairs=300))
    turned = LabelledPairs(
        {name: found[::-1] for name, found in pairs.examples.items()},
        pairs.rows, pairs.repeated, pairs.conflicting, pairs.conflicting_rows,
    )  # fmt: skip
    first, again, other = (
        split_by_post(pairs, SplitSettings(1)),
        split_by_post(turned, SplitSettings(1)),
        split_by_post(pairs, SplitSettings(2)),
    )
    assert [_posts(first, side) for side in SIDES] == [_posts(again, side) for side in SIDES]
    assert _posts(first, "test") != _posts(other, "test")


def _write(folder: Path, rows: list[list[str]], name: str, *, packed: bool = False) -> None:
    header = ["seeker_post", "response_post", "level"]
    opened = gzip.open if packed else open
    with opened(folder / f"{name}.csv{'.gz' if packed else ''}", "wt", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def test_pairs_that_repeat_count_once_and_those_that_conflict_not_at_all(tmp_path: Path) -> None:
    rows = [
        ["I am sad.", "Sorry!", "1"],
        ["i am  sad", "sorry", "2"],
        ["I am sad", "What happened?", "0"],
        ["Lost my job", "Oh", "0"],
        ["Lost my job", "oh...", "2"],
        ["😢", "🤗", "1"],
    ]
    for name in FILES:
        _write(tmp_path, rows, name, packed=name == "explorations")
    found = read_epitome(tmp_path)
    assert [e.text for e in found.examples["explorations"]] == ["Sorry!", "What happened?", "🤗"]
    assert [e.present for e in found.examples["explorations"]] == [1, 0, 1]
    assert (found.repeated["interpretations"], found.conflicting["interpretations"]) == (1, 1)
    assert found.conflicting_rows["interpretations"] == 2
    assert folded("Ｉ’m\nSAD!") == "i m sad" and folded("😢") == "😢"


def test_a_post_with_other_words_in_another_file_stays_on_its_side(tmp_path: Path) -> None:
    folder = write_pairs(tmp_path, pairs=300)
    path = folder / "explorations-made.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("cat", ""), encoding="utf-8")
    found = read_epitome(folder)
    names = [
        {example.text.replace("cat", ""): example.post for example in e} for e in found.examples.values()
    ]
    assert len({example.post for e in found.examples.values() for example in e}) == 300
    assert names[0].keys() & names[2].keys() and all(
        names[0][k] == names[2][k] for k in names[0].keys() & names[2].keys()
    )


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([["a", "b", "3"]], r"interpretations\.csv, line 2, field 'level': is '3'; a level is 0"),
        ([["a", "b", "x"]], "is 'x'"),
        ([["a", "b", "0"], ["a", " ", "0"]], "line 3, field 'response_post': is empty"),
        ([["a", "b"]], "has 2 fields, the header 3"),
        ([], "holds no row"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, rows: list[list[str]], said: str) -> None:
    write_pairs(tmp_path)
    (tmp_path / "interpretations-made.csv").unlink()
    _write(tmp_path, rows, "interpretations")
    with pytest.raises(DataError, match=said):
        read_epitome(tmp_path)


def test_a_bad_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is no folder"):
        read_epitome(tmp_path / "nowhere")
    folder = write_pairs(tmp_path / "data")
    path = folder / "explorations-made.csv"
    path.write_text("seeker,response_post,level\na,b,0\n", encoding="utf-8")
    with pytest.raises(DataError, match="lacks the column seeker_post; it has seeker, response_post, level"):
        read_epitome(folder)
    path.write_bytes(b"seeker_post,response_post,level\na,\xff,0\n")
    with pytest.raises(DataError, match="line 2: is not UTF-8"):
        read_epitome(folder)
    path.rename(folder / "explorations.csv.gz")
    with pytest.raises(DataError, match="cannot be read"):
        read_epitome(folder)
    (folder / "explorations.csv.gz").unlink()
    with pytest.raises(DataError, match="begins with 'explorations'.*found: none"):
        read_epitome(folder)


def test_a_side_without_a_class_is_refused(tmp_path: Path) -> None:
    for name in FILES:
        _write(tmp_path, [[f"post {n}", "yes", "1" if n == 0 else "0"] for n in range(60)], name)
    with pytest.raises(DataError, match=r"none of the \d+ pairs of \w+ is with .*another --seed"):
        split_by_post(read_epitome(tmp_path))
    for name in FILES:
        _write(tmp_path, [["post", "yes", "1"], ["post", "no", "0"]], name)
    with pytest.raises(DataError, match="holds no pair"):
        split_by_post(read_epitome(tmp_path))
    with pytest.raises(ValueError, match="shares"):
        SplitSettings(train=0.9, dev=0.1)
