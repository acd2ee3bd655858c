"""A page as Markdown and as JSON: the same blocks, for a repository, a job summary, or a program."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator

from hesperus.reports.blocks import Block, Code, Facts, Fold, Items, Page, Section, Sentences
from hesperus.reports.columns import Column
from hesperus.reports.formats import escaped_markdown, grid_markdown
from hesperus.reports.grid import Grid, Number, Value
from hesperus.untrusted import one_line, visible
from hesperus.wording import MISSING


def page_markdown(page: Page) -> str:
    """The page as Markdown: headings, sentences and tables; figures and items to be read are left out."""
    parts = [f"# {_text(page.title)}", *_markdown((*page.lead, *page.blocks), page.named)]
    return "\n\n".join(parts) + "\n"


def page_json(page: Page) -> str:
    """The numbers of a page as JSON: ``{"title", "tables": [{"section", "caption", "columns", "rows"}], "items"}``.

    A number is ``{"value", "low", "high", "unit", "reason"}`` in full precision; other cells are texts.
    """
    tables, items, section = [], list[dict[str, object]](), ""
    for block in page.every():
        if isinstance(block, Section):
            section = block.title
        if isinstance(block, Grid):
            block = block.with_about(page.named)
            heads = [column.name for column in block.columns]
            rows = [dict(zip(heads, map(_plain, row), strict=True)) for row in block.rows]
            tables.append({"section": section, "caption": block.caption, "columns": heads, "rows": rows})
        if isinstance(block, Items):
            items = _item_rows(block)
    document = {"title": page.title, "tables": tables, "items": items}
    return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _markdown(blocks: tuple[Block, ...], named: Collection[str]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Section):
            yield f"{'#' * block.level} {_text(block.title)}"
        elif isinstance(block, Sentences):
            bullet = "- " if block.level in ("list", "aside", "limit") else ""
            yield ("\n" if bullet else "\n\n").join(f"{bullet}{_sentence(one)}" for one in block.texts)
        elif isinstance(block, Grid | Items):
            block = _items_table(block) if isinstance(block, Items) else block
            short = block.told_once(named)
            yield _text(short.caption)
            yield from [] if short.is_told else [grid_markdown(short).rstrip()]
        elif isinstance(block, Facts):
            yield "\n".join(f"- {_text(name)}: {_text(value)}" for name, value in block.rows)
        elif isinstance(block, Code):
            yield f"### {_text(block.title)}"
            yield "\n".join(f"    {line}" for line in visible(block.text).splitlines())
        elif isinstance(block, Fold):
            yield f"### {_text(block.title)}"
            yield from _markdown(block.blocks, named)


def _text(text: str) -> str:
    return escaped_markdown(one_line(text))


def _sentence(text: str) -> str:
    """A sentence; parts between backticks stay code, in which Markdown reads nothing."""
    return "".join(
        part if len(part) > 2 and part.startswith("`") else escaped_markdown(part)
        for part in re.findall(r"`[^`]+`|[^`]+|`", one_line(text))
    )


def _plain(cell: Value) -> object:
    if isinstance(cell, Number):
        ends = {"low": cell.low, "high": cell.high} if cell.unit != "count" else {}
        return {
            "value": cell.value,
            **ends,
            "unit": cell.unit,
            **({"reason": cell.reason} if cell.reason else {}),
        }
    return cell


_SIGNS = {"right": "✓", "wrong": "×", "answered": "", "absent": ""}


def _items_table(items: Items) -> Grid:
    """The item matrix as a plain table: ✓ right, × wrong, – no answer, ≠ changed."""
    heads = ("Item", "Model", "Gold", *(head.code for head in items.view.heads))
    lines = tuple(
        (
            row.item,
            row.model,
            row.gold or "",
            *(
                f"{cell.text} {_SIGNS.get(cell.mark, MISSING)}{'≠' * cell.changed}".strip()
                for cell in row.cells
            ),
        )
        for row in items.view.rows
    )
    return Grid(
        f"{items.caption} ✓ right, × wrong, – no answer, ≠ another answer than in the sense that it is compared with.",
        tuple(map(Column, heads)),
        lines,
    )


def _item_rows(items: Items) -> list[dict[str, object]]:
    keys = [head.key for head in items.view.heads]
    return [
        {
            "item": row.item, "model": row.model, "task": row.task, "gold": row.gold,
            "answers": {
                key: {"answer": cell.text, "mark": cell.mark, "changed": cell.changed, "lost": cell.lost}
                for key, cell in zip(keys, row.cells, strict=True) if cell.mark != "absent"
            },
        }
        for row in items.view.rows
    ]  # fmt: skip
