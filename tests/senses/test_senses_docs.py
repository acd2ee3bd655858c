"""The examples of the two pages run, and say what they print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("page", ["senses.md", "tasks.md"])
def test_python_examples_run(page: str) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        space: dict[str, object] = {}
        exec(compile(block, page, "exec"), space)
        for line in block.splitlines():
            expression, _, said = line.partition("  # ")
            if said.strip().startswith(("'", "(")) and "…" not in said:
                assert repr(eval(expression.strip(), space)) == said.strip(), line


def test_the_yaml_example_is_a_task(tmp_path: Path) -> None:
    from hesperus.tasks import load_items, task

    (block,) = re.findall(r"```yaml\n(.*?)```", (DOCS / "tasks.md").read_text(encoding="utf-8"), re.DOTALL)
    path = tmp_path / "riddles.yaml"
    path.write_text(block, encoding="utf-8")
    (tmp_path / "riddles_ger.csv").write_text(
        'id,text,first,second,third,answer,topic\n1,"Wer, bitte?",Ada,Bob,Eva,B,people\n', encoding="utf-8"
    )
    item = load_items(task(str(path)), "de", source=str(tmp_path / "riddles_{language}.csv"))["de"][0]
    assert (item.fields, item.gold, item.options) == ({"riddle": "Wer, bitte?"}, "B", ("Ada", "Bob", "Eva"))
