"""Log-probabilities of options from endpoints that show only some of them.

``chat`` asks for one token with its most likely alternatives, and reads each option off the alternatives that
begin it. Limits, which every report on such numbers should state: only an option's *first token* is scored; an
option that is not among the alternatives has no number, and then the request fails rather than guess; options
that begin alike ("Canada", "Canberra") cannot be told apart unless a token reaches past what they share; the
endpoint's chat template is before the token.

``echo`` has the completions endpoint return the log-probability of every token of prompt + option, and sums those
of the option: exact for any option, but the prompt goes in plain, without a chat template, so it fits base models.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from hesperus.errors import PermanentError


def first_token_logprobs(
    options: Sequence[str], alternatives: Mapping[str, float], where: str
) -> tuple[float, ...]:
    """Natural-log probability of each option's first token.

    Per option, the longest token that begins it and no other option is taken, summed over its variants with and
    without surrounding blanks.

    Args:
        options: Texts of the options.
        alternatives: Token to natural-log probability at the first position.
        where: Model and host, for messages.

    Raises:
        PermanentError: An option has no number (kind ``option_not_shown``).
    """
    bare = [option.strip() for option in options]
    best: list[dict[str, float]] = [{} for _ in options]
    for token, logprob in alternatives.items():
        stem = token.strip()
        exact = [i for i, option in enumerate(bare) if option == stem]
        begun = exact or [i for i, option in enumerate(bare) if stem and option.startswith(stem)]
        if len(begun) == 1:
            held = best[begun[0]].get(stem)
            best[begun[0]][stem] = logprob if held is None else _add(held, logprob)
    missing = [option for option, stems in zip(bare, best, strict=True) if not stems]
    if missing:
        shown = ", ".join(repr(option[:40]) for option in missing[:5])
        raise PermanentError(
            f"{where} shows no log-probability for {len(missing)} of {len(bare)} options ({shown}): not among the "
            f"{len(alternatives)} most likely first tokens, or begun like another option; ask for text instead "
            "(--scoring generate)",
            kind="option_not_shown",
        )
    return tuple(stems[max(stems, key=len)] for stems in best)


def chat_alternatives(choice: Mapping[str, Any], where: str) -> dict[str, float]:
    """Alternatives at the first token of a chat completion, in the current form or the older parallel lists.

    Raises:
        PermanentError: The endpoint returned none (kind ``no_logprobs``).
    """
    shown = choice.get("logprobs")
    found: dict[str, float] = {}
    if isinstance(shown, dict):
        content = shown.get("content")
        older = shown.get("top_logprobs")
        if isinstance(content, list) and content and isinstance(content[0], dict):
            entries = content[0].get("top_logprobs")
            for entry in entries if isinstance(entries, list) else []:
                if isinstance(entry, dict) and isinstance(entry.get("token"), str):
                    _keep(found, entry["token"], entry.get("logprob"))
        elif isinstance(older, list) and older and isinstance(older[0], dict):
            for token, logprob in older[0].items():
                _keep(found, token, logprob)
    if not found:
        raise PermanentError(
            f"{where} returned no log-probabilities; it may not offer them: ask for text instead (--scoring generate)",
            kind="no_logprobs",
        )
    return found


def echoed_logprob(choice: Mapping[str, Any], prompt: str, option: str, where: str) -> float:
    """Natural-log probability of the option after the prompt, summed over its tokens.

    A token that spans the border between prompt and option counts to the option, as it cannot be divided. Tokens
    generated after the option are left out.

    Raises:
        PermanentError: The endpoint did not echo the prompt with log-probabilities (kind ``no_logprobs``).
    """
    logged = choice.get("logprobs")
    shown: dict[str, Any] = logged if isinstance(logged, dict) else {}
    offsets, tokens, logprobs = (shown.get(k) for k in ("text_offset", "tokens", "token_logprobs"))
    text = str(choice.get("text", ""))
    if (
        not (isinstance(offsets, list) and isinstance(tokens, list) and isinstance(logprobs, list))
        or not len(offsets) == len(tokens) == len(logprobs) > 0
        or not all(isinstance(offset, int) for offset in offsets)
        or not isinstance(tokens[-1], str)
        or not text.startswith(prompt + option)
    ):
        raise PermanentError(
            f"{where} does not echo prompts with log-probabilities; use chat scoring or ask for text (--scoring generate)",
            kind="no_logprobs",
        )
    # Servers that count a start token which the text does not show report every offset too high by its length.
    shift = max(0, offsets[-1] + len(tokens[-1]) - len(text))
    borders = pairwise([*(offset - shift for offset in offsets), len(text)])
    end = len(prompt) + len(option)
    spans = zip(borders, logprobs, strict=True)
    picked = [logprob for (start, stop), logprob in spans if start < end and stop > len(prompt)]
    if not picked or not all(_finite(value) for value in picked):
        raise PermanentError(
            f"{where} gave no log-probability for a token of option {option[:40]!r}", kind="no_logprobs"
        )
    return math.fsum(picked)


def _keep(found: dict[str, float], token: str, logprob: object) -> None:
    """Note a token's log-probability; the same token twice (as bytes differ) adds up."""
    if _finite(logprob):
        value = float(logprob)  # type: ignore[arg-type]
        found[token] = _add(found[token], value) if token in found else value


def _finite(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _add(a: float, b: float) -> float:
    """log(exp(a) + exp(b)), without overflow."""
    high, low = max(a, b), min(a, b)
    return high + math.log1p(math.exp(low - high))
