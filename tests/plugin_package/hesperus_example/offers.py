"""One thing of every kind that a plug-in can offer, each as small as it can be."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from hesperus.analysis.measure import Statistic, measure
from hesperus.analysis.table import ESTIMATE_COLUMNS, Table, estimate_cells
from hesperus.evaluators.properties.profiles import Profiles
from hesperus.records.importers import Importer
from hesperus.records.importers.import_settings import LOG_COLUMNS, Log
from hesperus.reports.blocks import note
from hesperus.reports.study_pages import ready_report
from hesperus.senses import SenseMaker
from hesperus.studies.asked.answering import AskSettings, senses_of
from hesperus.studies.asked.declaring import Declared
from hesperus.studies.asked.keeping import items_of
from hesperus.studies.asked.material import gather
from hesperus.studies.asked.session import models_named
from hesperus.studies.asked.stages import Answer, Course, Outcome
from hesperus.studies.asked.study_cells import original_cells
from hesperus.types import Estimate, Reply

SHOUT = SenseMaker("shout", None, lambda text, original: text.upper())
TIDES = Path(__file__).with_name("tides.yaml")
ESPERANTO = Path(__file__).with_name("eo.yaml")


class Parrot:
    """A model that always says A."""

    batch_size = 64

    def __init__(self, name):
        self.name, self.identity = name, {"protocol": "parrot"}

    def replies(self, requests):
        """The same to every request."""
        return [Reply("A") for _ in requests]


def parrot(name, options):
    """The model of a name."""
    return Parrot(name)


class Swap:
    """A translator that swaps the case of letters."""

    name, identity = "swap", MappingProxyType({"translator": "swap"})

    def supports(self, source, target):
        """Every pair."""
        return True

    def translate(self, texts, source, target, decoding=None):
        """Texts with their case swapped."""
        return [text.swapcase() for text in texts]


def swap(name, options):
    """The translator."""
    return Swap()


@measure(
    "counted",
    help="How many records each model has.",
    statistics={"records": Statistic("count", "Rows of the records.", "Records")},
)
def counted(records, settings):
    """How many records each model has."""
    rows = [
        {"model": str(model), "statistic": "records", **estimate_cells(Estimate(count, n=count))}
        for model, count in records.group_by("model").len().sort("model").iter_rows()
    ]
    return Table("counted", ("model", "statistic", *ESTIMATE_COLUMNS), tuple(rows), settings.signed())


class Exclaims:
    """Whether a text has an exclamation mark."""

    name, properties, needs_context = "exclaims", ("exclaims",), False
    levels: Mapping[str, Sequence[str]] = {"exclaims": ("no", "yes")}
    missing: Mapping[str, int] = {}

    def signature(self):
        """Its name."""
        return {"classifier": "exclaims"}

    def profiles(self, texts, contexts=None):
        """0 or 1 for each text."""
        return Profiles(
            np.array([[int("!" in text)] for text in texts], dtype=np.int32).reshape(-1, 1),
            ("",) * len(texts),
        )


def read_bars(source, settings):
    """Lines of item|answer|gold."""
    cells = [line.split("|") for line in source.path.read_text(encoding="utf-8").splitlines()]
    rows = [
        {"item": item, "repeat": 1, "outcome": "answered", "answer": answer, "gold": gold}
        for item, answer, gold in cells
    ]
    frame = pl.DataFrame([{name: row.get(name) for name in LOG_COLUMNS} for row in rows], schema=LOG_COLUMNS)
    return [Log("bars", source.place, "bars/model", settings.task or "bars", "en", frame, basis="given")], []


BARS = Importer(read_bars, name=re.compile(r".+\.bars"))


class OnceStudy(Declared):
    """Every question is asked once."""

    study: Literal["once"] = "once"
    """Which study it is."""
    language: str = "en"
    """Language to ask in."""
    stages_in: ClassVar[str] = __name__
    help: ClassVar[str] = "asks every question once."
    tables: ClassVar[tuple[str, ...]] = ("counted",)
    next_commands: ClassVar[tuple[str, ...]] = ("hesperus measure counted {run}",)


def course(study, *, folder=None):
    """Load the items."""
    material = gather(study, (study.language,))
    return Course(material, models_named(study.models, study), _stages(study, material))


def _stages(study, material):
    how, frames = AskSettings(study.system, study.answers.settings()), []
    for model in study.models:
        frames.append(
            (yield Answer(model, original_cells((study.language,)), senses_of(material), how, material))
        )
    return lambda: Outcome(pl.concat(frames), items_of(material))


def once_page(inputs):
    """What the page of the study shows."""
    records = inputs.run.records
    return ready_report("Every question once", [note(f"{len(records)} answers by one parrot.")])


HESPERUS = {
    "evaluators": {"exclaims": Exclaims},
    "importers": {"bars": BARS},
    "languages": {"eo": ESPERANTO},
    "measures": {"counted": counted},
    "models": {"parrot": parrot},
    "pages": {"once": once_page},
    "senses": {"shout": SHOUT},
    "studies": {"once": OnceStudy},
    "tasks": {"tides": TIDES},
    "translators": {"swap": swap},
}
