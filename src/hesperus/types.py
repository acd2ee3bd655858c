"""The values that pass between rooms. All are frozen; none does work.

The words are the field's: an *item* has one meaning and one gold label; a *sense* is one way of putting it; a
*prompt* is what a model is sent; a *reply* is what it sent back; an *answer* is what the reply meant.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

Outcome = Literal[
    "answered", "invalid", "empty", "truncated", "refused", "blocked", "wrong_language", "error"
]
"""What became of a reply. Only ``answered`` carries a label; the others say why it is absent."""

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

Finish = Literal["stop", "length", "filter", "unknown"]
"""Why a model stopped: by itself, at its token limit, held back by a filter, or it did not say."""


@dataclass(frozen=True, slots=True)
class Item:
    """One question in one language.

    Attributes:
        id: Stable key, the same in every language.
        language: BCP-47 tag of the fields.
        fields: Field name to text, in the order in which the task asks them.
        gold: Canonical label, or None if there is no right answer.
        options: Texts of the options in label order (``A`` first); None if the task's labels are fixed words.
        groups: Group columns that travel into the records, such as ``subject``.
        accepted: For open answers: canonical label (the same word in every language) to the texts by which it may be
            given in this item's language, the preferred one first. The gold label is among the keys where its spelling
            or an alias is known; the labels of options may be too.
    """

    id: str
    language: str
    fields: Mapping[str, str]
    gold: str | None = None
    options: tuple[str, ...] | None = None
    groups: Mapping[str, str] = field(default_factory=dict)
    accepted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


_SENSE = re.compile(
    r"(?P<language>[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*)"
    r"(?:_from_(?P<source>[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*)"
    r"|_via_(?P<via>[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*))?"
    r"(?:~(?P<variant>[A-Za-z0-9][A-Za-z0-9_.-]*))?"
    r"(?:@(?P<maker>[A-Za-z0-9][A-Za-z0-9_./:-]*))?"
)


@dataclass(frozen=True, slots=True)
class Sense:
    """One way of putting an instruction or an input; its code is what is in the records.

    ``en`` is the original; ``de_from_en`` was made by the model itself, ``de_from_en@nllb`` by another;
    ``en~paraphrase`` is a variant in the same language; ``en_via_zh`` went to Chinese and back.
    """

    language: str
    source: str | None = None
    via: str | None = None
    variant: str | None = None
    maker: str | None = None

    @property
    def code(self) -> str:
        """The code that is in the columns ``instruction`` and ``input``."""
        made = f"_from_{self.source}" if self.source else f"_via_{self.via}" if self.via else ""
        variant = f"~{self.variant}" if self.variant else ""
        maker = f"@{self.maker}" if self.maker else ""
        return f"{self.language}{made}{variant}{maker}"

    @property
    def is_original(self) -> bool:
        """True where the benchmark itself gave the text."""
        return (self.source, self.via, self.variant, self.maker) == (None, None, None, None)

    @property
    def origin(self) -> str:
        """The language of the original that this sense was made from: it decides which gold holds."""
        return self.source or self.language

    @classmethod
    def parse(cls, code: str) -> Sense:
        """Read a sense code.

        Raises:
            ValueError: The code does not follow the grammar above.
        """
        match = _SENSE.fullmatch(code)
        if match is None:
            raise ValueError(
                f"{code!r} is no sense code; write 'en', 'de_from_en', 'de_from_en@nllb', 'en~paraphrase' or 'en_via_zh'"
            )
        return cls(**match.groupdict())

    def __str__(self) -> str:
        return self.code


@dataclass(frozen=True, slots=True)
class Instruction:
    """What is asked of an input, in parts, so that a model can translate each by itself.

    Attributes:
        language: BCP-47 tag.
        prefix: Text before the input; may be empty.
        words: Field name to the word that announces it ("Sentence"); empty where the layout needs none.
        suffix: Text after the input, usually naming the answers.
        answers: Canonical label to the words that represent it in this language, the first preferred.
    """

    language: str
    prefix: str
    words: Mapping[str, str]
    suffix: str
    answers: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is sent: one user turn, after an optional system text."""

    user: str
    system: str | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """How a reply is drawn. None leaves a setting to the model.

    Attributes:
        temperature: Softmax temperature, 0 for greedy. Models that think refuse any but their own.
        max_tokens: Longest reply in tokens, thinking included. None is 4096 over HTTP, which leaves room for thinking, and
            256 for models that run here.
        top_p: Nucleus mass in (0, 1].
        seed: Sampling seed, for endpoints that take one.
    """

    temperature: float | None = None
    max_tokens: int | None = None
    top_p: float | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """One question to one model: everything that decides the reply, hence everything in the store's key.

    Attributes:
        model: ``provider/name``.
        prompt: The text.
        settings: How the reply is drawn.
        options: Continuations to score by log-probability; None asks for generated text.
        repeat: 1, 2, …; a new repeat is a new question.
    """

    model: str
    prompt: Prompt
    settings: Settings = Settings()
    options: tuple[str, ...] | None = None
    repeat: int = 1


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model sent back.

    Attributes:
        text: The generated text; empty where only options were scored.
        finish: Why it stopped.
        option_logprobs: Natural-log probability of each option of the request, in its order.
        tokens_in: Tokens of the prompt as the endpoint counted them, or None.
        tokens_out: Tokens of the reply, likewise.
        served_by: The exact model version that the endpoint named, or None.
        reasoning: What the model wrote before its answer, where it thinks aloud and the endpoint shows it; never read as
            an answer.
    """

    text: str
    finish: Finish = "stop"
    option_logprobs: tuple[float, ...] | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    served_by: str | None = None
    reasoning: str | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """A request that got no reply. Never stored: the next run asks again.

    Attributes:
        kind: Short machine word, e.g. ``http_401``, ``timeout``, ``bad_json``, ``budget``.
        message: What happened and what to do, for people; holds no secret.
    """

    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reply meant.

    Attributes:
        outcome: One of OUTCOMES.
        label: Canonical label, exactly where the outcome is ``answered``.
        rule: Name of the rule that read it, so that a person can look up why.
        probs: Probability of each option, in label order, where the model gave them.
    """

    outcome: Outcome
    label: str | None = None
    rule: str = ""
    probs: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """One row of the records table (see hesperus.records for the columns)."""

    model: str
    task: str
    item: str
    instruction: str
    input: str
    repeat: int
    outcome: Outcome
    answer: str | None = None
    gold: str | None = None
    options: tuple[str, ...] | None = None
    probs: tuple[float, ...] | None = None
    reply: str | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its interval, and what it rests on.

    Attributes:
        value: The estimate; None if it is undefined, and then ``reason`` says why.
        low: Lower end of the interval, or None.
        high: Upper end of the interval, or None.
        n: Items it rests on.
        excluded: Items left out.
        reason: Why the value is undefined or why items were left out; empty otherwise.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    excluded: int = 0
    reason: str = ""
