"""Endpoints of many providers, against the shapes of their documented requests and replies."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hesperus.errors import PermanentError, TransientError, UsageError
from hesperus.models import ModelOptions, model
from hesperus.models.providers import azure_url, clean_base_url
from hesperus.types import Prompt, Reply, Request, Settings
from loopback_endpoint import Action, Endpoint, Say, Send, serving

KEY = "test-Abc123Def456Ghi789"

OPENAI = {
    "id": "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT", "object": "chat.completion", "created": 1741569952,
    "model": "gpt-5.1-2025-11-13",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "B", "refusal": None, "annotations": []},
                 "logprobs": None, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 19, "completion_tokens": 74, "total_tokens": 93,
              "completion_tokens_details": {"reasoning_tokens": 64}},
    "service_tier": "default",
}  # fmt: skip
AZURE = {
    **OPENAI,
    "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": {"hate": {"filtered": False, "severity": "safe"}}}],
    "system_fingerprint": "fp_44709d6fcb",
}  # fmt: skip
ANTHROPIC = {
    "id": "msg_01", "object": "chat.completion", "created": 1741569952, "model": "claude-opus-4-1",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "B"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 19, "completion_tokens": 3, "total_tokens": 22},
}  # fmt: skip
GEMINI = {
    "choices": [{"finish_reason": "stop", "index": 0, "message": {"content": "B", "role": "assistant"}}],
    "created": 1755000000, "id": "abc", "model": "gemini-2.5-flash", "object": "chat.completion",
    "usage": {"completion_tokens": 1, "prompt_tokens": 12, "total_tokens": 60},
}  # fmt: skip
GEMINI_SPENT = {
    "choices": [{"finish_reason": "length", "index": 0, "message": {"role": "assistant"}}],
    "model": "gemini-2.5-pro", "usage": {"prompt_tokens": 12, "total_tokens": 140},
}  # fmt: skip
BEDROCK = {
    "choices": [{"finish_reason": "stop", "index": 0, "message": {
        "content": "<reasoning>The first letter is A, the second B.</reasoning>B", "role": "assistant", "refusal": None}}],
    "created": 1755000000, "id": "chatcmpl-1", "model": "openai.gpt-oss-20b-1:0", "object": "chat.completion",
    "usage": {"completion_tokens": 40, "prompt_tokens": 80, "total_tokens": 120},
}  # fmt: skip
COHERE = {
    "id": "b1", "object": "chat.completion", "created": 1738000000, "model": "command-a-03-2025",
    "choices": [{"index": 0, "finish_reason": "stop", "logprobs": None, "message": {"role": "assistant", "content": "B"}}],
    "usage": {"prompt_tokens": 6, "completion_tokens": 1, "total_tokens": 7},
}  # fmt: skip
DEEPSEEK = {
    "id": "d", "object": "chat.completion", "model": "deepseek-reasoner",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {
        "role": "assistant", "reasoning_content": "Letters … B.", "content": "B"}}],
    "usage": {"prompt_tokens": 5, "completion_tokens": 20, "completion_tokens_details": {"reasoning_tokens": 15}},
}  # fmt: skip
MISTRAL = {
    "id": "m", "object": "chat.completion", "model": "magistral-medium-2509",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "tool_calls": None, "content": [
        {"type": "thinking", "thinking": [{"type": "text", "text": "Letters … B."}]}, {"type": "text", "text": "B"}]}}],
    "usage": {"prompt_tokens": 5, "completion_tokens": 20, "total_tokens": 25},
}  # fmt: skip
RESPONSES = {
    "id": "resp_1", "object": "response", "created_at": 1741476777, "status": "completed", "error": None,
    "incomplete_details": None, "model": "gpt-5.1-2025-11-13",
    "output": [
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "**Letters**"}]},
        {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant",
         "content": [{"type": "output_text", "text": "B", "annotations": []}]},
    ],
    "usage": {"input_tokens": 36, "output_tokens": 87, "output_tokens_details": {"reasoning_tokens": 64}},
}  # fmt: skip
RESPONSES_CUT = {
    **RESPONSES, "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"},
    "output": RESPONSES["output"][:1],  # type: ignore[index]
}  # fmt: skip


def told(name: str, action: Action, request: Request | None = None, **options: Any) -> tuple[Reply, Endpoint]:
    """One reply of a model, and what its endpoint saw."""
    with serving(lambda body, count: action) as endpoint:
        url = endpoint.url + options.pop("query", "")
        return asked(
            name, url, request or Request(name, Prompt("Which letter?", "Be brief.")), **options
        ), endpoint


def asked(name: str, url: str, *requests: Request, **options: Any) -> Reply:
    made = model(name, ModelOptions(base_url=url, **options))

    async def main() -> Reply:
        await made.open()  # type: ignore[attr-defined]
        try:
            replies = [await made.reply(request) for request in requests]  # type: ignore[attr-defined]
        finally:
            await made.close()  # type: ignore[attr-defined]
        return replies[-1]

    return asyncio.run(main())


@pytest.fixture(autouse=True)
def keys(monkeypatch):
    for name in ("OPENAI", "AZURE_OPENAI", "ANTHROPIC", "GEMINI", "COHERE", "DEEPSEEK", "MISTRAL"):
        monkeypatch.setenv(f"{name}_API_KEY", KEY)
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", KEY)


@pytest.mark.parametrize(
    ("name", "document", "reply"),
    [
        ("openai/gpt-5.1", OPENAI, Reply("B", "stop", None, 19, 74, "gpt-5.1-2025-11-13")),
        ("azure/my-deployment", AZURE, Reply("B", "stop", None, 19, 74, "gpt-5.1-2025-11-13")),
        ("anthropic/claude-opus-4-1", ANTHROPIC, Reply("B", "stop", None, 19, 3, "claude-opus-4-1")),
        ("google/gemini-2.5-flash", GEMINI, Reply("B", "stop", None, 12, 48, "gemini-2.5-flash")),
        ("google/gemini-2.5-pro", GEMINI_SPENT, Reply("", "length", None, 12, 128, "gemini-2.5-pro")),
        (
            "bedrock/openai.gpt-oss-20b-1:0",
            BEDROCK,
            Reply(
                "B", "stop", None, 80, 40, "openai.gpt-oss-20b-1:0", "The first letter is A, the second B."
            ),
        ),
        ("cohere/command-a-03-2025", COHERE, Reply("B", "stop", None, 6, 1, "command-a-03-2025")),
        (
            "deepseek/deepseek-reasoner",
            DEEPSEEK,
            Reply("B", "stop", None, 5, 20, "deepseek-reasoner", "Letters … B."),
        ),
        (
            "mistral/magistral-medium-2509",
            MISTRAL,
            Reply("B", "stop", None, 5, 20, "magistral-medium-2509", "Letters … B."),
        ),
    ],
)
def test_chat_completions_of_each_provider(name, document, reply):
    found, endpoint = told(name, Send(document))
    assert found == reply
    body = endpoint.bodies[0]
    assert body["model"] == name.partition("/")[2] and "temperature" not in body
    assert [turn["role"] for turn in body["messages"]] == ["system", "user"]
    assert endpoint.paths == ["/v1/chat/completions"] or name.startswith("azure")
    header = "api-key" if name.startswith("azure") else "Authorization"
    assert endpoint.headers[0][header] in (KEY, f"Bearer {KEY}")


def test_azure_has_two_forms():
    found, endpoint = told("azure/dep", Send(AZURE), query="/openai/deployments/dep?api-version=2024-10-21")
    assert (
        found.text == "B"
        and endpoint.headers[0]["api-key"] == KEY
        and "Authorization" not in endpoint.headers[0]
    )
    assert endpoint.paths == ["/v1/openai/deployments/dep/chat/completions?api-version=2024-10-21"]
    root = "https://res.openai.azure.com"
    assert azure_url(root, "dep") == f"{root}/openai/v1" == azure_url(f"{root}/openai", "dep")
    assert azure_url(f"{root}/openai/v1", "dep") == f"{root}/openai/v1"
    classic = f"{root}/openai/deployments/dep?api-version=2024-10-21"
    assert azure_url(f"{root}?api-version=2024-10-21", "dep") == classic
    whole = clean_base_url(f"{root}/openai/deployments/dep/chat/completions?api-version=2024-10-21")
    assert azure_url(whole, "dep") == classic
    for query in ("?key=secret", "?api-version=1&sig=2", "?api-version="):
        with pytest.raises(UsageError, match="no user, password, query"):
            clean_base_url(root + query)


def test_responses_are_asked_and_read():
    request = Request("openai-responses/gpt-5.1", Prompt("Which?", "Brief."), Settings(max_tokens=500))
    found, endpoint = told(request.model, Send(RESPONSES), request, extra={"reasoning_effort": "low"})
    assert found == Reply("B", "stop", None, 36, 87, "gpt-5.1-2025-11-13", "**Letters**")
    assert endpoint.paths == ["/v1/responses"] and endpoint.bodies == [
        {
            "model": "gpt-5.1",
            "input": [{"role": "system", "content": "Brief."}, {"role": "user", "content": "Which?"}],
            "max_output_tokens": 500,
            "store": False,
            "reasoning": {"effort": "low"},
        }
    ]
    cut, _ = told(request.model, Send(RESPONSES_CUT), request)
    assert (cut.text, cut.finish, cut.reasoning) == ("", "length", "**Letters**")


@pytest.mark.parametrize(
    ("document", "kind"),
    [
        ({"output": "text"}, "bad_reply"),
        ([1], "bad_reply"),
        ({**RESPONSES, "status": "failed"}, "gave_up"),
        ({**RESPONSES, "output": []}, "no_content"),
        (
            {**RESPONSES, "output": [7, {"type": "message"}, {"type": "message", "content": [None, "x"]}]},
            "no_content",
        ),
    ],
)
def test_responses_that_are_none_are_named(document, kind):
    with pytest.raises(TransientError) as caught:
        told("openai-responses/m", Send(document))
    assert caught.value.kind == kind


def test_the_call_of_a_tool_is_an_empty_reply():
    call = {"type": "function_call", "name": "search", "arguments": "{}", "call_id": "c"}
    found, endpoint = told("openai-responses/m", Send({**RESPONSES, "output": [call]}))
    assert (found.text, found.finish, len(endpoint.bodies)) == ("", "stop", 1)


def test_a_refusal_in_a_response_is_its_text():
    content = [{"type": "refusal", "refusal": "I cannot."}]
    document = {
        **RESPONSES,
        "output": [{"type": "message", "content": content}],
        "usage": {"input_tokens": 2**70},
    }
    found, _ = told("openai-responses/m", Send(document))
    assert (found.text, found.tokens_in) == ("I cannot.", None)


NO_SYSTEM = [
    Send({"object": "error", "message": "System role not supported", "type": "BadRequestError", "code": 400}, 400),
    Send(
        {"error": {"message": "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
                   "type": "invalid_request_error", "param": "messages[0].role", "code": "unsupported_value"}}, 400,
    ),
    Send({"error": {"message": "Only user and assistant roles are supported!"}}, 500),
    Send({"object": "error", "message": "Conversation roles must alternate user/assistant/user/assistant/...", "code": 400}, 400),
]  # fmt: skip


@pytest.mark.parametrize("refusal", NO_SYSTEM)
def test_an_endpoint_without_the_system_role_gets_it_in_the_users_turn_and_that_is_said_once(refusal):
    def behave(body: dict[str, Any], count: int) -> Action:
        return refusal if body["messages"][0]["role"] == "system" else Say("fine")

    requests = [Request("http/gemma", Prompt(f"q{n}", "Be brief.")) for n in range(3)]
    with serving(behave) as endpoint, pytest.warns(UserWarning, match="takes no system role") as said:
        asked("http/gemma", endpoint.url, *requests)
    assert len(said) == 1 and len(endpoint.bodies) == 4
    assert [body["messages"] for body in endpoint.bodies[1:]] == [
        [{"role": "user", "content": f"Be brief.\n\nq{n}"}] for n in range(3)
    ]


@pytest.mark.parametrize(
    "refusal",
    [
        Send({"error": {"message": "You are not allowed to request logprobs from this model"}}, 403),
        Send({"error": {"message": "Unsupported parameter", "param": "logprobs", "code": "unsupported_parameter"}}, 400),
        Send({"error": {"message": "Extra inputs are not permitted: top_logprobs"}}, 422),
    ],
)  # fmt: skip
def test_an_endpoint_that_refuses_log_probabilities_is_named_so_whatever_the_status(refusal):
    request = Request("http/m", Prompt("q"), options=("A", "B"))
    with serving(lambda body, count: refusal) as endpoint, pytest.raises(PermanentError) as caught:
        asked("http/m", endpoint.url, request)
    assert caught.value.kind == "no_logprobs"


def test_both_a_role_and_a_limit_may_be_refused():
    def behave(body: dict[str, Any], count: int) -> Action:
        if "max_tokens" in body:
            return Send(
                {"error": {"message": "Unsupported parameter: 'max_tokens'", "param": "max_tokens"}}, 400
            )
        return NO_SYSTEM[0] if body["messages"][0]["role"] == "system" else Say("fine")

    with serving(behave) as endpoint, pytest.warns(UserWarning, match="takes no system role"):
        reply = asked("http/o1-mini", endpoint.url, Request("http/o1-mini", Prompt("q", "s")))
    assert reply.text == "fine" and endpoint.bodies[-1]["max_completion_tokens"] == 4096
    assert len(endpoint.bodies) == 3


def test_a_temperature_that_is_refused_is_not_dropped_but_named():
    message = "Unsupported value: 'temperature' does not support 0.25 with this model. Only the default (1) value is supported."
    action = Send({"error": {"message": message, "param": "temperature", "code": "unsupported_value"}}, 400)
    with pytest.raises(PermanentError, match="leave the temperature to the model"):
        told("openai/o3", action, Request("openai/o3", Prompt("q"), Settings(0.25)))
