"""A model with replies that the caller writes: for examples, for tests of what is built on hesperus."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hesperus.errors import PermanentError
from hesperus.fingerprint import fingerprint
from hesperus.types import Reply, Request

Script = Callable[[Request], Reply | str] | Mapping[str, str] | Sequence[Reply | str]


class ScriptedModel:
    """Answers by script.

    Args:
        script: A function of the request (which may raise a ModelError); or replies by user text; or replies in
            the order of asking.
        name: Name to answer under.
        version: Part of the identity. Change it whenever a *function* changes its answers: stored replies are
            found by identity, and a function's own code cannot be told from outside. The other two kinds of
            script are their own identity.
        batch_size: Largest batch.
    """

    def __init__(
        self, script: Script, *, name: str = "scripted/model", version: str = "1", batch_size: int = 1
    ) -> None:
        self.name, self.batch_size = name, batch_size
        self._script = script
        self._dealt = 0
        content = getattr(script, "__qualname__", type(script).__name__)
        if not callable(script):
            content = fingerprint(ascii(script))  # as ASCII: a script may hold text that is no UTF-8
        self.identity: Mapping[str, str] = {"protocol": "scripted", "script": content, "version": version}

    def replies(self, requests: Sequence[Request]) -> Sequence[Reply]:
        """Answer the requests, in their order.

        Raises:
            PermanentError: The script has no reply to one of them (kind ``not_scripted``).
        """
        return [self._answer(request) for request in requests]

    def _answer(self, request: Request) -> Reply:
        script = self._script
        if callable(script):
            said = script(request)
        elif isinstance(script, Mapping):
            if request.prompt.user not in script:
                raise PermanentError(
                    f"the script has no reply to {request.prompt.user[:200]!r}", kind="not_scripted"
                )
            said = script[request.prompt.user]
        else:
            if self._dealt >= len(script):
                raise PermanentError(f"the script's {len(script)} replies are used up", kind="not_scripted")
            said = script[self._dealt]
            self._dealt += 1
        return Reply(said) if isinstance(said, str) else said
