"""What a request costs: tokens estimated before any tokenizer has seen the text, and prices from a file that a user can edit.

Tokenizers differ; the ranges span what common byte-level vocabularies of 32,000 to 200,000 tokens do with running
text. They are for planning only: what a run has used is what the endpoint counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from hesperus.errors import DataError, UnknownNameError
from hesperus.languages import language
from hesperus.strict_yaml import read_yaml_file

FREE = ("pocket/", "replay/", "hf/", "ollama/", "vllm/")
"""Providers whose models run on one's own machines; no price is looked up for them."""


@dataclass(frozen=True, slots=True)
class Price:
    """Per million tokens, in the currency of the file.

    Attributes:
        input: Of a prompt.
        output: Of a reply.
        batch: Share of both that is paid in batches; None if the file does not say.
    """

    input: float
    output: float
    batch: float | None = None


@dataclass(frozen=True, slots=True)
class Prices:
    """A price file.

    Attributes:
        currency: ISO 4217 code.
        as_of: When the prices were read off.
        models: Model name to price.
        is_batched: Whether these are the prices in batches, where they are known.
    """

    currency: str
    as_of: str
    models: Mapping[str, Price]
    is_batched: bool = False

    def in_batches(self) -> Prices:
        """What the same costs in batches; the full price where the file does not say."""
        shares = {name: 1.0 if price.batch is None else price.batch for name, price in self.models.items()}
        models = {
            name: replace(price, input=price.input * shares[name], output=price.output * shares[name])
            for name, price in self.models.items()
        }
        return replace(self, models=models, is_batched=True)

    def of(self, model: str) -> Price | None:
        """The price of a model: nothing where it runs here, None if the file does not know it."""
        return Price(0.0, 0.0) if model.startswith(FREE) else self.models.get(model)


def read_prices(path: str | Path | None = None) -> Prices:
    """Read a price file; without a path, the one that ships."""
    source = files("hesperus.studies").joinpath("prices.yaml") if path is None else Path(path)
    values = read_yaml_file(source, "price file").value
    listed = values.get("models") if isinstance(values, dict) else None
    if not isinstance(values, dict) or not isinstance(listed, dict):
        raise DataError("a price file has the keys currency, as_of and models", file=path)
    for key in values.keys() - {"currency", "as_of", "models"}:
        raise UnknownNameError(f"key of {path}", str(key), ["currency", "as_of", "models"])
    models = {str(name): _price(name, entry, path) for name, entry in listed.items()}
    return Prices(str(values.get("currency", "USD")), str(values.get("as_of", "unknown")), models)


def _price(name: object, entry: Any, path: object) -> Price:
    numbers = {}
    for key in ("input", "output", "batch"):
        value = entry.get(key) if isinstance(entry, dict) else None
        if key == "batch" and value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
            raise DataError(
                "needs input and output, each a price per million tokens, and may have batch, the share of it in batches, "
                "such as {input: 0.15, output: 0.60, batch: 0.5}",
                file=path,
                field=f"models.{name}",
            )
        numbers[key] = float(value)
    for key in entry.keys() - numbers.keys():
        raise UnknownNameError(f"key of {path}", f"models.{name}.{key}", ("input", "output", "batch"))
    return Price(**numbers)


_CHARACTERS_PER_TOKEN: dict[str, tuple[float, float]] = {
    "Latn": (2.6, 5.0), "Cyrl": (1.8, 4.2), "Grek": (1.2, 3.5), "Arab": (1.2, 3.8), "Hebr": (1.1, 3.4),
    "Hans": (0.7, 1.6), "Hant": (0.7, 1.5), "Jpan": (0.7, 1.6), "Kore": (0.6, 1.8), "Thai": (0.6, 2.8),
    "Deva": (0.7, 3.2), "Beng": (0.5, 3.0),
}  # fmt: skip
_OTHER = (0.4, 2.5)
_LENGTH_AGAINST_ENGLISH: dict[str, tuple[float, float]] = {
    "Hans": (0.25, 0.4), "Hant": (0.25, 0.4), "Jpan": (0.35, 0.55), "Kore": (0.4, 0.6),
}  # fmt: skip
_SAME_LENGTH = (0.8, 1.4)


@dataclass(frozen=True, slots=True)
class TokenRange:
    """From `low` to `high` tokens."""

    low: int
    high: int

    def __add__(self, other: TokenRange) -> TokenRange:
        return TokenRange(self.low + other.low, self.high + other.high)


NOTHING = TokenRange(0, 0)


def tokens_of(text: str, tag: str) -> TokenRange:
    """Tokens of a text in a language."""
    few, many = _CHARACTERS_PER_TOKEN.get(language(tag).script, _OTHER)
    return TokenRange(int(len(text) / many) + 1, int(len(text) / few) + 1)


def tokens_of_made(text: str, source: str, target: str) -> TokenRange:
    """Tokens of what a text in `source` will be once put into `target`."""
    short_from, long_from = _LENGTH_AGAINST_ENGLISH.get(language(source).script, _SAME_LENGTH)
    short_to, long_to = _LENGTH_AGAINST_ENGLISH.get(language(target).script, _SAME_LENGTH)
    same = language(source).script == language(target).script
    low, high = _SAME_LENGTH if same else (short_to / long_from, long_to / short_from)
    few, many = _CHARACTERS_PER_TOKEN.get(language(target).script, _OTHER)
    return TokenRange(int(len(text) * low / many) + 1, int(len(text) * high / few) + 1)
