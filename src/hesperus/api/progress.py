"""Progress of a run on standard error: a bar if there is a person, a line a stage if there is not."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Column

if TYPE_CHECKING:
    from hesperus.asking import Progress as Asked

_SECONDS_BETWEEN_NOTES = 10.0
_WIDEST_BAR = 40


class StageProgress:
    """Shows each stage of a run: done of total, from the store, failed, rate, time left."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._console = Console(stderr=True, quiet=quiet)
        # In a notebook a bar needs widgets that may not be there; a line a stage does not.
        self._live = self._console.is_terminal and not self._console.is_jupyter and not quiet
        self._bars = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            # Where a line is too long the bar gives way, never a number.
            BarColumn(bar_width=None, table_column=Column(max_width=_WIDEST_BAR)),
            MofNCompleteColumn(table_column=Column(no_wrap=True, min_width=11)),
            TextColumn("{task.fields[note]}"),
            TimeRemainingColumn(
                compact=True, elapsed_when_finished=True, table_column=Column(no_wrap=True, min_width=5)
            ),
            console=self._console,
            disable=not self._live,
        )
        self._tasks: dict[str, TaskID] = {}
        self._said: dict[str, tuple[str, float]] = {}
        self._asked: dict[str, list[Asked]] = {}

    def __enter__(self) -> StageProgress:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()
        for stage, states in self._asked.items():
            if any(state.faults for state in states):
                self._console.print(f"{stage}: {faults_text(states)}", highlight=False, markup=False)

    def __call__(self, stage: str, state: Asked) -> None:
        """Take a new state of a stage; called often, so it does little."""
        note = f"{state.rate:,.0f}/s" + (f", {state.cached:,} from the store" if state.cached else "")
        note += f", {state.failed:,} failed" if state.failed else ""
        note += f", {state.note}" if state.note else ""
        if stage not in self._tasks:
            self._tasks[stage] = self._bars.add_task(stage, total=state.total, note=note)
        self._bars.update(self._tasks[stage], completed=state.done, total=state.total, note=note)
        if not self._live and state.note:
            self._say(stage, state.note)
        self._keep(stage, state)
        if not self._live and state.done == state.total:
            self._console.print(
                f"{stage}: {state.done:,}/{state.total:,} ({note})", highlight=False, markup=False
            )

    def _keep(self, stage: str, state: Asked) -> None:
        """The last state of each model that a stage asks: where less is left than before, it is the same one."""
        states = self._asked.setdefault(stage, [state])
        if state.left > states[-1].left:
            states.append(state)
        states[-1] = state

    def _say(self, stage: str, note: str) -> None:
        """What a stage waits for, if there is no bar that shows it: once, and another thing not at once."""
        before, at = self._said.get(stage, ("", -_SECONDS_BETWEEN_NOTES))
        now = time.monotonic()
        if note != before and now - at >= _SECONDS_BETWEEN_NOTES:
            self._said[stage] = (note, now)
            self._console.print(f"{stage}: {note}", highlight=False, markup=False)


def faults_text(states: Sequence[Asked]) -> str:
    """What failed in a stage, by kind, the most frequent first."""
    faults = sum((Counter(state.faults) for state in states), Counter[str]())
    kinds = sorted(faults.items(), key=lambda one: (-one[1], one[0]))
    shown = ", ".join(
        f"{count:,} {kind.replace('http_', 'status ').replace('_', ' ')}" for kind, count in kinds
    )
    tries, failed = faults.total(), sum(state.failed for state in states)
    gone = f"{failed:,} requests got no reply" if failed else "every request was answered in the end"
    return f"{tries:,} {'try' if tries == 1 else 'tries'} failed ({shown}); {gone}"


def stage_progress(wanted: bool | None) -> StageProgress:
    """The progress of stages; where nothing is said (None), only where a person looks: in a terminal, or a notebook."""
    console = Console(stderr=True)
    is_watched = console.is_terminal or console.is_jupyter
    return StageProgress(quiet=not (is_watched if wanted is None else wanted))
