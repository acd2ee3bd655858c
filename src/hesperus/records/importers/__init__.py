"""Logs of other tools as records: lm-evaluation-harness, Inspect, HELM, lighteval, promptfoo, any long table.

The parts are loaded when they are first used; importing this room costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hesperus.records.importers.reading import import_logs
    from hesperus.records.importers.saving import check_place, save_imported
    from hesperus.records.importers.settings import TOOLS, Imported, ImportSettings, LeftOut

__all__ = ["TOOLS", "ImportSettings", "Imported", "LeftOut", "check_place", "import_logs", "save_imported"]

_HOMES = {
    "TOOLS": "settings",
    "ImportSettings": "settings",
    "Imported": "settings",
    "LeftOut": "settings",
    "check_place": "saving",
    "import_logs": "reading",
    "save_imported": "saving",
}


def __getattr__(name: str) -> object:
    """Load the file in which a public name lives."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
