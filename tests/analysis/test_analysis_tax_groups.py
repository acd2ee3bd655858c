"""The tables of an audit by groups of items: each group is what its own records give, and tests are corrected over all groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import polars as pl
import pytest

from hesperus.analysis.table import Row, Table
from hesperus.analysis.tax.back_translation import back_translation_table
from hesperus.analysis.tax.native_control import native_control_table
from hesperus.analysis.tax.naturalisation import naturalisation_table
from hesperus.analysis.tax.paired_records import Side, compared
from hesperus.analysis.tax.rating import rating_table
from hesperus.analysis.tax.tax_settings import TaxSettings
from hesperus.analysis.tax.validity import RECORDED, bounds_table, sensitive_cells, validity_table
from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.measures import Bootstrap, holm
from hesperus.studies.translation_tax.simulator import Faults, Planted, simulated_benchmark

MADE = simulated_benchmark(
    Planted(
        items=60, native=40, groups={"english": 2, "chinese": 1}, tax={"english": 0.4}, gain={"english": 0.1},
        faults=Faults(noisy=0.1, misaligned=0.1, validity={"chinese/1": 0.5}), seed=5,
    )
)  # fmt: skip
RECORDS = MADE.records.filter(pl.col("task") == "simulated")
NATIVE = MADE.records.filter(pl.col("task") != "simulated")
BOOTSTRAP = Bootstrap(200, 42)
MODELS = {"english": ("english/1", "english/2"), "chinese": ("chinese/1",)}
ITEMS = RECORDS["item"].unique().sort().to_list()
STRATA = {"high": ITEMS[:20], "low": ITEMS[20:45]}

Make = Callable[[pl.DataFrame, pl.DataFrame, TaxSettings], Table]


def _ratings(records: pl.DataFrame) -> pl.DataFrame:
    return MADE.ratings.filter(pl.col("unit").is_in(records["item"].unique().implode()))


TABLES: Mapping[str, Make] = {
    "back_translation": lambda own, _, settings: back_translation_table(
        compared(own, Side("en"), Side("en_from_zh"), by=settings.by), settings
    ),
    "native_control": lambda own, native, settings: native_control_table(
        own, native, (Side("zh"), Side("zh")), settings=settings
    ),
    "naturalisation": lambda own, _, settings: naturalisation_table(
        own, (Side("zh~natural"), Side("zh")), STRATA, passed={"verifier": ITEMS[:30]}, settings=settings
    ),
    "rating": lambda own, _, settings: rating_table(
        compared(own, Side("en"), Side("en_from_zh"), by=settings.by), _ratings(own), settings=settings
    ),
    "bounds": lambda own, _, settings: bounds_table(
        {"E1": compared(own, Side("en"), Side("en_from_zh"), by=settings.by)}, settings=settings
    ),
    "parsers": lambda own, _, settings: validity_table({RECORDED: own}, settings=settings),
}
DRAWN = ("p", "p_holm")
"""Of small p values more permutations are drawn where more tests are corrected together."""


def _in_subjects(records: pl.DataFrame, *, count: int = 3) -> pl.DataFrame:
    """Some groups, so that each has items of both strata and of either set."""
    number = pl.col("item").str.extract(r"(\d+)$").cast(pl.Int64) % count
    return records.with_columns(subject=pl.format("subject {}", number))


OWN, OTHER = _in_subjects(RECORDS), _in_subjects(NATIVE)


def _grouped(name: str) -> Table:
    return TABLES[name](OWN, OTHER, TaxSettings(MODELS, BOOTSTRAP, by=("subject",)))


@pytest.mark.parametrize("name", TABLES)
def test_a_group_has_the_numbers_of_its_own_records(name: str) -> None:
    found = _grouped(name)
    assert found.columns[0] == "subject" and found.signature["TaxSettings"]["by"] == ["subject"]  # type: ignore[index]
    for subject in ("subject 0", "subject 1", "subject 2"):
        parts = [frame.filter(pl.col("subject") == subject) for frame in (OWN, OTHER)]
        alone = TABLES[name](parts[0], parts[1], TaxSettings(MODELS, BOOTSTRAP))
        rows = [row for row in found.rows if row["subject"] == subject]
        assert [_without(row, "subject", *DRAWN) for row in rows] == [
            _without(row, *DRAWN) for row in alone.rows
        ]
        tests = [(row["p"], other["p"]) for row, other in zip(rows, alone.rows, strict=True) if "p" in row]
        assert all((one is None) == (other is None) for one, other in tests)
        assert all(one == pytest.approx(other, abs=0.08) for one, other in tests if one is not None)


def _without(row: Row, *names: str) -> dict[str, object]:
    return {name: value for name, value in row.items() if name not in names}


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("back_translation", lambda row: row["analysis"]),
        ("naturalisation", lambda row: row["analysis"]),
        ("native_control", lambda row: bool(row["model"])),
        ("rating", lambda _: None),
    ],
)
def test_tests_are_corrected_over_the_groups(name: str, family: Callable[[Row], object]) -> None:
    rows = [row for row in _grouped(name).rows if row["p"] is not None]
    families: dict[object, list[Row]] = {}
    for row in rows:
        families.setdefault(family(row), []).append(row)
    for own in families.values():
        assert {row["subject"] for row in own} == {"subject 0", "subject 1", "subject 2"}
        assert [row["p_holm"] for row in own] == pytest.approx(holm([row["p"] for row in own]))


def test_the_tax_of_a_group_is_what_counting_gives() -> None:
    """Recomputed from the rows, with no code of the project."""
    answers = {
        (row["model"], row["item"], row["input"]): row for row in OWN.filter(pl.col("repeat") == 1).to_dicts()
    }
    for row in _grouped("back_translation").rows:
        if (row["statistic"], row["analysis"]) not in (("tax", "cell"), ("tax", "clustered")):
            continue
        models = [row["model"]] if row["model"] else MODELS.get(row["group"], sum(MODELS.values(), ()))
        lost, won, pairs, items = 0, 0, 0, set()
        for (model, item, sense), first in answers.items():
            second = answers[model, item, "en_from_zh"]
            if sense != "en" or first["subject"] != row["subject"] or model not in models:
                continue
            if {first["outcome"], second["outcome"]} != {"answered"} or first["gold"] != second["gold"]:
                continue
            before, after = (one["answer"] == one["gold"] for one in (first, second))
            lost, won, pairs = lost + (before and not after), won + (after and not before), pairs + 1
            items.add(item)
        assert (row["positive"], row["negative"], row["n"]) == (lost, won, len(items))
        assert row["value"] == pytest.approx((lost - won) / pairs)


def test_a_side_that_does_not_say_the_group_is_in_the_group_of_its_item() -> None:
    silent = OWN.with_columns(subject=pl.when(pl.col("input") == "en").then(pl.col("subject")))
    settings = TaxSettings(MODELS, BOOTSTRAP, by=("subject",))
    assert TABLES["back_translation"](silent, OTHER, settings).rows == _grouped("back_translation").rows
    unknown = OWN.with_columns(subject=pl.when(pl.col("subject") != "subject 0").then(pl.col("subject")))
    found = TABLES["back_translation"](unknown, OTHER, settings)
    assert list(dict.fromkeys(row["subject"] for row in found.rows)) == [None, "subject 1", "subject 2"]


def test_a_group_in_one_set_alone_has_no_gap_and_says_so() -> None:
    few = OTHER.filter(pl.col("subject") != "subject 1")
    found = TABLES["native_control"](OWN, few, TaxSettings(MODELS, BOOTSTRAP, by=("subject",)))
    gaps = [row for row in found.rows if (row["subject"], row["statistic"]) == ("subject 1", "gap")]
    assert len(gaps) == 5 and all(row["value"] is None and row["reason"] for row in gaps)


@pytest.mark.parametrize(
    ("by", "error", "says"),
    [
        ("field", UnknownNameError, "unknown column: 'field'"),
        ("input", UsageError, "every row says its input anyway"),
        ("group", UsageError, "a column 'group' of its own"),
        ("reply", DataError, "has several values of 'reply'"),
    ],
)
def test_what_cannot_be_a_group_is_refused(by: str, error: type[Exception], says: str) -> None:
    records = OWN.with_columns(group=pl.lit("x"), reply=pl.col("input"))
    with pytest.raises(error, match=says):
        TABLES["back_translation"](records, OTHER, TaxSettings(MODELS, BOOTSTRAP, by=(by,)))


def test_cells_that_depend_on_the_parser_name_their_group() -> None:
    lines: Sequence[str] = sensitive_cells(_grouped("parsers"))
    assert lines and all(line.startswith("subject ") for line in lines)


def test_a_clear_effect_survives_the_correction_over_many_groups() -> None:
    """A p value of 200 permutations is at least 0.005, which 40 groups would lift to 0.2."""
    rows = [
        {**row, "item": f"{row['item']}-{copy}", "subject": f"subject {copy}"}
        for copy in range(40)
        for row in _all_lost(RECORDS.filter(pl.col("item").is_in(ITEMS[:20])))
    ]
    found = TABLES["back_translation"](
        pl.DataFrame(rows, schema_overrides=RECORDS.schema), OTHER, TaxSettings(bootstrap=BOOTSTRAP, by=("subject",))
    )  # fmt: skip
    pooled = [row for row in found.rows if row["analysis"] == "clustered"]
    assert len(pooled) == 40 and all(row["p_holm"] < 0.05 for row in pooled)


def _all_lost(records: pl.DataFrame) -> list[dict[str, object]]:
    """Records of models that are right on the original and wrong on what came back."""
    wrong = pl.col("options").list.set_difference(pl.concat_list("gold")).list.first()
    answer = pl.when(pl.col("input") == "en").then(pl.col("gold")).otherwise(wrong)
    return records.with_columns(
        answer=answer, outcome=pl.lit("answered"), gold=pl.col("gold").first().over("item")
    ).to_dicts()
