"""From records to tables of numbers: settings, pairing, grouping. No words for people, no chart, no color."""

from hesperus.analysis.settings import (
    DEFAULT,
    DEFAULT_BOOTSTRAP,
    NOTHING_GIVEN,
    GivenSettings,
    MeasureSettings,
    agreed_settings,
    resolve,
    resolve_bootstrap,
    resolve_settings,
    selected,
    study_settings,
)

__all__ = [
    "DEFAULT",
    "DEFAULT_BOOTSTRAP",
    "NOTHING_GIVEN",
    "GivenSettings",
    "MeasureSettings",
    "agreed_settings",
    "resolve",
    "resolve_bootstrap",
    "resolve_settings",
    "selected",
    "study_settings",
]
