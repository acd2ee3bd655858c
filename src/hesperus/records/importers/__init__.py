"""Logs of other tools as records: lm-evaluation-harness, Inspect, HELM, lighteval, promptfoo, any long table.

The parts are loaded when they are first used; importing this room costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hesperus.lazy import lazily

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

__getattr__, __dir__ = lazily(__name__, _HOMES)
