"""`hesperus models`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from hesperus.cli.flags import Flags, Format, takes_flags
from hesperus.cli.help import Commands, ListGroup
from hesperus.cli.said import show_rows

if TYPE_CHECKING:
    from hesperus.models import ModelOptions

app = Commands(
    cls=ListGroup,
    help="""Models that can be asked: providers, their keys, and the embedded ones.

    Without a command, this lists them.
    """,
)

_PROTOCOL = "hesperus.models.protocol"
_OTHERS = (
    ("hf", "hf/ORG/NAME", "transformers in this process, or hf/./FOLDER; extra 'hf'"),
    ("inspect", "inspect/PROVIDER/NAME", "any provider of Inspect's model layer; extra 'inspect'"),
    ("replay", "replay/FILE", "stored replies: JSONL, Parquet or a reply store"),
)


@app.command("list")
def listing(format: Format = "table") -> None:
    """List the providers, where they are reached, and whether their key is set (never the key).

    For example:

        hesperus models list

        hesperus models list --format json
    """
    import os

    from hesperus.models import PROVIDERS, prefixes

    rows: list[dict[str, object]] = [
        {
            "provider": provider.name,
            "name": f"{provider.name}/NAME",
            "address": provider.base_url or "--base-url",
            "key": provider.key_variable(),
            "key_set": bool(os.environ.get(provider.key_variable())),
            "key_needed": provider.needs_key,
            "logprobs": provider.top_logprobs > 0,
            "note": "" if provider.base_url else "any OpenAI-compatible endpoint",
        }
        for provider in PROVIDERS.values()
    ]
    rows += [_local("pocket", name, "embedded, offline") for name in _pocket_models()]
    rows += [_local(provider, name, note) for provider, name, note in _OTHERS]
    known = {str(row["provider"]) for row in rows} | {"scripted"}
    rows += [_local(prefix, f"{prefix}/NAME", "plugin") for prefix in prefixes() if prefix not in known]
    lacking = [row for row in rows if row["key_needed"] and not row["key_set"]]
    shown = sorted(rows, key=lambda row: row not in lacking) if format == "table" else rows
    lead = f"models: {len(rows)} ways to name one; {len(lacking)} of them lack their key, the others can be asked"
    show_rows("models", shown, format, lead=lead)


@app.command()
@takes_flags
def test(
    name: str,
    *,
    format: Format = "table",
    options: Annotated[Any, Flags(f"{_PROTOCOL}:ModelOptions", "base_url key_variable")],
    loading: Annotated[Any, Flags(f"{_PROTOCOL}:Loading", "device dtype")],
) -> None:
    """Ask a model a few tiny questions, and show what it can do and which flags a study needs for it.

    Text; log-probabilities of options, and of how many tokens; the system role, the temperature, a seed; echo. Nothing is
    stored.

    For example:

        hesperus models test openai/gpt-4o-mini

        hesperus models test http/my-model --base-url http://localhost:8000/v1

        hesperus models test pocket/s --format json

        hesperus models test hf/./my-checkpoint --device cuda --dtype bfloat16

    Args:
        name: provider/name.
    """
    from hesperus.asking.probing import probe

    options = replace(options, loading=loading)
    rows = tuple(
        {"model": name, "capability": one.name, "works": one.works, "flags": one.flags, "detail": one.detail}
        for one in probe(name, options)
    )
    show_rows("models_test", rows, format, signature={"options": _shown(name, options)})


def _local(provider: str, name: str, note: str) -> dict[str, object]:
    return {
        "provider": provider,
        "name": name,
        "address": None,
        "key": None,
        "key_set": None,
        "key_needed": False,
        "logprobs": None,
        "note": note,
    }


def _pocket_models() -> list[str]:
    from hesperus.models.pocket import SIZES

    return [f"pocket/{size}" for size in SIZES]


def _shown(name: str, options: ModelOptions) -> dict[str, object]:
    """What decides how a model is reached, or how it is loaded."""
    if name.startswith("hf/"):
        return {"device": options.loading.device, "dtype": options.loading.dtype}
    return {"base_url": options.base_url, "key_variable": options.key_variable}
