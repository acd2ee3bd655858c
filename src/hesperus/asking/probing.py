"""What a model can do, found out by asking it a few tiny questions. Nothing is stored."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, replace

from hesperus.asking.engine import ask
from hesperus.asking.policy import Policy
from hesperus.asking.store import ReplyStore
from hesperus.errors import ModelError
from hesperus.models import Model, ModelOptions, RemoteModel
from hesperus.models import model as model_named
from hesperus.models.chat import ChatModel
from hesperus.storage import MEMORY
from hesperus.types import Failure, Prompt, Reply, Request, Settings

_TEXT = "Which letter comes first in the alphabet?\nA. A\nB. B\nAnswer with the letter only."
_LETTERS = ("A", "B")
_POLICY = Policy(retries=2, timeout=120)


@dataclass(frozen=True, slots=True)
class Capability:
    """One thing that a model can do or not.

    Attributes:
        name: What it is.
        works: Whether it does it.
        detail: What came back.
        flags: What to give a study, or to leave out, because of it; empty where nothing follows.
    """

    name: str
    works: bool
    detail: str
    flags: str = ""


def probe(name: str, options: ModelOptions) -> list[Capability]:
    """Find out what a model can do: text, log-probabilities and how many, and over HTTP the roles and settings it takes.

    Args:
        name: ``provider/name``.
        options: How it is reached.

    Raises:
        ModelError: It does not even answer.
    """
    asked = model_named(name, options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a warning says stands in the list
        found = [_text(asked), _scored(asked)]
        if isinstance(asked, RemoteModel):
            found += [_system(asked), _temperature(asked), _seed(asked)]
        if isinstance(asked, ChatModel):
            found.append(_echo(model_named(name, replace(options, scoring="echo"))))
    return found


def _put(
    asked: Model, settings: Settings, *, system: str | None = None, options: tuple[str, ...] | None = None
) -> Reply | Failure:
    request = Request(asked.name, Prompt(_TEXT, system), settings, options)
    try:
        return _once(asked, request)
    except ModelError as error:
        return Failure(error.kind, str(error))


def _once(asked: Model, request: Request) -> Reply | Failure:
    with ReplyStore(MEMORY) as store:
        return ask(asked, [request], store=store, policy=_POLICY)[0]


def _text(asked: Model) -> Capability:
    started = time.perf_counter()
    reply = _once(asked, Request(asked.name, Prompt(_TEXT)))
    if isinstance(reply, Failure):
        raise ModelError(reply.message, kind=reply.kind)
    said = [f"{reply.text!r}", f"ended by {reply.finish}"]
    said += [f"served by {reply.served_by}"] if reply.served_by else []
    if reply.tokens_out is not None:
        said.append(f"{reply.tokens_in} tokens in, {reply.tokens_out} out")
    said.append(f"{time.perf_counter() - started:.1f} s")
    if reply.reasoning:
        said.append(f"thinks aloud first, {len(reply.reasoning):,} characters")
    is_cut = not reply.text.strip()
    return Capability("text", not is_cut, ", ".join(said), "--max-tokens-again 16000" if is_cut else "")


def _scored(asked: Model) -> Capability:
    reply = _put(asked, Settings(), options=_LETTERS)
    if isinstance(reply, Failure):
        return Capability("log-probabilities", False, reply.message, "--scoring generate")
    shown = asked.alternatives_shown if isinstance(asked, ChatModel) else None
    how_many = "of every option" if shown is None else f"of the {shown} most likely first tokens"
    values = " ".join(f"{value:.2f}" for value in reply.option_logprobs or ())
    return Capability("log-probabilities", True, f"{how_many}; {values} for A and B", "--scoring logprobs")


def _system(asked: Model) -> Capability:
    reply = _put(asked, Settings(), system="You are a helpful assistant.")
    if isinstance(reply, Failure):
        return Capability("system role", False, reply.message, "--system ''")
    if isinstance(asked, ChatModel) and asked.folds_system:
        return Capability("system role", False, "the system text goes in front of the question")
    return Capability("system role", True, "taken")


def _temperature(asked: Model) -> Capability:
    reply = _put(asked, Settings(temperature=0.0))
    if isinstance(reply, Failure):
        return Capability("temperature", False, reply.message, "leave --temperature out")
    return Capability("temperature", True, "0 is taken", "--temperature 0")


def _seed(asked: Model) -> Capability:
    reply = _put(asked, Settings(seed=1))
    if isinstance(reply, Failure):
        return Capability("seed", False, reply.message, "leave answers.seed out")
    return Capability(
        "seed", True, "taken; whether it is followed, nobody says", "answers.seed in a study file"
    )


def _echo(asked: Model) -> Capability:
    reply = _put(asked, Settings(), options=_LETTERS)
    if isinstance(reply, Failure):
        return Capability("echo", False, reply.message)
    return Capability("echo", True, "prompts are echoed with log-probabilities: whole options can be scored")
