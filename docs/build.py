"""Writes docs/cli.md from the commands' own --help, so that the page cannot drift; `--check` only compares."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).with_name("cli.md")
COMMANDS = [
    [], ["demo"], ["plan"], ["run"], ["measure"], ["score"], ["evaluate"], ["calibrate"], ["train"], ["train", "empathy"], ["audit"], ["compare"], ["check"], ["reread"], ["represent"], ["report"], ["figure"], ["import"], ["export"],
    ["annotate"], ["annotate", "schemes"], ["annotate", "create"], ["annotate", "links"], ["annotate", "serve"], ["annotate", "status"],
    ["annotate", "html"], ["annotate", "import"], ["annotate", "export"],
    ["tax"], ["tax", "e1"], ["tax", "e3"], ["tax", "strata"], ["tax", "e4"], ["tax", "rating"], ["tax", "validity"], ["tax", "bounds"], ["tax", "checklist"], ["tax", "report"],
    ["tax", "simulate"],
    ["languages"], ["languages", "show"], ["languages", "check"],
    ["tasks"], ["tasks", "list"], ["tasks", "show"], ["tasks", "check"],
    ["models"], ["models", "list"], ["models", "test"],
    ["segment"], ["translate"], ["translators"], ["translators", "list"], ["translators", "test"], ["translators", "convert"], ["doctor"],
]  # fmt: skip


def help_of(command: list[str]) -> str:
    """What `hesperus COMMAND --help` prints, without colour, 100 columns wide."""
    environment = {
        **os.environ,
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "TERM": "dumb",
        "PYTHONIOENCODING": "utf-8",
    }
    done = subprocess.run(
        [sys.executable, "-m", "hesperus", *command, "--help"],
        env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())


def page() -> str:
    """The whole page."""
    parts = ["# The command line", "", "Written by `make docs` from the commands' own help.", ""]
    for command in COMMANDS:
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
