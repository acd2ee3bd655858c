from __future__ import annotations

import doctest
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import hesperus.measures


def test_everything_public_exists() -> None:
    for file in Path(hesperus.measures.__path__[0]).glob("[a-z]*.py"):
        import_module(f"hesperus.measures.{file.stem}")
    names = dir(hesperus.measures)
    assert {"consistency", "kappa_p_statistic", "mantel_tests", "Bootstrap"} <= set(names)
    for name in names:
        found = getattr(hesperus.measures, name)
        assert found is not None and not isinstance(found, ModuleType), (
            f"{name} is hidden by the file of its name"
        )
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        hesperus.measures.nonsense  # noqa: B018


def test_measuring_loads_neither_scipy_nor_polars() -> None:
    code = (
        "import sys, hesperus.measures as m, numpy as np;"
        "a = np.zeros(3, np.int32); m.consistency(a, a, bootstrap=m.Bootstrap(10));"
        "print([n for n in ('scipy', 'polars', 'pydantic') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "name",
    [
        "alpha",
        "consistency",
        "correctness",
        "correlation",
        "intervals",
        "multiplicity",
        "pair_bootstrap",
        "relations",
        "tests",
    ],
)
def test_the_examples_in_the_docstrings_run(name: str) -> None:
    failures, tried = doctest.testmod(import_module(f"hesperus.measures.{name}"))
    assert tried and not failures
