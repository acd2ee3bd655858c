"""The exception tree.

    HesperusError
    ├── UsageError            bad use: exit code 2
    │   ├── UnknownNameError      a language, task, model, field, sense or key that does not exist
    │   ├── MissingExtraError     an optional dependency is not installed
    │   └── MissingKeyError       an API key's environment variable is not set
    ├── DataError             a file that breaks its contract: exit code 2
    ├── SenseError            a sense that could not be made: exit code 3
    ├── ModelError            an endpoint or a local model failed: exit code 3
    │   ├── TransientError        worth another try (429, 5xx, time-outs)
    │   └── PermanentError        not worth one (401, 404, unreadable protocol)
    ├── EngineError           the cluster that asks cannot be used, or is gone: exit code 3
    ├── StoreError            the reply store cannot be used: exit code 3
    ├── BudgetReachedError    a budget stopped the run; run again to go on: exit code 4
    └── PendingError          replies are to come, from batches or files: exit code 5

A failed `hesperus check` exits with 1, a defect of ours (any other exception) with 70. Every message says what was given, what was expected and what to do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches


class HesperusError(Exception):
    """Base of every error that hesperus raises on purpose."""

    exit_code = 3


class UsageError(HesperusError):
    """The call itself is wrong; nothing was done."""

    exit_code = 2


class UnknownNameError(UsageError):
    """A name that does not exist, with the nearest that does.

    Args:
        kind: What the name should have been: "task", "language", "model", "key of study.yaml", …
        name: What was given.
        known: The names that exist.
        hint: What to do next, e.g. "`hesperus tasks` lists them".
    """

    def __init__(self, kind: str, name: str, known: Iterable[str] = (), hint: str = "") -> None:
        super().__init__(kind, name)
        self.kind, self.name, self._known, self._hint = kind, name, tuple(known), hint

    def __str__(self) -> str:
        # Looking for near names takes milliseconds among thousands, and most of these errors are caught and never shown.
        names = sorted(set(self._known))
        near = get_close_matches(self.name, names, n=3, cutoff=0.55)
        text = f"unknown {self.kind}: {self.name!r}"
        if near:
            text += f"; did you mean {' or '.join(map(repr, near))}?"
        elif names:
            shown = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
            text += f"; known: {shown}"
        return text + (f" ({self._hint})" if self._hint else "")


def refuse_unknown(kind: str, names: Iterable[str], known: Collection[str], hint: str = "") -> None:
    """Refuse the first of some names that does not exist; arguments as of UnknownNameError.

    Raises:
        UnknownNameError: There is one.
    """
    for name in names:
        if name not in known:
            raise UnknownNameError(kind, name, known, hint)


class MissingExtraError(UsageError):
    """An optional dependency is needed and absent."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs {package}: pip install 'hesperus[{extra}]'")


class MissingKeyError(UsageError):
    """The environment variable that holds an API key is not set."""

    def __init__(self, variable: str, model: str) -> None:
        super().__init__(
            f"model {model!r} needs an API key: set the environment variable {variable}, e.g. export {variable}=…"
        )


class DataError(HesperusError):
    """A file or table that breaks its contract.

    Args:
        message: What is wrong and what was expected.
        file: Where, as the user named it.
        line: 1-based line or row number.
        field: Column or key.
        item: Item id.
    """

    exit_code = 2

    def __init__(
        self,
        message: str,
        *,
        file: object = None,
        line: int | None = None,
        field: str | None = None,
        item: str | None = None,
    ) -> None:
        where = [str(file)] if file is not None else []
        where += [f"line {line}"] if line is not None else []
        where += [f"field {field!r}"] if field is not None else []
        where += [f"item {item!r}"] if item is not None else []
        super().__init__(f"{', '.join(where)}: {message}" if where else message)
        self.problem, self.file, self.line, self.field = message, file, line, field


class SenseError(HesperusError):
    """A sense could not be made from what a model or a maker returned."""


class ModelError(HesperusError):
    """A model could not answer."""

    def __init__(self, message: str, *, kind: str = "model") -> None:
        super().__init__(message)
        self.kind = kind


class TransientError(ModelError):
    """Worth another try.

    Args:
        message: What happened.
        kind: Short machine word, e.g. ``http_429``.
        retry_after: Seconds that the endpoint asked us to wait, or None.
    """

    def __init__(self, message: str, *, kind: str = "transient", retry_after: float | None = None) -> None:
        super().__init__(message, kind=kind)
        self.retry_after = retry_after


class PermanentError(ModelError):
    """Not worth another try."""


class EngineError(HesperusError):
    """What models are asked by, such as a Ray cluster, cannot be used or is gone; what was answered is kept."""


class StoreError(HesperusError):
    """The reply store cannot be opened, read or written."""


class BudgetReachedError(HesperusError):
    """The run stopped at its budget; what was answered is kept."""

    exit_code = 4


class PendingError(HesperusError):
    """Requests were handed over, and their replies are not there yet; run again once they are."""

    exit_code = 5


class HesperusWarning(UserWarning):
    """What to know of a result before it is believed; the command prints it as a note on standard error."""


class EarlierRunWarning(HesperusWarning):
    """A run was written by an earlier hesperus, and its numbers are made by other rules today; the message says which."""


class UnknownKeyWarning(HesperusWarning):
    """A run's study has keys that this version does not know; numbers rest on the others, and the message names them."""


def first_line(error: BaseException) -> str:
    """The first line of what an error says, and its kind where it says nothing: those of other libraries may be pages."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
