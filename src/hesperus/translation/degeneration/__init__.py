"""What is wrong with a translation that can be told without reading it: it repeats, is cut off, is no translation."""

from __future__ import annotations

from hesperus.translation.degeneration.faults import (
    FAULT_KINDS,
    Fault,
    FaultKind,
    FaultSettings,
    faults,
    severity,
)

__all__ = ["FAULT_KINDS", "Fault", "FaultKind", "FaultSettings", "faults", "severity"]
