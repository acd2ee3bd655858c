"""A figure with its words, and how figures become files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

from hesperus.errors import UnknownNameError, UsageError
from hesperus.records.files import write_whole

if TYPE_CHECKING:
    from hesperus.reports.theme import FigureFormat

P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart with its words.

    Attributes:
        kind: What it is of.
        name: The same, numbered if there are several; a file is called by it.
        chart: An altair chart.
        caption: What it shows.
        table: The table of the report that has its numbers.
        wide: Whether a page shows it in its own size and scrolls it.
    """

    kind: str
    name: str
    chart: Any
    caption: str
    table: str
    wide: bool = False


def drawn(make: Callable[P, Iterator[Drawing]]) -> Callable[P, list[Drawing]]:
    """A generator of figures as a list of those for which there is something to draw."""

    @wraps(make)
    def made(*args: P.args, **kwargs: P.kwargs) -> list[Drawing]:
        from hesperus.reports.theme import unchecked

        with unchecked():
            return [drawing for drawing in make(*args, **kwargs) if drawing.chart is not None]

    return made


def by_kind(drawings: Iterable[Drawing]) -> Mapping[str, Sequence[Drawing]]:
    """Figures by what they are of; none of a kind for which there is nothing to draw."""
    found: dict[str, list[Drawing]] = defaultdict(list)
    for drawing in drawings:
        found[drawing.kind].append(drawing)
    return found


def write_drawings(
    drawings: Sequence[Drawing], folder: Path | str, *, format: FigureFormat = "svg"
) -> list[Path]:
    """Write every figure as a file called by its name.

    Raises:
        UnknownNameError: No such format.
        UsageError: The folder cannot be written.
    """
    # The library that draws takes longer to load than most tables to make.
    from hesperus.reports.theme import FIGURE_FORMATS, render

    if format not in FIGURE_FORMATS:
        raise UnknownNameError("figure format", str(format), FIGURE_FORMATS)
    folder = Path(folder)
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for drawing in drawings:
            file = folder / f"{drawing.name}.{format}"
            write_whole(file, partial(_write, content=render(drawing.chart, format)))
            written.append(file)
    except OSError as error:
        raise UsageError(f"cannot write figures to {folder}: {error.strerror}") from error
    return written


def _write(place: Path, *, content: bytes) -> None:
    place.write_bytes(content)
