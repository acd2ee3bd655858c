"""The names of measures, which are read from the text of the files: all that are declared, and no others."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules, resolve_name

from hesperus import analysis
from hesperus.analysis.measure import Measure
from hesperus.analysis.measure_names import MEASURES
from hesperus.analysis.registry import measure_of


def test_every_measure_that_is_declared_is_found_by_its_name() -> None:
    modules = [f"{analysis.__name__}.{one.name}" for one in iter_modules(analysis.__path__)]
    declared = {
        f"{name}:{attribute}": thing.name
        for name in modules
        for attribute, thing in vars(import_module(name)).items()
        if isinstance(thing, Measure) and thing.make.__module__ == name
    }
    assert sorted(declared.items()) == sorted((home, name) for name, home in MEASURES.items())
    assert next(iter(MEASURES)) == "summary", "where people begin"


def test_a_name_leads_to_its_measure() -> None:
    for name, home in MEASURES.items():
        assert measure_of(name) is resolve_name(home)
