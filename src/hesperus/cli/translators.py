"""`hesperus translators`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hesperus.cli.flags import Flags, Format, takes_flags
from hesperus.cli.help import Commands, ListGroup
from hesperus.cli.said import say, show_rows

app = Commands(
    cls=ListGroup,
    help="""Translators: which there are, which languages they do, and how to convert a checkpoint.

    Without a command, this lists them.
    """,
)

_TRANSLATORS = "hesperus.translation.translators"

_KINDS = (
    ("apertium", "apertium, apertium/MODE", "rules; the Debian packages apertium and apertium-eng-spa, …"),
    ("ct2", "ct2/FOLDER", "NLLB, M2M-100, MADLAD-400, Opus in CTranslate2's format; extra 'mt'"),
    ("file", "file/PATH", "ready translations: columns source, target, translation, and text or item"),
    ("hf", "hf/ORG/NAME, hf/FOLDER", "the same families in transformers, from safetensors; extra 'hf'"),
    ("none", "none", "texts stay as they are"),
)


@app.command("list")
def listing(
    source: Annotated[str | None, typer.Option("--from", help="Say also who does this language …")] = None,
    target: Annotated[str | None, typer.Option("--to", help="… into this one.")] = None,
    format: Format = "table",
) -> None:
    """List the kinds of translators, what each needs, and who would do a pair.

    For example:

        hesperus translators list

        hesperus translators list --from en --to es
    """
    from hesperus.errors import UsageError
    from hesperus.translation import would_translate
    from hesperus.translation.translator_registry import translators

    if (source is None) != (target is None):
        raise UsageError("--from and --to go together")
    both = source is not None and target is not None
    others = would_translate(source, target) if source is not None and target is not None else ()
    known = {kind: (name, note) for kind, name, note in _KINDS}
    rows = [
        {
            "kind": kind,
            "name": known.get(kind, (f"{kind}/…", ""))[0],
            "ready": _ready(kind),
            "note": known.get(kind, ("", "a plugin"))[1],
        }
        for kind in translators()
    ]
    lacking = sum(str(row["ready"]).startswith("no") for row in rows)
    lead = f"translators: {len(rows)} kinds, {len(rows) - lacking} of them ready"
    shown = (
        sorted(rows, key=lambda row: not str(row["ready"]).startswith("no")) if format == "table" else rows
    )
    show_rows("translators", shown, format, columns=("kind", "name", "ready", "note"), lead=lead)
    if both:
        said = "; ".join(others) or "no translator that hesperus knows"
        say(f"{source} to {target}: {said}")


@app.command()
@takes_flags
def test(
    name: str,
    *,
    source: Annotated[str, typer.Option("--from", help="Language of the text.", show_default=False)],
    target: Annotated[str, typer.Option("--to", help="Language wanted.", show_default=False)],
    text: str = "The house is green.",
    format: Format = "table",
    options: Annotated[
        Any, Flags(f"{_TRANSLATORS}.translator_options:TranslatorOptions", "reads writes device")
    ],
) -> None:
    """Translate one text, and say what came back and how long it took, loading included.

    For example:

        hesperus translators test apertium --from en --to es

        hesperus translators test ct2/nllb-600m --from en --to sw --text "Where is the station?"

    Args:
        name: Translator, such as apertium or ct2/FOLDER.
        text: What to translate.
    """
    import time

    from hesperus.translation.translator_registry import translator

    chosen = translator(name, options)
    started = time.perf_counter()
    (made,) = chosen.translate([text], source, target)
    seconds = time.perf_counter() - started
    row: dict[str, object] = {
        "translator": chosen.name,
        "text": text,
        "translation": made,
        "seconds": round(seconds, 3),
    }
    row |= getattr(chosen, "counts", {})
    show_rows("translators_test", (row,), format, columns=tuple(row), signature=dict(chosen.identity))


@app.command()
@takes_flags
def convert(
    checkpoint: str,
    *,
    out: Path,
    quantization: str | None = None,
    hints: Annotated[Any, Flags(f"{_TRANSLATORS}.checkpoint:Hints", "reads writes")],
) -> None:
    """Convert a checkpoint of NLLB, M2M-100, MADLAD-400 or Opus to CTranslate2's format, tokenizer included.

    Only safetensors are read. The folder appears whole or not at all; afterwards ct2/FOLDER is a translator.

    For example:

        hesperus translators convert facebook/nllb-200-distilled-600M --out nllb-600m --quantization int8

        hesperus translators convert Helsinki-NLP/opus-mt-mul-en --out opus-mul-en --reads de --reads tr

    Args:
        checkpoint: Hugging Face checkpoint: a folder or ORG/NAME.
        out: Folder to make.
        quantization: int8, int8_float16, float16, bfloat16, … (default: as stored).
    """
    from hesperus.translation import convert

    made = convert(checkpoint, out, quantization=quantization, hints=hints)
    say(f"{out}: {made.family}, {made.languages}, reads {made.limit} tokens")


def _ready(kind: str) -> str:
    """Whether what a kind needs is installed, and if not, what to do."""
    import importlib.util
    import shutil

    if kind == "apertium":
        from hesperus.translation.translators.apertium import ApertiumTranslator

        modes = ApertiumTranslator().modes
        if modes and shutil.which("lt-proc") is None:
            return "no: apt-get install lttoolbox apertium"
        return f"yes: {len(modes)} modes" if modes else "no: apt-get install apertium apertium-eng-spa"
    needed = {"ct2": ("ctranslate2", "mt"), "hf": ("transformers", "hf")}
    if kind not in needed:
        return "yes"
    package, extra = needed[kind]
    return "yes" if importlib.util.find_spec(package) else f"no: pip install 'hesperus[{extra}]'"
