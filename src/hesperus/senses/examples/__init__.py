"""Sense-makers by rule, as patterns for your own: arithmetic said in words, a Python function written another way.

Neither asks a model, and neither runs what it is given.
"""

from __future__ import annotations

from hesperus.senses.examples.arithmetic import arithmetic_in_words
from hesperus.senses.examples.python_code import python_rewritten

__all__ = ["arithmetic_in_words", "python_rewritten"]
