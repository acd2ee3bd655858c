"""Judging without a model: words, numbers and negation, for checks of a pipeline and quick looks."""
