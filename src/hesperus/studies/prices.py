"""What a request costs: tokens estimated before any tokenizer has seen the text, and prices from a file that a user can edit.

Tokenizers differ; the ranges span what common byte-level vocabularies of 32,000 to 200,000 tokens do with running
text. They are for planning only: what a run has used is what the endpoint counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from hesperus.errors import DataError
from hesperus.languages import language
from hesperus.model_faults import validated
from hesperus.strict_yaml import read_yaml_file

FREE = ("pocket/", "replay/", "hf/", "ollama/", "vllm/")
"""Providers whose models run on one's own machines; no price is looked up for them."""


_KEPT = ConfigDict(extra="forbid", frozen=True, coerce_numbers_to_str=True)


class Price(BaseModel):
    """Per million tokens, in the currency of the file.

    Attributes:
        input: Of a prompt.
        output: Of a reply.
        batch: Share of both that is paid in batches; None if the file does not say.
    """

    model_config = _KEPT

    input: float = Field(ge=0, strict=True)
    output: float = Field(ge=0, strict=True)
    batch: float | None = Field(default=None, ge=0, strict=True)


class Prices(BaseModel):
    """A price file.

    Attributes:
        currency: ISO 4217 code.
        as_of: When the prices were read off.
        models: Model name to price.
    """

    model_config = _KEPT

    currency: str = "USD"
    as_of: str = "unknown"
    models: Mapping[str, Price]

    def in_batches(self) -> Prices:
        """What the same costs in batches; the full price where the file does not say."""
        models = {}
        for name, price in self.models.items():
            share = 1.0 if price.batch is None else price.batch
            scaled = {"input": price.input * share, "output": price.output * share}
            models[name] = price.model_copy(update=scaled)
        return self.model_copy(update={"models": models})

    def of(self, model: str) -> Price | None:
        """The price of a model: nothing where it runs here, None if the file does not know it."""
        return Price(input=0.0, output=0.0) if model.startswith(FREE) else self.models.get(model)


def read_prices(path: str | Path | None = None) -> Prices:
    """Read a price file; without a path, the one that ships."""
    source = files("hesperus.studies").joinpath("prices.yaml") if path is None else Path(path)
    document = read_yaml_file(source, "price file")
    if not isinstance(document.value, dict):
        raise DataError("a price file has the keys currency, as_of and models", file=path)
    return validated(Prices, document.value, document.lines, path)


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
