"""Writes docs/cli.md from the commands' own --help, so that the page cannot drift; `--check` only compares."""

from __future__ import annotations

import sys
from pathlib import Path

import typer
from typer.testing import CliRunner

from hesperus.api.studies import STUDIES
from hesperus.cli.app import app

EXIT_CODES = (
    "Exit codes: 0 fine; 1 a failed check, files that could not be imported, or a merge with conflicts or gaps; 2 bad use, or a file that breaks its",
    "contract; 3 a model or endpoint failed; 4 a budget is reached; 70 a defect of hesperus, with a short report that names",
    "no key, path or address; 130 interrupted. Results go to standard output, all else to standard error.",
)
PAGE = Path(__file__).with_name("cli.md")


def commands() -> list[list[str]]:
    """Every command as the words that call it, in the order of the help."""
    root = typer.main.get_command(app)
    context = typer.Context(root, info_name="hesperus")
    found: list[list[str]] = [[]]
    for name in root.list_commands(context):
        found.append([name])
        if name == "run":
            found += [[name, study] for study in STUDIES]
        command = root.get_command(context, name)
        found += [[name, one] for one in getattr(command, "commands", ())]
    return found


def help_of(command: list[str]) -> str:
    """What `hesperus COMMAND --help` prints, 100 columns wide."""
    done = CliRunner(env={"COLUMNS": "102"}).invoke(app, [*command, "--help"], prog_name="hesperus")
    return "\n".join(line.rstrip() for line in done.output.strip().splitlines())


def page() -> str:
    """The whole page."""
    parts = ["# The command line", "", "Written by `make docs` from the commands' own help.", "", *EXIT_CODES, ""]
    for command in commands():
        parts += [f"## `{' '.join(['hesperus', *command])}`", "", "```text", help_of(command), "```", ""]
    return "\n".join(parts)


def main() -> int:
    """Write the page, or with --check say whether it is up to date (exit code 1 if not)."""
    text = page()
    if "--check" in sys.argv:
        return 0 if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == text else 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
