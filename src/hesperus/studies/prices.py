"""What tokens cost: a YAML file that a user can edit. Models that run here cost nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from hesperus.errors import DataError, UnknownNameError
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
    """Read a price file; without a path, the one that ships.

    Raises:
        UsageError: No such file.
        DataError: A value of the wrong kind.
        UnknownNameError: A key that does not exist.
    """
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
