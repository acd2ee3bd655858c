"""Puts the commands together, and turns errors into a line and an exit code.

Command files import typer and nothing heavy; what a command needs it imports when it runs, so that
`hesperus --help` stays quick.
"""

from __future__ import annotations

import errno
import gc
import io
import os
import sys
import warnings
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn, TextIO

import typer

from hesperus.cli.help import WIDEST, Commands, PlainCommand, PlainGroup
from hesperus.cli.said import say
from hesperus.errors import HesperusError, HesperusWarning, PendingError, UnknownNameError
from hesperus.version import __version__

if TYPE_CHECKING:
    from typer._click import Command, Context, HelpFormatter

_GROUPS = {
    "Ask": {
        "demo": "All four studies on embedded models and items, offline.",
        "plan": "Show what a run would ask and cost; sends nothing.",
        "run": "Run a study, write the run folder, show what was found.",
        "merge": "Bring together what the shards of a study asked.",
        "batch": "Ask by files: requests out, replies in, for machines without a network.",
        "translate": "Translate a text, or a column of a table.",
        "segment": "Cut a text into sentences.",
    },
    "Measure and report": {
        "measure": "Measure a run: consistency, accuracy, agreement and more.",
        "compare": "Compare two runs: differences, intervals, tests.",
        "check": "Hold a run to requirements, for continuous integration.",
        "view": "Explore runs in the browser: every question in every language.",
        "report": "Write the report of a run: one HTML file.",
        "bundle": "Pack what recomputes every number of a run.",
        "verify": "Recompute every number of a bundle or a page.",
        "figure": "Draw one figure of a run.",
        "import": "Import the logs of another tool, or a table.",
        "export": "Give records or items to another tool.",
        "reread": "Read the stored replies again; asks nothing.",
        "evaluate": "Evaluate open answers: information, equivalence, properties.",
        "calibrate": "Score a judge of open answers against people.",
        "score": "Score translations: BLEU, chrF, ROUGE, COMET.",
        "represent": "Compare a model's inner states between languages.",
        "audit": "Find faults of a parallel benchmark.",
        "tax": "Audit a translated benchmark: how much its score owes to translation.",
        "annotate": "Let people judge: a page for raters, links, judgements.",
    },
    "What is there": {
        "languages": "Languages, and their packs of words.",
        "tasks": "Benchmarks that can be asked.",
        "models": "Models that can be asked; test an endpoint.",
        "translators": "Translators, their languages, conversion of a checkpoint.",
        "doctor": "Check the installation.",
    },
}
"""Every command with the line that `hesperus --help` shows; each lies in the file of its name."""
_FILES = {"import": "import_"}


class _Root(PlainGroup):
    """The commands, each loaded when it is called for."""

    def list_commands(self, ctx: Context) -> list[str]:
        """Names of all commands, in the order of the help."""
        return [name for group in _GROUPS.values() for name in group]

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        """A command, from its file."""
        if cmd_name not in self.commands and cmd_name in self.list_commands(ctx):
            self.commands[cmd_name] = _loaded(cmd_name)
        return self.commands.get(cmd_name)

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        """The command that is called; an unknown name is answered with the nearest known one."""
        if args and args[0] not in self.list_commands(ctx) and not args[0].startswith("-"):
            raise UnknownNameError("command", args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the commands by what they are for."""
        for title, commands in _GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(11), line) for name, line in commands.items()])


@cache
def _loaded(name: str) -> Command:
    module = import_module(f"hesperus.cli.{_FILES.get(name, name)}")
    group: Commands | None = getattr(module, "app", None)
    if group is None:
        group = Commands()
        group.command(name, cls=getattr(module.command, "help_class", PlainCommand))(module.command)
        return typer.main.get_command(group)
    built = typer.main.get_group(group)
    built.name = name
    return built


app = Commands(
    name="hesperus",
    cls=_Root,
    add_completion=True,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": WIDEST},
    epilog="""The first time, and then with a model of your own:

    hesperus demo

    hesperus run multisense --task atlas --model openai/gpt-4o-mini --source en --target de
    """,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hesperus {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
    plugin: Annotated[
        list[Path] | None,
        typer.Option(help="Python file that adds measures, models, studies, …; it is run. Repeatable."),
    ] = None,
    pack: Annotated[
        list[Path] | None,
        typer.Option(
            help="Language pack (TAG.yaml) to use besides the shipped ones, or in place of one. Repeatable."
        ),
    ] = None,
) -> None:
    """Does a language model give the same answer however the question is put?"""
    warnings.simplefilter("always", HesperusWarning)
    for path in (*(plugin or ()), *(pack or ())):
        from hesperus.plugins import load_file

        load_file(path)
    warnings.showwarning = _Notes().tell  # type: ignore[assignment]  # of its arguments only the first is used


_OUT_OF_OUR_HANDS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG, errno.EIO})
"""A full or broken disk may name no file: standard output on it has none."""


OBJECTS_BETWEEN_COLLECTIONS = 50_000
"""By default Python looks for cycles after 700 new objects: while thousands of requests are asked that is a fifth of the time."""

IDLE_THREADS_SLEEP = ("OPENBLAS_THREAD_TIMEOUT", "4")
"""What has the threads of numpy's OpenBLAS sleep at once when they are idle: by default each keeps a processor busy for a while
after every product, which was a quarter of the time of many small ones and won none. It is read as numpy is loaded."""

MEMORY_IS_GIVEN_BACK = ("_RJEM_MALLOC_CONF", "dirty_decay_ms:200,muzzy_decay_ms:0")
"""What has the allocator of polars (jemalloc) give back soon what was let go: by default it keeps it for ten seconds, which is a
fifth of the memory of a run of 100,000 requests; at once would be a tenth less, but costs a report of 10 million records 7 s of
the system. It is read as polars is loaded."""


def main() -> None:
    """Run the command line; the exit code says what happened.

    0 fine, 1 a failed check, 2 bad use, 3 a model failed, 4 the budget is reached, 5 replies of batches are to come, 70 a defect
    of ours.
    """
    _sound_streams()
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    for name, value in (IDLE_THREADS_SLEEP, MEMORY_IS_GIVEN_BACK):
        os.environ.setdefault(name, value)
    try:
        app(prog_name="hesperus")
    except HesperusError as error:
        word = "pending" if isinstance(error, PendingError) else "error"
        say(f"{word}: {_printable(str(error))}")
        sys.exit(error.exit_code)
    except SystemExit as stopped:
        _interrupted(stopped)
        raise
    except OSError as error:
        # A file that cannot be read or written is the user's to mend; anything else is ours.
        if error.filename is None and error.errno not in _OUT_OF_OUR_HANDS:
            _defect(error)
        what = "standard output" if error.filename is None else str(error.filename)
        say(f"error: {_printable(what)}: {error.strerror}")
        if error.filename is None:
            sys.stdout = _nowhere()  # the interpreter would fail once more when it flushes what is left
        sys.exit(2)
    except MemoryError:
        say("error: there is not enough memory for this")
        sys.exit(3)
    except Exception as error:
        _defect(error)


def _defect(error: Exception) -> NoReturn:
    """Report a defect of ours, or of a plug-in file; an exit code of its own keeps ours apart from a failed check."""
    from hesperus.cli.defects import EXIT_CODE, defect_report
    from hesperus.plugins import fault_of_file

    if fault := fault_of_file(error):
        say(f"error: {_printable(fault)}")
        sys.exit(2)
    sys.stderr.write(f"{_printable(defect_report(error))}\n")
    sys.exit(EXIT_CODE)


def _interrupted(stopped: SystemExit) -> None:
    """Tell an interrupt and a reader that went away from a failed check: typer turns both into exit codes of its own.

    A reader that went away gives 141, as a shell counts it.
    """
    cause = stopped.__context__
    while cause is not None:
        if isinstance(cause, KeyboardInterrupt):
            say("stopped; every reply that came in is kept, run the same command again to go on")
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


class _Notes:
    """Warnings of the library as lines for people, each told once however often a command reads a run."""

    def __init__(self) -> None:
        self.told: set[str] = set()

    def tell(self, message: Warning | str, *_: object) -> None:
        said = str(message)
        if said not in self.told:
            self.told.add(said)
            say(f"note: {_printable(said)}")


def _printable(text: str) -> str:
    """Messages may quote replies and files: control characters must not reach the terminal."""
    return "".join(c if c.isprintable() or c == "\n" else f"\\x{ord(c):02x}" for c in text)
