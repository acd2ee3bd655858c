"""The bridge to Inspect, with Inspect's own mock provider. Needs the extra ``inspect``."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hesperus.asking import ReplyStore, ask
from hesperus.errors import PermanentError, TransientError, UsageError
from hesperus.models import ModelOptions, RemoteModel, model
from hesperus.types import Prompt, Reply, Request, Settings

pytestmark = pytest.mark.filterwarnings("ignore")  # Inspect's dependencies warn of what is theirs to mend


def output(text: Any, stop: str = "stop", logprobs: dict[str, float] | None = None) -> Any:
    from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ModelOutput, ModelUsage

    shown = None
    if logprobs is not None:
        top = [{"token": token, "logprob": value} for token, value in logprobs.items()]
        shown = {"content": [{"token": "A", "logprob": -0.1, "top_logprobs": top}]}
    choice = ChatCompletionChoice.model_validate(
        {"message": ChatMessageAssistant(content=text), "stop_reason": stop, "logprobs": shown}
    )
    usage = ModelUsage(input_tokens=3, output_tokens=2, total_tokens=5)
    return ModelOutput(model="mock-1", choices=[choice], usage=usage)


def bridge(outputs: Any) -> RemoteModel:
    made = model("inspect/mockllm/model", ModelOptions(extra={"note": "x"}))
    assert isinstance(made, RemoteModel)
    made._arguments = {"custom_outputs": outputs}  # type: ignore[attr-defined]  # objects, which JSON cannot say
    return made


def one(made: RemoteModel, request: Request) -> Reply:
    async def main() -> Reply:
        await made.open()
        try:
            return await made.reply(request)
        finally:
            await made.close()

    return asyncio.run(main())


REQUEST = Request("inspect/mockllm/model", Prompt("hi", "sys"), Settings(0.0, 5))


def test_replies_come_through_inspect():
    assert one(bridge([output("hello")]), REQUEST) == Reply("hello", "stop", None, 3, 2, "mock-1")
    assert one(bridge([output("hel", "max_tokens")]), REQUEST).finish == "length"
    assert one(bridge([output("", "content_filter")]), REQUEST).finish == "filter"


def test_thinking_is_kept_apart_and_what_is_encrypted_is_not_shown():
    from inspect_ai.model import ContentReasoning, ContentText

    parts = [
        ContentReasoning(reasoning="First, A?"),
        ContentReasoning(reasoning="gAAAA==", redacted=True),
        ContentReasoning(reasoning="gBBBB==", redacted=True, summary="Then B."),
        ContentText(text="B"),
    ]
    reply = one(bridge([output(parts)]), REQUEST)
    assert (reply.text, reply.reasoning) == ("B", "First, A?\nThen B.")
    assert one(bridge([output([ContentText(text="B")])]), REQUEST).reasoning is None


def test_options_are_scored_by_the_first_token():
    scored = Request("inspect/mockllm/model", Prompt("pick"), options=("A", "B"))
    reply = one(bridge([output("A", logprobs={"A": -0.5, "B": -1.0})]), scored)
    assert reply.option_logprobs == (-0.5, -1.0) and reply.text == ""
    with pytest.raises(PermanentError, match="returned no log-probabilities"):
        one(bridge([output("A")]), scored)


def test_the_prompt_and_the_settings_arrive():
    seen = []

    def answer(messages: Any, tools: Any, choice: Any, config: Any) -> Any:
        seen.append(([(m.role, m.text) for m in messages], config))
        return output("ok")

    one(bridge(answer), REQUEST)
    messages, config = seen[0]
    assert messages == [("system", "sys"), ("user", "hi")]
    assert (config.temperature, config.max_tokens, config.max_retries) == (0.0, 5, 0)


def test_errors_are_told_apart():
    def fail(*_: Any) -> Any:
        raise ValueError("no such thing, key sk-abcdefgh123456")

    with pytest.raises(PermanentError, match="ValueError: no such thing") as caught:
        one(bridge(fail), REQUEST)
    assert "sk-abc" not in str(caught.value) and not isinstance(caught.value, TransientError)
    with pytest.raises(UsageError, match="Inspect cannot open nonsense/model"):
        one(model("inspect/nonsense/model"), REQUEST)  # type: ignore[arg-type]


def test_many_requests_are_asked_through_the_store(tmp_path):
    made = bridge(lambda messages, *_: output(messages[-1].text.upper()))
    requests = [Request(made.name, Prompt(f"q{i}")) for i in range(30)]
    with ReplyStore(tmp_path / "s.sqlite") as store:
        replies = ask(made, requests, store=store)
    assert [reply.text for reply in replies if isinstance(reply, Reply)] == [f"Q{i}" for i in range(30)]
