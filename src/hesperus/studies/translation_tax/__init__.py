"""The audit of a translated benchmark: what is asked and fixed for it, and a simulator with a planted tax.

The estimates themselves are made from records, in `hesperus.reports.tax`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hesperus.lazy import lazily

if TYPE_CHECKING:
    from hesperus.studies.translation_tax.config import TaxStudy, read_study, study_from_mapping
    from hesperus.studies.translation_tax.planning import plan_study
    from hesperus.studies.translation_tax.rewriting import lost_statements, rewritten_item
    from hesperus.studies.translation_tax.running import default_folder, run_study
    from hesperus.studies.translation_tax.simulated_files import SimulatedBenchmark, simulated_benchmark
    from hesperus.studies.translation_tax.simulator import Faults, Planted, Simulated, simulate
    from hesperus.studies.translation_tax.strata import (
        Strata,
        StrataRule,
        read_strata,
        strata_of,
        write_strata,
    )
    from hesperus.studies.translation_tax.verifying import StrictPass, looked_at, low_scores, passes

__all__ = [
    "Faults",
    "Planted",
    "Simulated",
    "SimulatedBenchmark",
    "Strata",
    "StrataRule",
    "StrictPass",
    "TaxStudy",
    "default_folder",
    "looked_at",
    "lost_statements",
    "low_scores",
    "passes",
    "plan_study",
    "read_strata",
    "read_study",
    "rewritten_item",
    "run_study",
    "simulate",
    "simulated_benchmark",
    "strata_of",
    "study_from_mapping",
    "write_strata",
]

_HOMES = {
    "Faults": "simulator",
    "Planted": "simulator",
    "Simulated": "simulator",
    "SimulatedBenchmark": "simulated_files",
    "Strata": "strata",
    "StrataRule": "strata",
    "StrictPass": "verifying",
    "TaxStudy": "config",
    "default_folder": "running",
    "looked_at": "verifying",
    "lost_statements": "rewriting",
    "low_scores": "verifying",
    "passes": "verifying",
    "plan_study": "planning",
    "read_strata": "strata",
    "read_study": "config",
    "rewritten_item": "rewriting",
    "run_study": "running",
    "simulate": "simulator",
    "simulated_benchmark": "simulated_files",
    "strata_of": "strata",
    "study_from_mapping": "config",
    "write_strata": "strata",
}

__getattr__, __dir__ = lazily(__name__, _HOMES)
