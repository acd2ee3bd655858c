"""What people see: the screens of the commands on small kept runs, at 80 and 120 columns, as text.

    python -m tests.screens            write tests/screens/80.txt and 120.txt anew: read their diff before you commit it
    python -m tests.screens --runs     make the runs anew too, with the embedded models

A test holds the screens to these files. They have no times, no paths and no fingerprints.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import shlex
import shutil
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path

from rich.cells import cell_len
from tests.small_demo import ask

KEPT = Path(__file__).parent / "screens"
RUNS = KEPT / "studies"
WIDTHS = (80, 120)
COMMANDS = """
measure summary senses
measure consistency senses
measure consistency senses --a en --b sw
measure accuracy senses
measure accuracy senses --by relation --model pocket/s
measure agreement senses --model pocket/l
measure decomposition senses
measure directions senses --model pocket/s
measure labels senses --model pocket/s
measure outcomes senses
measure all_languages senses
measure tokens senses --model pocket/l
measure language senses
measure validity senses
measure consistency senses --format markdown
measure decomposition senses --format latex
measure accuracy senses --model pocket/l --format csv
measure means similarity
measure similarity similarity
measure contrasts similarity
measure correlations similarity
measure scoring similarity
measure scores open
measure groups open
measure counts open
measure back_translation tax
measure naturalisation tax
measure bounds tax
measure back_translation tax --by relation
compare tax tax back_translation --model-a pocket/s --model-b pocket/l
tax checklist tax
run senses/study.yaml --out senses --table consistency --quiet
compare senses senses --model-a pocket/s --model-b pocket/l
compare open open --model-a pocket/s --model-b pocket/l
check senses --require 'consistency >= 0.9' --require 'accuracy[en] >= 0.5' --require 'validity >= 0.9'
check senses --require 'validity >= 0.9'
plan multisense --task atlas --model pocket/m --model pocket/l --target de --target zh --limit 20
plan similarity --task atlas --model pocket/m --language en --language de --limit 20
audit atlas --language de --language sw
models
languages --packs --family Germanic
languages show sw
annotate schemes
measure nothing senses
check senses --require 'consistency[xx] >= 0.9'
"""
"""Words of the commands, as a shell takes them, in the folder of the runs."""
_STUDIES = {"multisense": "senses", "similarity": "similarity", "open_answers": "open", "tax": "tax"}
"""Study to the name of its run."""
_PRINTS = re.compile(r"#[0-9a-f]{10}|(?<=study )[0-9a-f]{32}")


class _Terminal(io.StringIO):
    """Standard output that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def screens(width: int) -> Iterator[tuple[str, str]]:
    """Each command, and what it shows on a terminal of so many columns; on copies of the runs, one of which asks."""
    with tempfile.TemporaryDirectory() as place:
        runs = shutil.copytree(RUNS, Path(place) / "runs")
        for line in filter(None, COMMANDS.splitlines()):
            yield line, screen(shlex.split(line), width, runs)


def screen(words: list[str], width: int, runs: Path) -> str:
    """What a command shows, standard output first; run in this process, in a folder of runs."""
    from hesperus.cli.app import app
    from hesperus.errors import HesperusError

    shown, said, code = _Terminal(), io.StringIO(), 0
    with _place(width, runs), contextlib.redirect_stdout(shown), contextlib.redirect_stderr(said):
        try:
            code = app(words, prog_name="hesperus", standalone_mode=False) or 0
        except HesperusError as error:
            code, _ = error.exit_code, said.write(f"error: {error}\n")
        except SystemExit as stopped:
            code = int(stopped.code or 0)
    parts = [shown.getvalue(), *(f"! {line}\n" for line in said.getvalue().splitlines())]
    return _PRINTS.sub("#…", "".join(parts)) + (f"exit code {code}\n" if code else "")


@contextlib.contextmanager
def _place(width: int, runs: Path) -> Iterator[None]:
    """A plain terminal of so many columns, without keys, in a folder of runs."""
    before, folder = dict(os.environ), Path.cwd()
    keys = [name for name in os.environ if name.endswith(("_API_KEY", "_TOKEN_BEDROCK"))]
    with warnings.catch_warnings():
        os.environ.update({"COLUMNS": str(width), "LINES": "40", "TERM": "dumb"})
        for name in keys:
            del os.environ[name]
        os.chdir(runs)
        try:
            yield
        finally:
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(before)


def kept(width: int) -> str:
    """The screens of a width as a file has them."""
    return "".join(f"$ hesperus {line}\n{text}\n" for line, text in screens(width))


def parts(text: str) -> Mapping[str, str]:
    """A file of screens by command."""
    return {part.partition("\n")[0]: part for part in text.split("$ hesperus ")[1:]}


def too_wide(text: str, width: int) -> list[str]:
    """Lines of standard output that a terminal would break."""
    return [line for line in text.splitlines() if not line.startswith("! ") and cell_len(line) > width]


def write_runs() -> None:
    """Ask the embedded models, and keep what tables are made of."""
    with tempfile.TemporaryDirectory() as place:
        asked = ask(Path(place) / "demo")
        shutil.rmtree(RUNS, ignore_errors=True)
        for study, run in asked.items():
            inside = [other.name for other in asked.values() if other.parent == run]
            left_out = shutil.ignore_patterns("*.sqlite*", "*.html", *inside)
            shutil.copytree(run, RUNS / _STUDIES[study], ignore=left_out)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", action="store_true", help="make the runs anew too")
    if parser.parse_args().runs:
        write_runs()
    for width in WIDTHS:
        (KEPT / f"{width}.txt").write_text(kept(width), encoding="utf-8")


if __name__ == "__main__":
    main()
