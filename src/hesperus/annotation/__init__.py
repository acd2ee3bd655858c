"""People as an instrument: what raters are asked, the page on which they answer, and what comes of it.

The parts are loaded when they are first used; importing this room costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hesperus.lazy import lazily

if TYPE_CHECKING:
    from hesperus.annotation.adjudication import decisions, progress
    from hesperus.annotation.corrections import write_corrections
    from hesperus.annotation.exporting import decisions_table, log_table, ratings_table
    from hesperus.annotation.importing import import_file
    from hesperus.annotation.label_studio import write_label_studio
    from hesperus.annotation.links import link
    from hesperus.annotation.mailing import write_mailed
    from hesperus.annotation.scales import Judgement, read_scaled
    from hesperus.annotation.scheme import read_scheme, scheme_text, schemes
    from hesperus.annotation.server import create_app, serve
    from hesperus.annotation.snippets import snippets_frame
    from hesperus.annotation.sources import Source, sheet_from
    from hesperus.annotation.store import RatingStore, create_store
    from hesperus.annotation.unit_tables import Draw, Mapped, first_line, read_frame, units_from_frame
    from hesperus.annotation.units import Sheet, Text, Unit
    from hesperus.annotation.units_of_runs import changed_frame, readings_frame, sides_frame

__all__ = [
    "Draw", "Judgement", "Mapped", "RatingStore", "Sheet", "Source", "Text", "Unit", "changed_frame", "create_app",
    "create_store", "decisions", "decisions_table", "first_line", "import_file", "link", "log_table", "progress",
    "ratings_table", "read_frame", "read_scaled", "read_scheme", "readings_frame", "scheme_text", "schemes", "serve",
    "sheet_from", "sides_frame", "snippets_frame", "units_from_frame", "write_corrections", "write_label_studio",
    "write_mailed",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__)
