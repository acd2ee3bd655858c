"""How a translator is made and run, where its name does not say it."""

from __future__ import annotations

from dataclasses import dataclass

from hesperus.errors import UsageError


@dataclass(frozen=True, slots=True)
class TranslatorOptions:
    """Options of all translators; one that an option means nothing to ignores it.

    Attributes:
        device: ``cpu``, ``cuda``, ``cuda:1``, or ``auto`` for the GPU if there is one.
        compute_type: Numbers that the model computes with: ``default`` (as stored), ``float32``, ``float16``,
            ``bfloat16``; with CTranslate2 also ``int8`` and ``auto`` (the quickest that the device has).
        batch_tokens: Source tokens that are translated at a time; texts of like length go together. The default
            suits a CPU's cache; a GPU wants 8192 or more.
        max_input_tokens: Longest input; None for what the model says it reads. Longer texts are an error.
        max_output_tokens: Longest translation; one that reaches it is counted as cut.
        threads: Threads of one translation on the CPU; 0 lets the library choose.
        reads: Tag of a language that an Opus model reads, where its name does not tell.
        writes: Tag of the language that it writes, likewise.
        patience: Seconds without any output before Apertium's processes are taken for hung.
    """

    device: str = "auto"
    compute_type: str = "default"
    batch_tokens: int = 1024
    max_input_tokens: int | None = None
    max_output_tokens: int = 512
    threads: int = 0
    reads: tuple[str, ...] = ()
    writes: str | None = None
    patience: float = 60.0

    def __post_init__(self) -> None:
        for name in ("batch_tokens", "max_output_tokens"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be 1 or more, not {getattr(self, name)}")
        if self.max_input_tokens is not None and self.max_input_tokens < 4:
            raise UsageError(f"max_input_tokens must be 4 or more, not {self.max_input_tokens}")
        if self.threads < 0:
            raise UsageError(f"threads must be 0 (let the library choose) or more, not {self.threads}")
