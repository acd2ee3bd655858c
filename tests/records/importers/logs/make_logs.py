"""Writes the logs of this folder anew: the two tools ask pocket/s the same items in three languages.

Run in an environment that has hesperus and inspect-ai with torch and transformers; `--lm-eval` names the interpreter of
one that has lm-evaluation-harness. Nothing is fetched. The tools run in a folder of their own. Of what they write, two
things are changed: the folder's path (`results_*.json` has that of the data files) becomes `.`, and `pretty_env_info`, a
description of the machine, becomes empty.

    python make_logs.py --lm-eval /path/to/python
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
LANGUAGES = ("en", "de", "sw")
PLACES = (0, 3, 9, 21, 40, 47, 58, 85, 99, 120, 150, 199)
"""Which of the 200 items: from all five relations, some of them beyond what pocket/s was shown in a language."""

INSPECT = """
import sys
from pathlib import Path
from inspect_ai import eval

items = sys.argv[1].split(",")
for name in ("atlas", "atlas_open"):
    for language in ("en", "de", "sw"):
        logs = eval(
            f"tasks/{name}.py", task_args={"language": language}, model="hf/pocket-s", sample_id=items,
            model_args={"model_path": "pocket-s", "device": "cpu", "do_sample": False}, max_tokens=32,
            log_dir="inspect", display="none", log_model_api=False, log_format="eval",
        )
        assert logs[0].status == "success", logs[0].error
"""


def export(folder: Path) -> list[str]:
    """The tasks of both tools; returns the ids of the items that are asked."""
    for task in ("atlas", "atlas-open"):
        for tool in ("lm-eval", "inspect"):
            asked = [part for language in LANGUAGES for part in ("--language", language)]
            call(folder, sys.executable, "-m", "hesperus", "export", tool, task, *asked, "--out", "tasks")
    lines = (folder / "tasks" / "atlas_en.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(lines[place])["item"] for place in PLACES]


def call(folder: Path, *words: str) -> None:
    """Run something in the folder, without a network."""
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(folder / "cache"), "TOKENIZERS_PARALLELISM": "false"}
    subprocess.run(words, cwd=folder, check=True, env=os.environ | offline)


def run_lm_eval(folder: Path, python: str) -> None:
    """Log-likelihoods of the options, and generated names, in one run."""
    tasks = [f"{task}_{language}" for task in ("atlas", "atlas_open") for language in LANGUAGES]
    samples = json.dumps({task: PLACES for task in tasks})
    call(
        folder, python, "-m", "lm_eval", "run", "--model", "hf", "--model_args", "pretrained=pocket-s,dtype=float32",
        "--device", "cpu", "--include_path", "tasks", "--tasks", ",".join(tasks), "--samples", samples,
        "--apply_chat_template", "--log_samples", "--output_path", "lm_eval",
    )  # fmt: skip


def cleaned(data: bytes, folder: Path) -> bytes:
    """Without the place and the machine where it was written."""
    data = data.replace(str(folder).encode(), b".")
    return re.sub(rb'("pretty_env_info": )"(?:[^"\\]|\\.)*"', rb'\1""', data)


def keep(folder: Path, target: Path) -> None:
    """Copy the logs; a ZIP file is packed again, entry by entry, as it was packed."""
    import zipfile_zstd  # noqa: F401  # teaches zipfile the compression that Inspect uses

    for path in sorted((folder / "lm_eval").rglob("*.json*")):
        place = target / path.relative_to(folder)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(cleaned(path.read_bytes(), folder))
    for path in sorted((folder / "inspect").glob("*.eval")):
        place = target / path.relative_to(folder)
        place.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(path) as old, zipfile.ZipFile(place, "w") as new:
            for entry in old.infolist():
                new.writestr(entry, cleaned(old.read(entry), folder), compress_type=entry.compress_type)


def main() -> None:
    """Export, ask, keep."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lm-eval", required=True, help="an interpreter that has lm_eval")
    parser.add_argument("--out", type=Path, default=HERE)
    given = parser.parse_args()
    from hesperus.models import pocket

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        shutil.copytree(
            pocket.WEIGHTS / "s", folder / "pocket-s", ignore=shutil.ignore_patterns("model.onnx")
        )
        items = export(folder)
        run_lm_eval(folder, given.lm_eval)
        call(folder, sys.executable, "-c", INSPECT, ",".join(items))
        for old in (given.out / "lm_eval", given.out / "inspect"):
            if old.exists():
                shutil.rmtree(old)
        keep(folder, given.out)


if __name__ == "__main__":
    main()
