"""An OpenAI-compatible server on the loopback, in a process of its own, of whose replies a share is broken in every way.

It is the endpoint of the tests with a behaviour that draws faults, and knows what it gave to whom: the replies that could be
used, by question.

    python benchmarks/fault_server.py [--share 0.3] [--seconds 0.05] [--seed 1]

prints its address, and a JSON document with what it did when its standard input closes.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from loopback_endpoint import Action, Reset, Say, Send, Truncate, serving, user_text


class FaultyReplies:
    """What the endpoint does, request by request.

    Args:
        share: Share of requests that are broken.
        seconds: How long a sound reply takes, half more or less.
        seed: Of the draws.
    """

    def __init__(self, share: float = 0.3, seconds: float = 0.05, seed: int = 1) -> None:
        self.share, self.seconds, self.rng = share, seconds, random.Random(seed)
        self.usable: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()

    def __call__(self, body: dict[str, Any], count: int) -> Action:
        """What becomes of a request."""
        text = user_text(body)
        if self.rng.random() < self.share:
            name = self.rng.choice(list(FAULTS))
            self.faults[name] += 1
            return FAULTS[name](self, text)
        return self.sound(text, seconds=self.seconds * self.rng.uniform(0.5, 1.5))

    def sound(self, text: str, **more: Any) -> Say:
        """A reply that can be used; it says what was asked."""
        self.usable[text] += 1
        return Say(said_of(text), **more)

    def told(self, requests: int, busiest: int, held: float) -> dict[str, object]:
        """What it did.

        Args:
            requests: Requests that came.
            busiest: Most of them at one time.
            held: Seconds that they were under way, all together.
        """
        again = sum(count > 1 for count in self.usable.values())
        return {
            "requests": requests,
            "busiest": busiest,
            "held": held,
            "usable": len(self.usable),
            "again": again,
            "faults": dict(self.faults),
        }


def said_of(text: str) -> str:
    """The reply to a text: all of it if it is short, else a digest, which takes as little to read as an answer does."""
    return f"you said: {text if len(text) < 80 else blake2b(text.encode(), digest_size=8).hexdigest()}"


def _always(action: Action) -> Callable[[FaultyReplies, str], Action]:
    return lambda replies, text: action


def _refused(status: int, **headers: str) -> Callable[[FaultyReplies, str], Action]:
    return _always(Send({"error": {"message": "not now"}}, status, headers))


FAULTS: dict[str, Callable[[FaultyReplies, str], Action]] = {
    "status 429": _refused(429),
    "status 429, wait": _refused(429, **{"Retry-After": "1"}),
    "status 500": _refused(500),
    "status 502": _always(Send("<html><title>Bad Gateway</title>", 502, kind="text/html")),
    "status 503": _refused(503),
    "status 529": _refused(529),
    "reset": _always(Reset()),
    "cut": _always(Truncate()),
    "hang": _always(Send("", seconds=60)),
    "slow": lambda replies, text: replies.sound(text, seconds=10 * replies.seconds),
    "nothing": _always(Send("")),
    "broken JSON": _always(Send('{"choices": [{"mess')),
    "no choice": _always(Send({"choices": []})),
    "null content": _always(Say(None)),
    "no UTF-8": _always(Send(b'{"choices": [{"message": {"content": "na\xefve"}}]}')),
    "wrong compression": _always(Send({"choices": []}, headers={"Content-Encoding": "gzip"})),
    "HTML": _always(Send("<html><title>Sign in</title>", kind="text/html")),
    "other text": _always(Send("upstream connect error", kind="text/plain")),
    "redirect": _always(Send("", 307, {"Location": "http://127.0.0.1:9/v1"})),
    "no completion": _always(Send({"hello": "world"})),
    "odd usage": lambda replies, text: replies.sound(
        text, usage={"prompt_tokens": 2**64 - 1, "completion_tokens": {"a": 1}}
    ),
    "odd finish": lambda replies, text: replies.sound(text, choice={"finish_reason": {"reason": ["stop"]}}),
}
"""Every way in which a try is broken; the last two and the slow one can be used all the same."""


def main() -> None:
    """Serve as the flags say, until standard input closes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--share", type=float, default=0.3)
    parser.add_argument("--seconds", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    replies = FaultyReplies(given.share, given.seconds, given.seed)
    with serving(replies) as endpoint:
        print(endpoint.url, flush=True)
        sys.stdin.read()
        print(json.dumps(replies.told(len(endpoint.bodies), endpoint.busiest, endpoint.held)), flush=True)


if __name__ == "__main__":
    main()
