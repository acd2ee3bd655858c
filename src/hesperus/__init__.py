"""hesperus: does a language model give the same answer however the question is put?

    >>> import hesperus as hs
    >>> run = hs.run("multisense", task="atlas", models=["pocket/m"], target=["de", "zh"])   # doctest: +SKIP
    >>> hs.measure("consistency", run)                                                        # doctest: +SKIP

Names are loaded when first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hesperus.lazy import lazily
from hesperus.version import __version__

if TYPE_CHECKING:
    from hesperus.api import (
        RunResult,
        ask,
        audit,
        bundle,
        calibrate,
        check,
        compare,
        evaluate,
        export,
        figure,
        import_logs,
        load_items,
        measure,
        merge,
        open_run,
        plan,
        read_answers,
        read_records,
        report,
        represent,
        reread,
        run,
        score,
        translate,
        verify,
    )  # fmt: skip
    from hesperus.tasks import Task, task
    from hesperus.types import Answer, Estimate, Failure, Item, Prompt, Reply, Request, Sense, Settings

__all__ = [
    "Answer", "Estimate", "Failure", "Item", "Prompt", "Reply", "Request", "RunResult", "Sense",
    "Settings", "Task", "__version__", "ask", "audit", "bundle", "calibrate", "check", "compare",
    "evaluate", "export", "figure", "import_logs", "load_items", "measure", "merge",
    "open_run", "plan", "read_answers", "read_records", "report", "represent", "reread", "run", "score",
    "task", "translate", "verify",
]  # fmt: skip


__getattr__, _ = lazily(__name__)


def __dir__() -> list[str]:
    return __all__
