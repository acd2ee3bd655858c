"""Writes the reference: commands, functions, settings and the keys of study files, from what they say themselves; `--check` only compares."""

from __future__ import annotations

import inspect
import json
import re
import sys
from pathlib import Path

import typer
from typer.testing import CliRunner

import hesperus
from hesperus.api.studies import study_declaration
from hesperus.cli.app import app
from hesperus.declared_studies import declared_studies
from hesperus.studies.asked.settings import Setting, settings_of

EXIT_CODES = (
    "Exit codes: 0 fine; 1 a failed check, files that could not be imported, or a merge with conflicts or gaps; 2 bad use, or a file that breaks its",
    "contract; 3 a model or endpoint failed; 4 a budget is reached; 5 replies of batches or files are still to come; 70 a defect of hesperus, with a short report that names",
    "no key, path or address; 130 interrupted. Results go to standard output, all else to standard error.",
)
HERE = Path(__file__).parent


def commands() -> list[list[str]]:
    """Every command as the words that call it, in the order of the help."""
    root = typer.main.get_command(app)
    context = typer.Context(root, info_name="hesperus")
    found: list[list[str]] = [[]]
    for name in root.list_commands(context):
        found.append([name])
        command = root.get_command(context, name)
        found += [[name, one] for one in getattr(command, "commands", ())]
    return found


def help_of(command: list[str]) -> str:
    """What `hesperus COMMAND --help` prints, 100 columns wide, without the line about --help itself."""
    done = CliRunner(env={"COLUMNS": "102"}).invoke(app, [*command, "--help"], prog_name="hesperus")
    lines = (line.rstrip() for line in done.output.strip().splitlines())
    return "\n".join(line for line in lines if not line.startswith("  -h, --help "))


def page() -> str:
    """The whole page."""
    parts = [
        "# The command line",
        "",
        "Written by `make docs` from the commands' own help. What `hesperus run STUDY --help` and `plan STUDY --help` add, a flag for",
        "each setting of the study, is in [settings](settings.md).",
        "",
        *EXIT_CODES,
        "",
    ]
    for command in commands():
        parts += [f"## `{' '.join(['hesperus', *command])}`", "", "```text", help_of(command), "```", ""]
    return "\n".join(parts)


def python_page() -> str:
    """Every public function and type: how it is called, and its docstring."""
    parts = [
        "# Python reference", "", "Written by `make docs` from the docstrings; [Python](python.md) shows how they are used.", "",
    ]  # fmt: skip
    for name in hesperus.__all__:
        one = getattr(hesperus, name)
        if not callable(one):
            continue
        called = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(one)))
        parts += [
            f"## `hesperus.{name}`",
            "",
            "```text",
            f"{name}{_wrapped(called)}",
            "",
            inspect.getdoc(one) or "",
            "```",
            "",
        ]
    return "\n".join(parts)


def _wrapped(signature: str) -> str:
    """A signature on one line, or a parameter a line where it is long."""
    if len(signature) <= 100:
        return signature
    inside, _, returned = signature[1:].rpartition(")")
    depth, lines = 0, [""]
    for letter in inside:
        depth += (letter in "[(") - (letter in "])")
        if letter == "," and depth == 0:
            lines[-1] += ","
            lines.append("")
        else:
            lines[-1] += letter
    return "(\n" + "\n".join(f"    {line.strip()}" for line in lines) + f"\n){returned}"


def settings_page() -> str:
    """Every setting of every study: its key, its flag, its default, what it means."""
    parts = [
        "# Settings of the studies", "", "Written by `make docs` from the fields of the studies.", "",
        "A setting is a key of a study file, a flag of `hesperus plan` and `hesperus run`, and a keyword of `hs.plan` and",
        "`hs.run`. A dot is a part: `sample.n` stands in a file as `sample: {n: 100}`, in Python as `sample={\"n\": 100}`, and",
        "as a flag it may also be written `--sample.n 100`. `hesperus run STUDY --schema` prints the JSON schema of a study",
        "file, by which editors check and complete it.", "",
    ]  # fmt: skip
    for name in declared_studies():
        study = study_declaration(name)
        parts += [
            f"## {name}",
            "",
            (study.__doc__ or "").strip(),
            "",
            "| key | flag | default | meaning |",
            "|---|---|---|---|",
        ]
        parts += [_row(one) for one in settings_of(study)]
        parts.append("")
    return "\n".join(parts)


def _row(setting: Setting) -> str:
    flag = f"`--{setting.flag}`" if setting.kind is not None else "file only"
    default = setting.default
    shown = (
        "required" if setting.is_required else "" if default in (None, (), {}) else f"`{json.dumps(default)}`"
    )
    choices = f" ({', '.join(f'`{one}`' for one in setting.choices)})" if setting.choices else ""
    return f"| `{setting.key}` | {flag} | {shown} | {setting.text.removesuffix('.')}{choices} |".replace(
        "  ", " "
    )


def main() -> int:
    """Write the pages, or with --check say whether they are up to date (exit code 1 if not)."""
    pages = {
        HERE / "cli.md": page(), HERE / "reference.md": python_page(), HERE / "settings.md": settings_page(),
    }  # fmt: skip
    if "--check" in sys.argv:
        return int(
            any(
                not path.is_file() or path.read_text(encoding="utf-8") != text for path, text in pages.items()
            )
        )
    for path, text in pages.items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
