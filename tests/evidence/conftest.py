"""Bundles of the small demo, each made once for all tests that only read it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from forgery import MakeBundle

import hesperus as hs
from hesperus.api.bundling import Bundled


@pytest.fixture(scope="session")
def bundled(demo_runs: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> MakeBundle:
    """Makes the bundle of a study with some settings; read it in place."""
    folder = tmp_path_factory.mktemp("bundles")

    @cache
    def made(study: str, **settings: object) -> Bundled:
        name = "-".join([study, *map(str, settings.values())])
        return hs.bundle(demo_runs[study], folder / f"{name}.zip", **settings)  # type: ignore[arg-type]

    return made
