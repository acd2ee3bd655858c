"""From a translator's name to the translator. Built-in makers and those of other packages come through one door.

A maker is a function ``(name, options) -> Translator``. A package offers one under the entry-point group
``hesperus.translators``; the entry point's name is the prefix.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hesperus import plugins
from hesperus.errors import UnknownNameError, UsageError
from hesperus.translation.translator import Translator
from hesperus.translation.translators.translator_options import TranslatorOptions

Maker = Callable[[str, TranslatorOptions], Translator]

GROUP = "hesperus.translators"


def translator(name: str, options: TranslatorOptions | None = None) -> Translator:
    """The translator of that name. Weights are loaded and processes started with the first text.

    Args:
        name: ``apertium``, ``apertium/MODE``, ``ct2/FOLDER``, ``hf/ORG/NAME`` or ``hf/FOLDER``, ``file/PATH``, ``none``.
        options: How it is made and run.

    Raises:
        UnknownNameError: No such translator, or no such mode of Apertium.
        UsageError: The name or the options cannot be used.
        DataError: The folder or file that it names is no such thing.
        MissingExtraError: It needs a package that is not installed.
    """
    prefix, slash, rest = name.partition("/")
    make = plugins.maker(GROUP, prefix, _MAKERS)
    if make is None:
        raise UnknownNameError(
            "translator",
            name,
            translators(),
            "`hesperus translators` lists them; names look like apertium or ct2/FOLDER",
        )
    if prefix in _NEED_A_NAME and not (slash and rest):
        raise UsageError(f"translator {name!r} names a kind only; write {_NEED_A_NAME[prefix]}")
    return make(name, options if options is not None else TranslatorOptions())


def translators() -> tuple[str, ...]:
    """What names may begin with, sorted, plugins included."""
    return plugins.names(GROUP, _MAKERS)


def _apertium(name: str, options: TranslatorOptions) -> Translator:
    from hesperus.translation.translators.apertium import ApertiumTranslator

    return ApertiumTranslator(name.partition("/")[2] or None, patience=options.patience)


def _ctranslate2(name: str, options: TranslatorOptions) -> Translator:
    from hesperus.translation.translators.ctranslate2 import CTranslate2Translator

    return CTranslate2Translator(Path(name.partition("/")[2]), options)


def _transformers(name: str, options: TranslatorOptions) -> Translator:
    from hesperus.translation.translators.transformers import TransformersTranslator

    return TransformersTranslator(name.partition("/")[2], options)


def _ready(name: str, options: TranslatorOptions) -> Translator:
    from hesperus.translation.translators.files import FileTranslator, IdentityTranslator

    return IdentityTranslator() if name == "none" else FileTranslator(Path(name.partition("/")[2]))


_MAKERS: dict[str, Maker] = {
    "apertium": _apertium,
    "ct2": _ctranslate2,
    "file": _ready,
    "hf": _transformers,
    "none": _ready,
}
_NEED_A_NAME = {"ct2": "ct2/FOLDER", "file": "file/PATH", "hf": "hf/ORG/NAME"}
