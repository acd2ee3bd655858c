"""Who is asked and at whose expense: models, reply store, policies and one purse for a whole study."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hesperus.asking import Budget, Policy, Prices, Progress, ReplyStore, Spending, ask
from hesperus.errors import UnknownNameError, UsageError
from hesperus.models import Model, ModelOptions
from hesperus.models import model as model_named
from hesperus.studies.multisense.config import MultisenseStudy
from hesperus.studies.multisense.design import Design
from hesperus.studies.prices import read_prices
from hesperus.types import Failure, Reply, Request

Watch = Callable[[str, Progress], None]
"""Called with the name of a stage and how far it is."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What asking needs: the models by name, the store, the policy and one purse for all.

    Attributes:
        models: Every model that the study asks, makers included.
        store: Where replies are kept.
        policies: How hard each is asked.
        spending: What the whole run has spent.
        watch: Hears of the progress, or None.
    """

    models: Mapping[str, Model]
    store: ReplyStore
    policies: Mapping[str, Policy]
    spending: Spending
    watch: Watch | None

    def ask(self, requests: Sequence[Request], stage: str) -> list[Reply | Failure]:
        """Ask each request of the model that it names; results in order."""
        results: dict[int, Reply | Failure] = {}
        watch = self.watch
        for name in dict.fromkeys(request.model for request in requests):
            places = [i for i, request in enumerate(requests) if request.model == name]
            replies = ask(
                self.models[name],
                [requests[i] for i in places],
                store=self.store,
                policy=self.policies[name],
                progress=(lambda state: watch(stage, state)) if watch else None,
                spending=self.spending,
            )
            results.update(zip(places, replies, strict=True))
        return [results[i] for i in range(len(requests))]


def models_of(study: MultisenseStudy, plan: Design) -> dict[str, Model]:
    """Every model that the study asks, by name.

    Raises:
        UnknownNameError: A model, or a maker behind `@`, that does not exist.
    """
    for sense in plan.made:
        if sense.maker and "/" not in sense.maker:
            raise UnknownNameError(
                "maker", sense.maker, study.models, f"in the sense {sense.code!r}; write provider/name"
            )
    names = dict.fromkeys([*study.models, *(sense.maker for sense in plan.made if sense.maker)])
    return {name: model_named(name, _options(name, study)) for name in names}


def _options(name: str, study: MultisenseStudy) -> ModelOptions:
    local = name.startswith(("pocket/", "replay/", "scripted"))
    return ModelOptions() if local else ModelOptions(base_url=study.base_url)


def policies_of(study: MultisenseStudy, models: Mapping[str, Model]) -> dict[str, Policy]:
    """How hard each model is asked, with the budget in its prices.

    Raises:
        UsageError: A budget in money, and no price for a model.
    """
    limits = study.budget
    prices = read_prices(study.prices)
    policies = {}
    for name in models:
        price = prices.of(name)
        if limits.money is not None and price is None:
            raise UsageError(
                f"a budget in money needs a price for {name}: put it into a price file and give it with --prices"
            )
        known = Prices(price.input, price.output) if price else None
        policies[name] = Policy(
            concurrency=study.concurrency,
            budget=Budget(limits.requests, limits.tokens, limits.money, known),
        )
    return policies
