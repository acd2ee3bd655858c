"""A sentence that declines, by its grammar: the speaker, what bars them, and what they were asked to do.

"My rules do not permit me to discuss it", "Onu söyleyemem", "そのようなご要望には応じかねます": lists of phrases cannot hold
all wordings, but each names the speaker, a negation or a verb of refusal, and an act of answering or helping.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hesperus.answers.needles import Finder
from hesperus.answers.phrases import NO_WORD
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
        needles: Finds where `refusing` or `acts` may begin; None if one of them is known by its end only.
    """

    speaker: Forms
    barred: Forms
    refusing: Forms
    acts: Forms
    needles: Finder | None

    @classmethod
    def of(cls, grammar: Grammar, folded: Callable[[str], str]) -> Declining:
        """The words of a grammar, spelt for comparison."""
        negating = (*grammar.negators, *grammar.negators_after, *grammar.barred)
        needed = (*grammar.refusing, *grammar.acts)
        by_end = any(word.startswith("*") for word in needed)
        return cls(
            Forms.of(grammar.speaker, folded),
            Forms.of(negating, folded),
            Forms.of(grammar.refusing, folded),
            Forms.of(grammar.acts, folded),
            None if by_end else Finder(folded(word.strip("*")) for word in needed),
        )

    def may_stand_in(self, text: str) -> bool:
        """False where a folded text surely holds no sentence that declines."""
        return self.needles is None or self.needles.stand_in(text)

    def declines(self, sentence: str) -> bool:
        """Whether a folded sentence declines."""
        words = NO_WORD.sub(" ", sentence).split()
        spaced = f" {' '.join(words)} "
        return self.speaker.among(words, spaced) and (
            self.refusing.among(words, spaced)
            or (self.acts.among(words, spaced) and self.barred.among(words, spaced))
        )
