"""A text made anew by asking: the request to its maker, what becomes of the reply, and what could not be made."""

from __future__ import annotations

from collections.abc import Iterable

from hesperus.errors import SenseError
from hesperus.senses import SenseMaker, naturalise, paraphrase, translate
from hesperus.studies.asked.answering import Fault
from hesperus.studies.asked.made_checks import found_in_place
from hesperus.types import Failure, Prompt, Reply, Request, Settings


def making_request(
    maker: SenseMaker,
    text: str,
    way: tuple[str, str],
    *,
    model: str,
    system: str | None,
    settings: Settings,
) -> Request:
    """The exact request of one making.

    Args:
        maker: One that asks a model: translation, a rewording, or the user's own.
        text: What is made anew.
        way: Language of the text, and of what is made.
        model: Who is asked.
        system: System text, where the maker's prompt has none.
        settings: How replies are drawn.
    """
    assert maker.request is not None
    prompt = maker.request(text, *way)
    return Request(model, Prompt(prompt.user, prompt.system or system), settings)


def refuse_unaskable(makings: Iterable[tuple[SenseMaker, tuple[str, str]]]) -> None:
    """Before anything is asked: every request that makes a text can be written in its language.

    Args:
        makings: Makers with the language of the text and that of what is to be made; rules always pass.

    Raises:
        UnknownNameError: A language without a pack.
        UsageError: A language without requests in its pack.
    """
    for maker, way in makings:
        if maker in (translate, paraphrase, naturalise) and maker.request is not None:
            maker.request("", *way)


def made_text(maker: SenseMaker, reply: Reply | Failure, text: str, way: tuple[str, str]) -> str | Fault:
    """The text that a reply makes of another, or what kept it from being made.

    Args:
        maker: Who made it.
        reply: What came back.
        text: The original.
        way: Language of the text, and of what was to be made.
    """
    if isinstance(reply, Failure):
        return Fault(reply.kind, reply.message)
    if reply.finish == "filter":
        return Fault("blocked", f"the endpoint held back its making of {text!r}")
    if reply.finish == "length":
        return Fault("truncated", f"the making of {text!r} ran into its token limit; raise making.max_tokens")
    made = read_text(maker, reply.text, text)
    return made if isinstance(made, Fault) else found_in_place(maker, made, text, way) or made


def read_text(maker: SenseMaker, made: str, text: str) -> str | Fault:
    """What a maker takes out of a reply, or, where it is a rule, makes of the text itself."""
    try:
        return maker.read(made, text)
    except SenseError as error:
        return Fault("sense", str(error))


def not_made(who: str, what: str, made: Iterable[tuple[str, object]]) -> list[str]:
    """What could not be made, counted by sense and reason, a line each.

    Args:
        who: The maker.
        what: What is counted, such as ``texts``.
        made: Code of the sense, and what was made or the Fault that kept it from being made.
    """
    reasons: dict[tuple[str, str], list[str]] = {}
    for code, result in made:
        if isinstance(result, Fault):
            reasons.setdefault((code, result.kind), []).append(result.message)
    return [
        f"{who}, {code}: {len(messages)} {what} were not made ({kind}: {messages[0]})"
        for (code, kind), messages in reasons.items()
    ]
