"""Logs of other tools as records: lm-evaluation-harness, Inspect, HELM, lighteval, promptfoo, any long table.

The parts are loaded when they are first used; importing this room costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hesperus.lazy import lazily

if TYPE_CHECKING:
    from hesperus.records.importers.import_settings import Imported, ImportSettings, LeftOut
    from hesperus.records.importers.importing_logs import check_place, import_logs, save_imported
    from hesperus.records.importers.known_importers import TOOLS, Importer

__all__ = [
    "TOOLS", "ImportSettings", "Imported", "Importer", "LeftOut", "check_place", "import_logs",
    "save_imported",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__)
