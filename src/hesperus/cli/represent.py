"""`hesperus represent`."""

from __future__ import annotations

from typing import Annotated, Any

from hesperus.cli.flags import INTERVALS, Flags, Format, Quiet, takes_flags
from hesperus.cli.said import say, show_rows


@takes_flags
def command(
    format: Format = "table",
    quiet: Quiet = False,
    **settings: Annotated[
        Any,
        Flags("hesperus.api.representing:represent", arguments="model", without="watch"),
        INTERVALS,
    ],
) -> None:
    """Are a model's inner states alike for one meaning in two languages?

    Cosine of the last token's hidden states of matching sentences, minus that of sentences that do not match, for every
    layer (0: embeddings) and pair of languages. The table shows the mean over pairs of each layer; all pairs are in
    OUT/similarity.parquet. Extra `hf`.

    For example:

        hesperus represent hf/Qwen/Qwen3-0.6B --task belebele --language en --language de --language sw --out states

        hesperus represent hf/./checkpoint --task atlas --language en --language hi --language ar --out states
        --agreement runs/similarity-atlas --format json
    """
    from hesperus.api.representing import represent

    found = represent(watch=None if quiet else say, **settings)
    show_rows("representations", found.layers, format, signature=found.signature)
    left = found.sentences.dropped
    if left:
        some = "; ".join(f"{item}: {why}" for item, why in list(left.items())[:3])
        say(f"{len(left)} items are excluded, such as {some}")
    say(f"all pairs: {settings['out'] / 'similarity.parquet'}")
