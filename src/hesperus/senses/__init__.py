"""How a question is put: layouts, instructions in parts, and the making of other senses.

A *layout* says where the parts of an instruction and the fields of an item are in a prompt. A *sense maker* puts a
text in another way: translated, reworded, or rewritten by a rule. This room knows neither tasks nor models: it takes
plain values, and whoever calls it hands in the function that asks a model.
"""

from __future__ import annotations

from hesperus.senses.choice_options import clean_option
from hesperus.senses.inputs import item_texts, remake_item
from hesperus.senses.layout import placeholders, render
from hesperus.senses.makers import (
    SenseMaker,
    make_senses,
    naturalise,
    paraphrase,
    requests,
    translate,
)
from hesperus.senses.parts import instruction_parts, recompose
from hesperus.senses.quotes import trim_quotes

__all__ = [
    "SenseMaker", "clean_option", "instruction_parts", "item_texts", "make_senses",
    "naturalise", "paraphrase", "placeholders", "recompose", "remake_item", "render", "requests", "translate",
    "trim_quotes",
]  # fmt: skip
