"""Through the whole command, κ_p of every two languages and of every two models is what the pocket models were planted with."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
import yaml

from command_line import hesperus
from hesperus.models.pocket import beliefs

MODELS = ("pocket/s", "pocket/m", "pocket/l")
LANGUAGES = {
    "generate": ("en", "ar", "zh"),
    "logprobs": ("en", "sw"),
}
OPTIONS = 4

Row = Mapping[str, object]


@pytest.fixture(scope="module", params=["generate", "logprobs"])
def pairs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    """The table of all pairs, as `hesperus run` prints it; labels are compared, whichever way they came about."""
    folder = tmp_path_factory.mktemp("planted")
    study = {
        "study": "similarity", "task": "atlas", "models": list(MODELS), "languages": list(LANGUAGES[request.param]),
        "scoring": request.param, "answers": {"temperature": 0, "max_tokens": 8},
        # Many intervals are looked at, and every one has to hold the planted value.
        "comparison": {"answers": "hard", "permutations": 9, "bootstrap": {"level": 0.999}},
    }  # fmt: skip
    (folder / "study.yaml").write_text(yaml.safe_dump(study), encoding="utf-8")
    words = ("run", "study.yaml", "--out", "run", "--quiet", "--format", "json", "--table", "similarity")
    done = hesperus(*words, cwd=folder)
    assert done.returncode == 0, done.stderr
    found: list[Row] = json.loads(done.stdout)["rows"]
    return found


def predicted(one: Mapping[str, int], other: Mapping[str, int]) -> float | None:
    """κ_p of two rows of beliefs: 0 is the gold, other digits are the wrong options; None where it is undefined."""
    same = sum(one[fact] == other[fact] for fact in one) / len(one)
    right = [sum(belief == 0 for belief in row.values()) / len(row) for row in (one, other)]
    chance = right[0] * right[1] + (1 - right[0]) * (1 - right[1]) / (OPTIONS - 1)
    return None if chance == 1.0 else (same - chance) / (1 - chance)


def test_similarity_is_the_planted_one_in_every_pair(pairs: list[Row]) -> None:
    planted = {f"pocket/{size}": row for size, row in beliefs().items()}
    outside, within, between, undefined = [], 0, 0, 0
    tags = {str(row[side]).rpartition("=")[2] for row in pairs for side in ("a", "b")}
    apart: list[float] = []
    for row in pairs:
        sides = [(str(row[f"model_{side}"]), str(row[side]).rpartition("=")[2]) for side in ("a", "b")]
        truth = predicted(*(planted[model][language] for model, language in sides))
        within += sides[0][0] == sides[1][0]
        between += sides[0][1] == sides[1][1]
        if row["value"] is None or truth is None:
            undefined += 1
            continue
        apart.append(abs(float(str(row["value"])) - truth))
        low, high = float(str(row["low"])), float(str(row["high"]))
        if not low - 0.01 <= truth <= high + 0.01:
            outside.append((sides, truth, row["value"], low, high))
    assert tags in map(set, LANGUAGES.values())
    assert (within, between) == (3 * len(tags) * (len(tags) - 1) / 2, 3 * len(tags))
    assert undefined <= 12, "only pairs in which both know everything have no value"
    assert not outside, outside
    assert sum(apart) / len(apart) < 0.03
