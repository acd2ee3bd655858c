"""What holds of texts for every translator: which of them there is anything to translate in."""

from __future__ import annotations

from collections.abc import Sequence

from hesperus.errors import PermanentError


def with_content(name: str, texts: Sequence[str]) -> list[int]:
    """Places of the texts that hold more than white space, from 0; the others stay as they are.

    Args:
        name: The translator, for the message.
        texts: What is to be translated.

    Raises:
        PermanentError: A text is no Unicode text (half of a surrogate pair).
    """
    for number, text in enumerate(texts):
        # isascii is much quicker than encoding, and most texts that are long enough to matter in time pass it.
        if not text.isascii():
            try:
                text.encode("utf-8")
            except UnicodeEncodeError as error:
                raise PermanentError(
                    f"{name}: text {number + 1} of {len(texts)} holds half of a surrogate pair at character "
                    f"{error.start + 1}; it was decoded wrongly",
                    kind="bad_text",
                ) from error
    return [number for number, text in enumerate(texts) if text and not text.isspace()]
