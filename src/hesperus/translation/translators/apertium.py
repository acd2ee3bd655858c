"""Apertium: rule-based translation by the pairs that the system has (Debian packages ``apertium-eng-spa``, …).

Deterministic, offline and quick; the same text always gives the same translation, whatever the decoding.

Reference:
    Forcada et al. 2011, "Apertium: a free/open-source platform for rule-based machine translation".
"""

from __future__ import annotations

import hashlib
import re
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from hesperus.errors import PermanentError, UnknownNameError, UsageError
from hesperus.translation.codes import debian_modes, mode_languages, mode_of, unsupported
from hesperus.translation.translator import GREEDY, Decoding
from hesperus.translation.translators.apertium_pipeline import Pipeline, StoppedError, commands_of, stages
from hesperus.translation.translators.apertium_stream import Streamed, streamed
from hesperus.translation.translators.files import with_content

FOLDERS = (Path("/usr/share/apertium/modes"), Path("/usr/local/share/apertium/modes"))
"""Where packages put their modes."""


class ApertiumTranslator:
    """Translates by the installed pairs; its processes are started with the first text and stay.

    Args:
        mode: One mode, such as ``eng-spa``, in place of all that are installed.
        folders: Where mode files are.
        patience: Longest time without any output before the stages are started again, in seconds.

    Raises:
        UnknownNameError: The mode is not installed; the message names the Debian package that holds it.
        UsageError: The patience is no positive number.
    """

    def __init__(
        self, mode: str | None = None, *, folders: Sequence[Path] = FOLDERS, patience: float = 60.0
    ) -> None:
        if not patience > 0:
            raise UsageError(f"the patience with Apertium must be more than 0 seconds, not {patience}")
        found = {file.stem: file for folder in reversed(folders) for file in sorted(folder.glob("*.mode"))}
        if mode is not None and mode not in found:
            package = debian_modes().get(mode)
            hint = f"apt-get install apertium {package}" if package else "`apertium -l` lists those installed"
            raise UnknownNameError("mode of Apertium", mode, found, hint)
        self._modes = {mode: found[mode]} if mode else found
        self._only = mode
        self.name = f"apertium/{mode}" if mode else "apertium"
        self._patience = patience
        self._running: dict[str, Pipeline] = {}
        self._one_at_a_time = threading.Lock()
        self._counts = {"texts": 0, "unknown_words": 0, "lost_marks": 0, "restarts": 0}
        weakref.finalize(self, _close, self._running)

    @cached_property
    def identity(self) -> Mapping[str, str]:
        """A hash of the data of every mode that may be used; another version of a package is another identity."""
        return MappingProxyType(
            {
                "translator": self.name,
                **{mode: _data_hash(file) for mode, file in sorted(self._modes.items())},
            }
        )

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes that are installed, sorted."""
        return tuple(sorted(self._modes))

    @property
    def counts(self) -> Mapping[str, int]:
        """What happened so far: texts, unknown words (left as they were), lost marks, restarts of the stages."""
        return MappingProxyType(dict(self._counts))

    def supports(self, source: str, target: str) -> bool:
        """Whether an installed mode does this pair.

        A pair of which a command is not installed is refused with the name of its Debian package.
        """
        mode = self._mode(source, target)
        if mode is not None:
            stages(self._modes[mode])
        return mode is not None

    def translate(
        self, texts: Sequence[str], source: str, target: str, decoding: Decoding = GREEDY
    ) -> Sequence[str]:
        """Translate each text; see hesperus.translation.Translator. The decoding changes nothing."""
        mode = self._mode(source, target)
        if mode is None:
            raise self._unsupported(source, target)
        done = list(texts)
        places = with_content(self.name, texts)
        # Stages know nothing of NUL but the end of a text, so the parts around one are texts of their own.
        parts = {place: texts[place].split("\0") for place in places}
        wanted = dict.fromkeys(part for split in parts.values() for part in split if part.strip())
        with self._one_at_a_time:
            made = self._made(mode, tuple(wanted))
            for place, split in parts.items():
                done[place] = "\0".join(made.get(part, part) for part in split)
            self._counts["texts"] += len(texts)
        return done

    def close(self) -> None:
        """End the processes; a further text starts them again."""
        with self._one_at_a_time:
            _close(self._running)

    def _mode(self, source: str, target: str) -> str | None:
        if self._only:
            # A variant that tags cannot name (eng-cat_valencia_uni) does what the mode without its marks does.
            plain = self._only if mode_languages(self._only) else re.sub("_[^-]*", "", self._only)
            return self._only if mode_of(source, target, (plain,)) else None
        return mode_of(source, target, tuple(self._modes))

    def _unsupported(self, source: str, target: str) -> UsageError:
        package = debian_modes().get(mode_of(source, target, tuple(debian_modes())) or "")
        if package and not self._only:
            return UsageError(
                f"Apertium has no pair from {source} to {target} on this machine: apt-get install apertium {package}"
            )
        return unsupported(self.name, source, target, ", ".join(self.modes[:8]))

    def _made(self, mode: str, texts: tuple[str, ...]) -> dict[str, str]:
        """Translations by text. Stages that end are started again, and go on where they stopped."""
        sent = [streamed(text) for text in texts]
        made: dict[str, str] = {}
        failed_at = -1
        while len(made) < len(texts):
            start = len(made)
            pipeline = self._running.get(mode)
            if pipeline is None:
                pipeline = self._running[mode] = Pipeline(stages(self._modes[mode]), self._patience)
            try:
                for came in pipeline.run([one.stream for one in sent[start:]]):
                    if not Streamed.whole(came) and not _stays(pipeline):
                        raise StoppedError("Apertium's stages ended in the middle of a text", kind="stopped")
                    made[texts[len(made)]] = self._read(sent[len(made)], came)
            except StoppedError as error:
                self._running.pop(mode).close()
                self._counts["restarts"] += 1
                if len(made) == failed_at:
                    text = texts[failed_at]
                    raise PermanentError(
                        f"{self.name}: {error}, twice at the same text of {len(text):,} characters: {text[:60]!r}",
                        kind="stopped",
                    ) from error
                failed_at = len(made)
            except BaseException:
                # What is still in the pipes would be taken for the answer to the next text.
                self._running.pop(mode).close()
                raise
        return made

    def _read(self, sent: Streamed, came: str) -> str:
        read = sent.read(came)
        self._counts["unknown_words"] += read.unknown
        self._counts["lost_marks"] += read.lost
        return read.text


def _stays(pipeline: Pipeline) -> bool:
    # A stage closes its pipes a moment before it can be seen to have ended.
    time.sleep(0.05)
    return pipeline.alive


def _close(running: dict[str, Pipeline]) -> None:
    while running:
        running.popitem()[1].close()


def _data_hash(mode: Path) -> str:
    """Hash of a mode file and of every data file that it names."""
    digest = hashlib.blake2b(mode.read_bytes(), digest_size=16)
    for command in commands_of(mode):
        for word in command[1:]:
            path = Path(word)
            if path.is_absolute() and path.is_file():
                with path.open("rb") as data:
                    digest.update(hashlib.file_digest(data, "blake2b").digest())
    return digest.hexdigest()
