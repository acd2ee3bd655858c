"""Audits of parallel benchmarks: is it the same question everywhere, and is it a question at all?

Checks take items and give findings; none changes anything. What an audit finds to be wrong becomes an exclusion list,
which every study takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hesperus.lazy import lazily

if TYPE_CHECKING:
    from hesperus.audits.audit import Audit, Contract, audit_items
    from hesperus.audits.audited_items import Material, task_items
    from hesperus.audits.baselines import BASELINES, Guesses, baseline_guesses
    from hesperus.audits.exclusions import exclusion_reasons, read_exclusions, write_exclusions
    from hesperus.audits.finding import KINDS, AuditSettings, Finding
    from hesperus.audits.roles import file_items

__all__ = [
    "BASELINES", "KINDS", "Audit", "AuditSettings", "Contract", "Finding", "Guesses", "Material", "audit_items",
    "baseline_guesses", "exclusion_reasons", "file_items", "read_exclusions", "task_items", "write_exclusions",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__)
