"""Any text classifier of transformers as a property evaluator: sentiment, toxicity, refusal and others.

A classifier with one class per text has the one property ``class`` with a level for each of its labels; one with several
labels per text, or with a single one, has a property for each label, present from probability 0.5 on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from hesperus.evaluators.properties.profiles import LEFT_OUT, PRESENCE, Levels, Profiles, profiled
from hesperus.fingerprint import JSON
from hesperus.version import __version__


class TextClassifier:
    """A sequence classification checkpoint.

    Args:
        name: ``hf/ORG/NAME``, ``hf/ORG/NAME@REVISION`` or ``hf/./FOLDER``.
        placing: Device and precision.

    Raises:
        UsageError: No such name, or it is no classifier of texts.
    """

    needs_context = False
    missing = LEFT_OUT

    def __init__(self, name: str, placing: Placing = Placing()) -> None:  # noqa: B008
        checkpoint = locate(source_of(name, prefix="hf/", bare_folders=True))
        config = configuration(checkpoint.folder)
        if config.problem_type == "regression":
            raise UsageError(
                f"{name} gives numbers (regression), and a property has levels; take a classifier"
            )
        self.name = name
        self._source, self._place = checkpoint.origin, Place(placing)
        self._model = load(checkpoint.folder, config, head="AutoModelForSequenceClassification")
        self._model.to(self._place.device)
        self._tokens = Tokens(checkpoint.folder, config)
        if self._model.config.pad_token_id is None:
            # Decoders look for it to find the last token of a row.
            self._model.config.pad_token_id = self._tokens.padding
        labels = _labels(config, name)
        self._several = config.problem_type == "multi_label_classification" or len(labels) == 1
        self.properties = labels if self._several else ("class",)
        self.levels: Mapping[str, tuple[str, ...]] = (
            dict.fromkeys(labels, PRESENCE) if self._several else {"class": labels}
        )

    def signature(self) -> dict[str, JSON]:
        """The checkpoint with its commit, and the precision."""
        return {
            "hesperus": __version__,
            "evaluator": self.name,
            "source": self._source,
            "dtype": self._place.dtype,
            "max_tokens": self._tokens.longest,
        }

    def profiles(self, texts: Sequence[str], contexts: Sequence[str] | None = None) -> Profiles:
        """The likeliest class of each text, or the labels of probability 0.5 and more."""
        return profiled(texts, None, self, lambda places: self._classes([texts[place] for place in places]))

    def _classes(self, texts: Sequence[str]) -> tuple[Levels, int]:
        rows, cut = self._tokens.rows(texts)
        found: Levels = np.zeros((len(rows), len(self.properties)), dtype=np.int32)
        for batch in batches([len(row) for row in rows], self._place.tokens):
            ids, mask = self._place.padded([rows[place] for place in batch], self._tokens.padding)
            with torch.inference_mode(), self._place.precision():
                logits = self._model(input_ids=ids, attention_mask=mask).logits.float()
            levels = logits >= 0.0 if self._several else logits.argmax(dim=-1, keepdim=True)
            found[batch] = levels.cpu().numpy()
        return found, sum(cut)


def _labels(config: Any, name: str) -> tuple[str, ...]:
    """The names of the classes, in the order of the logits."""
    named = tuple(str(config.id2label.get(place, f"LABEL_{place}")) for place in range(config.num_labels))
    if len(set(named)) < len(named):
        raise UsageError(f"{name} has a label twice: {', '.join(named)}")
    return named
