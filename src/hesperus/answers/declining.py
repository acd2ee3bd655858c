"""A sentence that declines, by its grammar: the speaker, what bars them, and what they were asked to do.

"My rules do not permit me to discuss it", "Onu söyleyemem", "そのようなご要望には応じかねます": lists of phrases cannot hold
all wordings, but each names the speaker, a negation or a verb of refusal, and an act of answering or helping.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hesperus.answers.word_forms import Forms
from hesperus.languages.grammar import Grammar


@dataclass(frozen=True, slots=True, eq=False)
class Declining:
    """The words of one language by which a sentence declines.

    Attributes:
        speaker: Who declines.
        barred: What negates or bars.
        refusing: What declines without a negation.
        acts: What is declined.
    """

    speaker: Forms
    barred: Forms
    refusing: Forms
    acts: Forms

    @classmethod
    def of(cls, grammar: Grammar, folded: Callable[[str], str]) -> Declining:
        """The words of a grammar, spelt for comparison."""
        negating = (*grammar.negators, *grammar.negators_after, *grammar.barred)
        return cls(
            Forms.of(grammar.speaker, folded),
            Forms.of(negating, folded),
            Forms.of(grammar.refusing, folded),
            Forms.of(grammar.acts, folded),
        )

    def declines(self, words: Sequence[str], spaced: str) -> bool:
        """Whether a sentence declines.

        Args:
            words: The sentence's words, folded (see `hesperus.answers.phrases.words_of`).
            spaced: The same words with one blank before and behind each.
        """
        return self.speaker.among(words, spaced) and (
            self.refusing.among(words, spaced)
            or (self.acts.among(words, spaced) and self.barred.among(words, spaced))
        )
