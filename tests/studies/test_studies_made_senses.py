"""What a model writes in place of a translation is found, counted and not asked."""

from __future__ import annotations

import pytest

from hesperus.senses import SenseMaker, naturalise, paraphrase, translate
from hesperus.studies.asked.answering import Fault
from hesperus.studies.asked.making import Step
from hesperus.types import Reply
from languages.said_in import SAID

OWN = SenseMaker("shout", lambda text, source, target: pytest.fail("not asked"), lambda reply, text: reply)  # type: ignore[arg-type,return-value]
QUESTION = "Which of these rivers runs through the capital of the country that lies south of Germany?"


@pytest.mark.parametrize(
    ("maker", "text", "made", "way", "kind"),
    [
        (translate, SAID["en"], SAID["de"], ("en", "de"), None),
        (translate, SAID["en"], SAID["sw"], ("en", "de"), "wrong_language"),
        (translate, SAID["en"], SAID["en"], ("en", "de"), "unchanged"),
        (translate, SAID["en"], "I'm sorry, but I cannot help with that request.", ("en", "de"), "refused"),
        (translate, QUESTION, "Die Donau.", ("en", "de"), "answered"),
        (translate, QUESTION, "Welcher dieser Flüsse fließt durch die Hauptstadt des Landes südlich von Deutschland?", ("en", "de"), None),
        (translate, "Hotel", "Hotel", ("en", "de"), None), (translate, "1,234", "1,234", ("en", "sw"), None),
        (translate, "Johann Sebastian Bach", "Johann Sebastian Bach", ("en", "de"), None),
        (translate, "print(total)", "print(total)", ("en", "de"), None),
        (translate, SAID["id"], SAID["id"], ("id", "ms"), None),
        (paraphrase, SAID["de"], SAID["de"], ("de", "de"), None),
        (naturalise, SAID["de"], SAID["en"], ("de", "de"), "wrong_language"),
        (OWN, SAID["en"], SAID["fr"], ("en", "en"), None),
    ],
)  # fmt: skip
def test_what_stands_in_place_of_a_made_text_is_found(
    maker: SenseMaker, text: str, made: str, way: tuple[str, str], kind: str | None
) -> None:
    found = Step(maker, *way, "a/b").made(Reply(made), text)
    assert (found.kind if isinstance(found, Fault) else None) == kind, found
