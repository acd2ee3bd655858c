"""Puts the commands together, and turns errors into a line and an exit code.

Command files import typer and nothing heavy; what a command needs it imports when it runs, so that
`hesperus --help` stays quick.
"""

from __future__ import annotations

import errno
import io
import os
import sys
import warnings
from pathlib import Path
from typing import Annotated, TextIO

import typer

from hesperus.cli import (
    annotate,
    audit,
    calibrate,
    check,
    compare,
    demo,
    doctor,
    evaluate,
    export,
    figure,
    import_,
    languages,
    measure,
    models,
    plan,
    report,
    represent,
    reread,
    run,
    score,
    segment,
    tasks,
    tax,
    train,
    translate,
    translators,
)
from hesperus.errors import HesperusError
from hesperus.version import __version__

app = typer.Typer(
    name="hesperus",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="First time? `hesperus demo` runs a whole study offline. Your own: `hesperus run multisense --task atlas "
    "--model openai/gpt-4o-mini --source en --target de`.",
)

_ASK, _READ, _KNOW = "Ask", "Measure and report", "What is there"

app.command("demo", rich_help_panel=_ASK)(demo.command)
app.command("plan", rich_help_panel=_ASK)(plan.command)
app.command("run", rich_help_panel=_ASK)(run.command)
app.command("translate", rich_help_panel=_ASK)(translate.command)
app.command("segment", rich_help_panel=_ASK)(segment.command)
app.command("measure", rich_help_panel=_READ)(measure.command)
app.command("compare", rich_help_panel=_READ)(compare.command)
app.command("check", rich_help_panel=_READ)(check.command)
app.command("import", rich_help_panel=_READ)(import_.command)
app.command("export", rich_help_panel=_READ)(export.command)
app.command("audit", rich_help_panel=_READ)(audit.command)
app.add_typer(annotate.app, name="annotate", rich_help_panel=_READ)
app.add_typer(tax.app, name="tax", rich_help_panel=_READ)
app.command("represent", rich_help_panel=_READ)(represent.command)
app.command("score", rich_help_panel=_READ)(score.command)
app.command("evaluate", rich_help_panel=_READ)(evaluate.command)
app.command("calibrate", rich_help_panel=_READ)(calibrate.command)
app.add_typer(train.app, name="train", rich_help_panel=_READ)
app.command("reread", rich_help_panel=_READ)(reread.command)
app.command("report", rich_help_panel=_READ)(report.command)
app.command("figure", rich_help_panel=_READ)(figure.command)
app.add_typer(languages.app, name="languages", rich_help_panel=_KNOW)
app.add_typer(tasks.app, name="tasks", rich_help_panel=_KNOW)
app.add_typer(models.app, name="models", rich_help_panel=_KNOW)
app.add_typer(translators.app, name="translators", rich_help_panel=_KNOW)
app.command("doctor", rich_help_panel=_KNOW)(doctor.command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hesperus {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Does a language model give the same answer however the question is put?"""


_OUT_OF_OUR_HANDS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG, errno.EIO})
"""A full or broken disk may name no file: standard output on it has none."""


def main() -> None:
    """Run the command line; the exit code says what happened (0 fine, 1 failed check, 2 bad use, 3 model, 4 budget)."""
    _sound_streams()
    warnings.formatwarning = lambda message, *_: f"note: {_printable(str(message))}\n"
    try:
        app()
    except HesperusError as error:
        sys.stderr.write(f"error: {_printable(str(error))}\n")
        sys.exit(error.exit_code)
    except SystemExit as stopped:
        _interrupted(stopped)
        raise
    except OSError as error:
        # A file that cannot be read or written is the user's to mend; anything else is ours.
        if error.filename is None and error.errno not in _OUT_OF_OUR_HANDS:
            raise
        what = "standard output" if error.filename is None else str(error.filename)
        sys.stderr.write(f"error: {_printable(what)}: {error.strerror}\n")
        if error.filename is None:
            sys.stdout = _nowhere()  # the interpreter would fail once more when it flushes what is left
        sys.exit(2)


def _interrupted(stopped: SystemExit) -> None:
    """Tell an interrupt and a reader that went away from a failed check: typer turns both into exit codes of its own.

    Raises:
        SystemExit: The reader of standard output went away (141, as a shell counts it).
    """
    cause = stopped.__context__
    while cause is not None:
        if isinstance(cause, KeyboardInterrupt):
            sys.stderr.write(
                "stopped; every reply that came in is kept, run the same command again to go on\n"
            )
            return
        if isinstance(cause, BrokenPipeError):
            raise SystemExit(141) from None
        cause = cause.__context__


def _sound_streams() -> None:
    """Let no character and no closed stream end a command: what a terminal cannot show is written as its code."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, _nowhere())
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")  # it lives as long as the process


def _printable(text: str) -> str:
    """Messages may quote replies and files: control characters must not reach the terminal."""
    return "".join(c if c.isprintable() or c == "\n" else f"\\x{ord(c):02x}" for c in text)
