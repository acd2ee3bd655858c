"""What of a Markdown document is translated, and that everything else stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from hesperus.translation import Piece, document_pieces
from waiting import bounded_work

DOCUMENT = """# Title **here**

Intro with `code` and **bold** inside. See [the docs](http://x.y/z) or https://a.b/c?d=e, or a@b.co.

1. **Economy:** It grew by 3%. More.
2. *All of it.*
   - nested item
     goes on here
- 12.5

> First line quoted
> and the second

| Name | Value |
|------|:-----:|
| Apple pie | 12 |

```python
print("not this")
```

    x = foo(1);

<div class="a"><b>Hello</b> you</div>

Setext
======

Text with 2 * 3 * 4 and snake_case_name.\r
---
"""


def said(text: str) -> list[str]:
    return [piece.text for piece in document_pieces(text) if piece.translated]


def test_only_what_people_read_is_translated() -> None:
    assert said(DOCUMENT) == [
        "Title **here**",
        "Intro with `code` and **bold** inside. See [the docs](http://x.y/z) or https://a.b/c?d=e, or a@b.co.",
        "Economy:",
        " It grew by 3%. More.",
        "All of it.",
        "nested item\n     goes on here",
        "First line quoted",
        "and the second",
        "Name",
        "Value",
        "Apple pie",
        "Hello",
        "you",
        "Setext",
        "Text with 2 * 3 * 4 and snake_case_name.",
    ]


def test_marks_inside_a_sentence_are_kept_or_dropped() -> None:
    piece = next(piece for piece in document_pieces(DOCUMENT) if piece.text.startswith("Intro"))
    assert [piece.text[a:b] for a, b in piece.kept] == [
        "`code`",
        "[",
        "](http://x.y/z)",
        "https://a.b/c?d=e",
        "a@b.co",
    ]
    assert [piece.text[a:b] for a, b in piece.dropped] == ["**", "**"]


@pytest.mark.parametrize(
    "text",
    [
        "`only code`", "https://example.org/a_b", "12.5", "---", "```\ncode\n```", "| 1 | 2 |\n|---|---|\n| 3 | 4 |", "<br/>",
        "![a picture](x.png)", "\n\n", "$$a+b$$", "    if (x) { return y; }", "[1]: http://a.b", "<script>\nlet word = 1\n</script>",
    ],
)  # fmt: skip
def test_nothing_of_it_is_translated(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("**Whole title**", ["Whole title"]),
        ("**Label** – and text", ["Label", " – and text"]),
        ("One. **Two!** Three.", ["One. ", "Two!", " Three."]),
        ("__init__ is a name and _this_ is not", ["__init__ is a name and _this_ is not"]),
        ("    an indented first line of prose", ["an indented first line of prose"]),
        ("你好。\n\n- **标签：**内容", ["你好。", "标签：", "内容"]),
        ("plain text\nwrapped", ["plain text\nwrapped"]),
        ("a \\| b", ["a \\| b"]),
        ("nul\0 inside", ["nul\0 inside"]),
    ],
)
def test_pieces_of_single_texts(text: str, wanted: list[str]) -> None:
    assert said(text) == wanted


MARKDOWN = st.lists(
    st.sampled_from(["a", "word ", "**", "*", "_", "`", "```", "\n", "\n\n", "\r\n", "\r", "\t", "> ", "- ", "1. ", "# ", "|", "|-|-|\n", "[x](y)", "<b>",
                     "</b>", "<div>", "http://a.b", "\\", "\0", "\ud800", "    ", "~~", "![", "]", "(", "&amp;", "ไทย", "。", "<!--", "-->", "\u2028"]),
    max_size=40,
).map("".join)  # fmt: skip


@given(text=st.text(alphabet=st.characters(), max_size=60) | MARKDOWN)
def test_joined_pieces_are_the_text(text: str) -> None:
    pieces = document_pieces(text)
    assert "".join(piece.text for piece in pieces) == text
    for piece in pieces:
        assert piece.text
        spans = sorted([*piece.kept, *piece.dropped])
        assert all(0 <= a < b <= len(piece.text) for a, b in spans)
        assert all(before[1] <= after[0] for before, after in zip(spans, spans[1:], strict=False))


def structure(text: str) -> list[tuple[str, str, str]]:
    """Blocks and their nesting, without what people read."""
    parser = MarkdownIt("commonmark").enable("table")
    return [(t.type, t.tag, t.content if t.type == "fence" else "") for t in parser.parse(text)]


def test_structure_survives_other_words_in_every_piece() -> None:
    changed = "".join(
        _upper(piece) if piece.translated else piece.text for piece in document_pieces(DOCUMENT)
    )
    assert changed != DOCUMENT
    assert structure(changed) == structure(DOCUMENT)


def _upper(piece: Piece) -> str:
    kept = {at for start, end in piece.kept for at in range(start, end)}
    return "".join(c if at in kept else c.upper() for at, c in enumerate(piece.text))


@pytest.mark.parametrize(
    "unit",
    ["*", "> ", "[", "`a ", "- a\n", "**a** ", "[a](b) ", "<a ", "|a", "> a\n", "http://", "&a", "_a "],
)
def test_time_grows_with_the_length_alone(unit: str) -> None:
    text = (unit * 50_000)[:50_000]
    with bounded_work():
        assert "".join(piece.text for piece in document_pieces(text)) == text
