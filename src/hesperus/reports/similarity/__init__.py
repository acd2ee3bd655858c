"""The report of a similarity study: findings, figures, words, tables and the page."""

__all__: list[str] = []
