"""Who is asked, and within which budget: models, reply store, policies and one budget for a whole study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path

from hesperus.asking import (
    Batching,
    Budget,
    Policy,
    Prices,
    Progress,
    ReplyStore,
    Spending,
    ask,
    ask_in_parts,
    held,
)
from hesperus.asking.engines import Engine, opened_engine
from hesperus.asking.progress import Report
from hesperus.asking.shards import Shard
from hesperus.errors import PendingError, UsageError
from hesperus.fingerprint import JSON, plain
from hesperus.models import Model, ModelOptions
from hesperus.models import model as model_named
from hesperus.models.protocol import DEFAULT_TOKENS
from hesperus.studies.asked.declaring import Terms
from hesperus.studies.asked.sharding import Stores
from hesperus.studies.asked.study_files import check_known, with_masked_endpoint, without_endpoint
from hesperus.studies.prices import read_prices
from hesperus.types import Failure, Reply, Request, Settings

ProgressCallback = Callable[[str, Progress], None]
"""Called with the name of a stage and how far it is."""

_LOCAL_TOKENS = 256
_FIRST = 3
"""Questions by which a model shows whether it can be asked in a way."""
_NO_LOGPROBS = frozenset({"http_400", "http_422", "no_logprobs", "option_not_shown", "unsupported"})


@dataclass(frozen=True, slots=True)
class ModelSession:
    """What asking needs: the models by name, the store, the policies and one budget for all.

    Attributes:
        models: Every model that the study asks, makers and judges included.
        store: Where replies are kept.
        policies: How hard each is asked.
        spending: What the whole run has spent.
        watch: Hears of the progress, or None.
        failures: Kind of failure to the requests that got no reply.
    """

    models: Mapping[str, Model]
    store: ReplyStore
    policies: Mapping[str, Policy]
    spending: Spending
    watch: ProgressCallback | None
    failures: Counter[str] = field(default_factory=Counter)

    def ask(self, requests: Sequence[Request], stage: str) -> list[Reply | Failure]:
        """Ask each request of the model that it names; each is answered from the store or, once, by the model.

        Args:
            requests: What is asked; `Request.model` says whom.
            stage: Name of the stage, for whoever watches.

        Returns:
            Reply or Failure for each request, in the order of the requests.

        Raises:
            ModelError: An endpoint fails every request alike.
            BudgetReachedError: The budget leaves requests unasked; what was answered is kept.
            PendingError: They were handed over as batches, to every model, and are not answered yet.
        """
        results: dict[int, Reply | Failure] = {}
        pending = list[str]()
        for name in dict.fromkeys(request.model for request in requests):
            places = [i for i, request in enumerate(requests) if request.model == name]
            try:
                replies = ask(
                    self.models[name],
                    [requests[i] for i in places],
                    store=self.store,
                    policy=self.policies[name],
                    progress=self._told(stage),
                    spending=self.spending,
                )
            except PendingError as error:
                pending.append(str(error))
                continue
            results.update(zip(places, self._noted(name, replies), strict=True))
        if pending:
            raise PendingError(f"{stage}: {'; '.join(pending)}")
        return [results[i] for i in range(len(requests))]

    def ask_in_parts(
        self, model: str, requests: Iterable[Request], count: int, stage: str, *, tokens: int | None
    ) -> Generator[list[Reply | Failure]]:
        """Ask one model requests of which few are held at a time; replies come in their order.

        Args:
            model: Who is asked.
            requests: What is asked.
            count: How many they are, about.
            stage: Name of the stage.
            tokens: Longest reply, in tokens, of a second try where the first was cut off before any answer; None asks once.

        Yields:
            Reply or Failure of some of them. Close it where it is not used up.

        Raises:
            HesperusError: As of `ask`.
        """
        parts = ask_in_parts(
            self.models[model],
            requests,
            count,
            store=self.store,
            policy=self.policies[model],
            progress=self._told(stage),
            spending=self.spending,
            again=None if tokens is None else partial(_with_room, tokens),
        )
        try:
            with closing(parts):
                for part in parts:
                    yield self._noted(model, part)
        except PendingError as error:
            raise PendingError(f"{stage}: {error}") from None

    def _told(self, stage: str) -> Report | None:
        watch = self.watch
        return None if watch is None else lambda state: watch(stage, state)

    def _noted(self, model: str, replies: Sequence[Reply | Failure]) -> list[Reply | Failure]:
        """Replies as they are passed on, their failures counted."""
        self.failures.update(reply.kind for reply in replies if isinstance(reply, Failure))
        address = self.models[model].identity.get("base_url")
        return [without_endpoint(reply, address) for reply in replies]

    def check_scoring(self, model: str, requests: Iterable[Request]) -> None:
        """Find out whether a model gives log-probabilities of options, before a whole study is asked of it.

        The first questions themselves are asked, so that none is paid for twice.

        Args:
            model: Who is asked.
            requests: Its scored questions; the first few are taken.

        Raises:
            UsageError: It gives none, or none of these options is among the few that it shows.
        """
        if self.policies[model].batching is not None:
            return  # a batch of three would take as long as all
        first = self.ask(list(islice(requests, _FIRST)), "first log-probabilities")
        failed = [reply for reply in first if isinstance(reply, Failure) and reply.kind in _NO_LOGPROBS]
        if failed and len(failed) == len(first):
            raise UsageError(
                f"{model} cannot be asked for log-probabilities: {failed[0].message}. Have it write the label "
                "instead: --scoring generate (`scoring: generate` in a study file); `hesperus models test "
                f"{model}` shows what it can do"
            )

    def held(self, requests: Sequence[Request]) -> list[bool]:
        """Which requests the store answers already, in the order of the requests."""
        found = [False] * len(requests)
        for name in dict.fromkeys(request.model for request in requests):
            places = [i for i, request in enumerate(requests) if request.model == name]
            known = held(self.models[name], [requests[i] for i in places], store=self.store)
            for place, one in zip(places, known, strict=True):
                found[place] = one
        return found


def _with_room(tokens: int, request: Request, reply: Reply) -> Request | None:
    """The request with more tokens, where it had fewer and its reply was cut off before any answer."""
    if reply.finish != "length" or reply.text.strip() or request.settings.max_tokens == tokens:
        return None
    return replace(request, settings=replace(request.settings, max_tokens=tokens))


@contextmanager
def open_session(
    models: Mapping[str, Model],
    stores: Path | Stores,
    *,
    terms: Terms,
    watch: ProgressCallback | None = None,
    makes: bool = False,
) -> Iterator[ModelSession]:
    """A session with its store open.

    Args:
        models: From `models_named`.
        stores: Reply store, made where it does not exist; or those of a study.
        terms: On what terms models are asked.
        watch: Hears of the progress.
        makes: Whether texts are made anew, of which shards may need the same.

    Raises:
        UsageError: A budget in money, and no price for a model; a shard before what all have in common; an engine that does
            not fit.
        StoreError: The store cannot be opened.
    """
    policies = policies_of(models, terms)
    places = Stores(stores, stores.parent) if isinstance(stores, Path) else stores
    with ReplyStore(places.replies, places.base) as replies, _engine(terms) as engine:
        places.begin(replies, makes=makes)
        seated = {name: engine.seated(model, _options(name, terms)) for name, model in models.items()}
        yield ModelSession(seated, replies, policies, Spending(), watch)


def _engine(terms: Terms) -> AbstractContextManager[Engine]:
    if terms.batch is not None and terms.engine == "ray":
        raise UsageError(
            "--batch hands requests over as files, which needs no workers: leave --engine ray out"
        )
    return opened_engine(terms.engine, address=terms.engine_address, workers=terms.engine_workers)


def models_named(names: Iterable[str], terms: Terms | None = None) -> dict[str, Model]:
    """Models by name, each once; nothing is sent and no key is read.

    Args:
        names: `provider/name` each.
        terms: How those are reached that are asked over HTTP.

    Raises:
        UnknownNameError: A model that does not exist.
        UsageError: A name or the endpoint cannot be used, or no model would be asked there.
    """
    wanted = tuple(dict.fromkeys(names))
    terms = terms or Terms()
    if terms.base_url is not None and all(map(_is_local, wanted)):
        whom = f"{', '.join(wanted)}: nothing here is asked over HTTP" if wanted else "no model is asked"
        raise UsageError(f"--base-url is given, and {whom}; leave it out, or name a model as http/NAME")
    check_known(terms.base_url)
    return {name: model_named(name, _options(name, terms)) for name in wanted}


def identities(models: Mapping[str, Model]) -> JSON:
    """What decides the replies of each model besides the request, for the signature of a run.

    A signature is passed on: of an address that is no provider's own it has a fingerprint, by which two runs at the same
    endpoint can still be known as such.
    """
    described: dict[str, JSON] = {}
    for name, model in models.items():
        identity = dict(model.identity)
        described[name] = plain(with_masked_endpoint(identity))
    return described


def policies_of(models: Iterable[str], terms: Terms) -> dict[str, Policy]:
    """How hard each model is asked, with the budget in its prices.

    Raises:
        UsageError: A budget in money, and no price for a model.
    """
    limits = terms.budget
    prices = read_prices(terms.prices)
    if terms.batch is not None:
        prices = prices.in_batches()
    policies = {}
    for name in models:
        price = prices.of(name)
        if limits.money is not None and price is None:
            raise UsageError(
                f"a budget in money needs a price for {name}: put it into a price file and give it with --prices"
            )
        known = Prices(price.input, price.output) if price else None
        policies[name] = Policy(
            concurrency=terms.concurrency,
            budget=_budget_of(terms.shard, Budget(limits.requests, limits.tokens, limits.money, known)),
            batching=None if terms.batch is None else Batching(terms.batch),
        )
    return policies


def longest_reply(model: str, settings: Settings) -> int:
    """Most tokens of a reply, for plans: as the settings say, or as the model bounds it where they leave it open."""
    return settings.max_tokens or (_LOCAL_TOKENS if _is_local(model) else DEFAULT_TOKENS)


def _is_local(name: str) -> bool:
    return name.startswith(("hf/", "pocket/", "replay/", "scripted"))


def _options(name: str, terms: Terms) -> ModelOptions:
    if _is_local(name):
        return ModelOptions()
    effort = {} if terms.reasoning_effort is None else {"reasoning_effort": terms.reasoning_effort}
    return ModelOptions(terms.base_url, terms.key_variable, {**effort, **terms.request})


def _budget_of(shard: str | None, budget: Budget) -> Budget:
    """What one shard may spend: equal parts for all, the common one included; all of it if there is no shard."""
    if shard is None:
        return budget
    part = Shard.parse(shard)
    return replace(
        budget,
        requests=None if budget.requests is None else part.share(budget.requests),
        tokens=None if budget.tokens is None else part.share(budget.tokens),
        money=None if budget.money is None else budget.money / (part.count + 1),
    )
