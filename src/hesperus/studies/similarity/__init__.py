"""Functional similarity: which runs make the same mistakes, within a model across languages and between models."""
