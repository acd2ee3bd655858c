"""Any text classifier of transformers as a property evaluator: sentiment, toxicity, refusal and others.

A classifier with one class per text has the one property ``class`` with a level for each of its labels; one with several
labels per text, or with a single one, has a property for each label, present from probability 0.5 on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hesperus.checkpoints import locate, source_of
from hesperus.errors import UsageError
from hesperus.evaluators.properties.encoders import (
    Place,
    Placing,
    Tokens,
    batches,
    configuration,
    load,
    torch,
)
from hesperus.evaluators.properties.profiles import PRESENCE, Classifier, Levels
from hesperus.fingerprint import JSON


def text_classifier(name: str, placing: Placing = Placing()) -> Classifier:  # noqa: B008
    """The likeliest class of each text, or the labels of probability 0.5 and more, by a checkpoint.

    Args:
        name: ``hf/ORG/NAME``, ``hf/ORG/NAME@REVISION`` or ``hf/./FOLDER``.
        placing: Device and precision.

    Raises:
        UsageError: No such name, or it is no classifier of texts.
    """
    checkpoint = locate(source_of(name, prefix="hf/", bare_folders=True))
    config = configuration(checkpoint.folder)
    if config.problem_type == "regression":
        raise UsageError(f"{name} gives numbers (regression), and a property has levels; take a classifier")
    place = Place(placing)
    model = load(checkpoint.folder, config, head="AutoModelForSequenceClassification")
    model.to(place.device)
    tokens = Tokens(checkpoint.folder, config)
    if model.config.pad_token_id is None:
        # Decoders look for it to find the last token of a row.
        model.config.pad_token_id = tokens.padding
    labels = _labels(config, name)
    several = config.problem_type == "multi_label_classification" or len(labels) == 1
    levels = dict.fromkeys(labels, PRESENCE) if several else {"class": labels}

    def classify(texts: Sequence[str], _: Sequence[str]) -> tuple[Levels, int]:
        rows, cut = tokens.rows(texts)
        found: Levels = np.zeros((len(rows), len(levels)), dtype=np.int32)
        for batch in batches([len(row) for row in rows], place.tokens):
            ids, mask = place.padded([rows[number] for number in batch], tokens.padding)
            with torch.inference_mode(), place.precision():
                logits = model(input_ids=ids, attention_mask=mask).logits.float()
            made = logits >= 0.0 if several else logits.argmax(dim=-1, keepdim=True)
            found[batch] = made.cpu().numpy()
        return found, sum(cut)

    identity: dict[str, JSON] = {
        "evaluator": name, "source": checkpoint.origin, "dtype": place.dtype, "max_tokens": tokens.longest,
    }  # fmt: skip
    return Classifier(name, levels, identity, classify)


def _labels(config: Any, name: str) -> tuple[str, ...]:
    """The names of the classes, in the order of the logits."""
    named = tuple(str(config.id2label.get(place, f"LABEL_{place}")) for place in range(config.num_labels))
    if len(set(named)) < len(named):
        raise UsageError(f"{name} has a label twice: {', '.join(named)}")
    return named
