"""From text to tokens: chat templates, and where a prompt ends and an option begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

from hesperus.errors import PermanentError
from hesperus.models.faults import excerpt
from hesperus.models.hf.trees import Tokens, common
from hesperus.types import Prompt

Piece = tuple[str, bool]
"""Text, and whether it comes from outside: such text never holds a control token, whatever it says."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A prompt with options, as tokens.

    Attributes:
        prompt: Tokens that all options follow.
        options: Tokens of each option.
    """

    prompt: Tokens
    options: tuple[Tokens, ...]


class Encoder:
    """Puts prompts into a checkpoint's chat template, or as plain text where it has none, and into tokens.

    Args:
        tokenizer: Of the checkpoint.
        arguments: Further arguments of the chat template.
        name: For messages.
    """

    def __init__(self, tokenizer: Any, arguments: Mapping[str, Any], name: str) -> None:
        self._tokenizer = tokenizer
        self._arguments = dict(arguments)
        self._name = name

    @property
    def chats(self) -> bool:
        """Whether the checkpoint has a chat template."""
        return bool(self._tokenizer.chat_template)

    def prompt(self, prompt: Prompt, *, plain: bool = False) -> Tokens:
        """Tokens of a prompt, up to where the reply begins.

        Args:
            prompt: The text.
            plain: Leave the chat template out.

        Raises:
            PermanentError: The chat template refuses it, or it has no tokens at all (kind ``bad_prompt``).
        """
        return self._begun(self._encoded([self._pieces(prompt, plain)])[0], plain)

    def scored(self, asked: Sequence[tuple[Prompt, Sequence[str]]], *, plain: bool = False) -> list[Scored]:
        """Tokens of prompts and of each option as a continuation of its prompt.

        An option is read as what follows the prompt, not by itself. Where a token spans the border between the prompt and
        one of the options, all options begin before it, so that all follow the same tokens; what they share there counts
        for all alike.

        Args:
            asked: Prompts, each with the texts that continue it.
            plain: Leave the chat template out.

        Raises:
            PermanentError: As of `prompt`.
        """
        begun = [self._pieces(prompt, plain) for prompt, _ in asked]
        texts = [
            [*pieces, *more]
            for pieces, (_, options) in zip(begun, asked, strict=True)
            for more in ((), *(((option, True),) for option in options))
        ]
        encoded = iter(self._encoded(texts))
        found = []
        for _, options in asked:
            alone = next(encoded)
            whole = [next(encoded) for _ in options]
            border = min([len(alone), *(common(alone, tokens) for tokens in whole)])
            first = self._begun(alone, plain)
            shared = first[: len(first) - len(alone) + border] or self._first()
            found.append(Scored(shared, tuple(tokens[border:] for tokens in whole)))
        return found

    def text(self, text: str) -> Tokens:
        """Tokens of a plain text."""
        return self._begun(self._encoded([[(text, True)]])[0], plain=True)

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of a reply, control tokens left out."""
        return str(
            self._tokenizer.decode(list(tokens), skip_special_tokens=True, clean_up_tokenization_spaces=False)
        )

    def _pieces(self, prompt: Prompt, plain: bool) -> list[Piece]:
        if plain or not self.chats:
            return [("\n\n".join(part for part in (prompt.system, prompt.user) if part), True)]
        turns = [{"role": "user", "content": prompt.user}]
        refused = import_module("jinja2").TemplateError
        if prompt.system:
            try:
                return self._in_template([{"role": "system", "content": prompt.system}, *turns])
            except refused:
                # Templates that know no system text say so; it then opens the user's turn.
                turns = [{"role": "user", "content": f"{prompt.system}\n\n{prompt.user}"}]
        try:
            return self._in_template(turns)
        except refused as error:
            raise PermanentError(
                f"{self._name}: its chat template refuses the prompt: {excerpt(str(error))}",
                kind="bad_prompt",
            ) from None

    def _rendered(self, turns: list[dict[str, str]]) -> str:
        return str(
            self._tokenizer.apply_chat_template(
                turns, tokenize=False, add_generation_prompt=True, **self._arguments
            )
        )

    def _in_template(self, turns: list[dict[str, str]]) -> list[Piece]:
        """The prompt in its template; in pieces where it holds the text of a control token, which it may not become."""
        rendered = self._rendered(turns)
        if not any(self._holds_control(turn["content"]) for turn in turns):
            return [(rendered, False)]
        marks = [f"\ue000{place}\ue001" for place in range(len(turns))]
        around = self._rendered([{**turn, "content": mark} for turn, mark in zip(turns, marks, strict=True)])
        for strip in (False, True):
            pieces: list[Piece] = []
            rest = around
            for turn, mark in zip(turns, marks, strict=True):
                before, found, rest = rest.partition(mark)
                # A template may leave a turn out, such as a system text.
                if not found:
                    rest = before
                    continue
                pieces += [(before, False), (turn["content"].strip() if strip else turn["content"], True)]
            pieces.append((rest, False))
            if "".join(text for text, _ in pieces) == rendered:
                return pieces
        raise PermanentError(
            f"{self._name}: the prompt holds the text of a control token, and the chat template changes the prompt, so the "
            "two cannot be told apart; reword the item",
            kind="bad_prompt",
        )

    def _encoded(self, many: Sequence[Sequence[Piece]]) -> list[Tokens]:
        """Tokens of texts in pieces, without any that the tokenizer would add; what is alike, and most of it, at once."""
        outside = {text for pieces in many for text, is_outside in pieces if is_outside}
        control = {(text, True) for text in outside if self._holds_control(text)}
        whole = ["".join(text for text, _ in pieces) for pieces in many]
        calm = [control.isdisjoint(pieces) for pieces in many]
        texts = list(dict.fromkeys(text for text, is_calm in zip(whole, calm, strict=True) if is_calm))
        found = self._at_once(texts)
        tokens = dict(zip(texts, map(tuple, found), strict=True))
        return [
            tokens[text] if is_calm
            else tuple(token for part, split in pieces if part for token in self._tokens(part, split=split))
            for text, is_calm, pieces in zip(whole, calm, many, strict=True)
        ]  # fmt: skip

    def _at_once(self, texts: Sequence[str]) -> Sequence[Sequence[int]]:
        """Tokens of many texts. Where there is a fast tokenizer it is asked itself: what transformers wraps it in takes as long as it."""
        fast = getattr(self._tokenizer, "backend_tokenizer", None)
        if fast is None:
            return (
                self._tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"] if texts else []
            )
        fast.no_truncation()
        fast.no_padding()
        fast.encode_special_tokens = bool(getattr(self._tokenizer, "split_special_tokens", False))
        return [one.ids for one in fast.encode_batch_fast(list(texts), add_special_tokens=False)]

    def _tokens(self, text: str, *, split: bool = False) -> Tokens:
        given = {"split_special_tokens": True} if split else {}
        return tuple(self._tokenizer(text, add_special_tokens=False, verbose=False, **given)["input_ids"])

    def _begun(self, tokens: Tokens, plain: bool) -> Tokens:
        """With what the tokenizer puts before a plain text; a chat template brings its own."""
        lead = self._lead if plain or not self.chats else ()
        return lead + tokens or self._first()

    def _first(self) -> Tokens:
        """Something to follow, where a prompt is empty."""
        for token in (self._tokenizer.bos_token_id, self._tokenizer.eos_token_id):
            if token is not None:
                return (int(token),)
        raise PermanentError(
            f"{self._name}: the prompt is empty, and the tokenizer has no token to begin with",
            kind="bad_prompt",
        )

    @cached_property
    def _lead(self) -> Tokens:
        """Tokens that the tokenizer puts before a text; what it may put after one would end it."""
        bare = self._tokens("a")
        dressed = tuple(self._tokenizer("a", verbose=False)["input_ids"])
        for start in range(len(dressed) - len(bare) + 1):
            if dressed[start : start + len(bare)] == bare:
                return dressed[:start]
        return ()

    def _holds_control(self, text: str) -> bool:
        return any(control in text for control in self._controls)

    @cached_property
    def _controls(self) -> tuple[str, ...]:
        known = getattr(self._tokenizer, "added_tokens_decoder", {}).values()
        special = {str(token.content) for token in known if token.special}
        return tuple(sorted(special | set(self._tokenizer.all_special_tokens)))
