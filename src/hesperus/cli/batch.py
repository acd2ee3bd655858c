"""`hesperus batch`: requests as files for a machine that this one cannot reach, and their replies back."""

from __future__ import annotations

import shlex
from pathlib import Path

from hesperus.api.declared import DeclaredStudy
from hesperus.cli.help import Commands, PlainCommand
from hesperus.cli.said import say
from hesperus.cli.study_flags import takes_study

app = Commands(
    help="Ask by files: write the requests of a study for a machine without a network, take its replies in.",
    no_args_is_help=True,
)


@takes_study
def export(declared: DeclaredStudy, *, out: Path | None = None, store: Path | None = None) -> None:
    """Write the requests of the next stage of a study as batch files (JSON lines, a request each); sends nothing.

    The files are those of OpenAI's /v1/batches, which vLLM and others answer without a network (`python -m
    vllm.entrypoints.openai.run_batch -i REQUESTS -o REPLIES --model MODEL`). A study of several stages (a model that makes
    a sense is asked about it afterwards) has a file for each: take the replies of one in, and the next is written. Once all
    are in, the run folder is written.

    Exit code 5: requests are to be answered elsewhere.

    For example:

        hesperus batch export multisense --task atlas --model vllm/my-model --source en --target de

    Args:
        out: Run folder, as `hesperus run` has it.
        store: Reply store (default replies.sqlite beside the run folder).
    """
    _run(declared, out, store)


@takes_study
def take_in(
    declared: DeclaredStudy, *, replies: list[Path], out: Path | None = None, store: Path | None = None
) -> None:
    """Take files of replies in, and write the requests of the next stage, or the run folder where none is left.

    The study is given as it was exported. The files are copied next to the reply store. Lines of other requests are passed
    over, and a line that failed is written again with the next requests.

    For example:

        hesperus batch import multisense --task atlas --model vllm/my-model --source en --target de --replies out.jsonl

    Args:
        replies: File of replies (JSON lines).
        out: Run folder, as `hesperus run` has it.
        store: Reply store (default replies.sqlite beside the run folder).
    """
    from hesperus.api.merging import take_replies

    take_replies(declared, replies, out=out, store=store)
    _run(declared, out, store)


def _run(declared: DeclaredStudy, out: Path | None, store: Path | None) -> None:
    from hesperus.api.merging import run_by_files

    run = run_by_files(declared, out=out, store=store)
    for note in run.notes:
        say(note)
    say(f"every reply is there; run folder: {run.folder}   next: hesperus run {shlex.quote(str(run.folder))}")
    run.raise_if_incomplete()


for _name, _body in (("export", export), ("import", take_in)):
    app.command(_name, cls=getattr(_body, "help_class", PlainCommand))(_body)
