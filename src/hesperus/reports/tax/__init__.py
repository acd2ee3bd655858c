"""Tables of the audit of a translated benchmark; all of them only read records and what stands beside them."""

from __future__ import annotations

from importlib import import_module

__all__ = [
    "Gate",
    "TaxSettings",
    "back_translation_table",
    "back_translation_summary",
    "native_control_table",
]
__all__.sort(key=lambda name: (name[0].islower(), name))
