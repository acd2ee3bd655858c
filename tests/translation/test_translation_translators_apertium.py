"""Apertium: real pairs, real processes, and texts that try to be taken for marks of its stream."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hesperus.errors import PermanentError, UnknownNameError, UsageError
from hesperus.translation.translators import apertium_pipeline
from hesperus.translation.translators.apertium import FOLDERS, ApertiumTranslator
from hesperus.translation.translators.apertium_stream import streamed
from waiting import LIMIT

MODE = FOLDERS[0] / "eng-spa.mode"


@pytest.fixture(scope="module")
def translator() -> Iterator[ApertiumTranslator]:
    made = ApertiumTranslator()
    yield made
    made.close()


def test_real_sentences_in_several_pairs(translator: ApertiumTranslator) -> None:
    assert translator.translate(["The house is green.", "I like dogs"], "en", "es") == [
        "La casa es verde.",
        "Me gustan los perros",
    ]
    assert translator.translate(["La casa es verde."], "es-MX", "eng_Latn") == ["The house is green."]
    if "fra-cat" in translator.modes:
        assert translator.translate(["La maison est verte."], "fr", "ca") == ["La casa és verda."]


def test_what_the_stream_reserves_comes_through(translator: ApertiumTranslator) -> None:
    text = r"- **The house** [1] is {a} ^x$ <b> @bob #1 \n `green`, 3*4=12; see https://a.org/the/house?x=1."
    (made,) = translator.translate([text], "en", "es")
    for kept in (
        "**",
        "[1]",
        "{",
        "^",
        "$",
        "<",
        ">",
        "@bob",
        "#1",
        "\\n",
        "`",
        "3*4=12",
        "https://a.org/the/house?x=1",
    ):
        assert kept in made
    assert "La casa" in made and "verde" in made


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=30), min_size=1, max_size=5))
def test_any_text_gives_one_translation_and_keeps_its_reserved_characters(
    translator: ApertiumTranslator, texts: list[str]
) -> None:
    made = translator.translate(texts, "en", "es")
    assert len(made) == len(texts)
    for text, one in zip(texts, made, strict=True):
        assert sorted(c for c in one if c in r"[]{}^$<>\/@*#~+") == sorted(
            c for c in text if c in r"[]{}^$<>\/@*#~+"
        )
    assert translator.counts["restarts"] == 0


def test_unknown_words_are_counted_and_their_marks_removed() -> None:
    translator = ApertiumTranslator("eng-spa")
    assert translator.translate(["The zorblax is green and *grumbled*."], "en", "es") == [
        "El zorblax es verde y *grumbled*."
    ]
    assert translator.counts["unknown_words"] == 2
    translator.close()


def test_empty_long_and_odd_texts(translator: ApertiumTranslator) -> None:
    long = "The house is green. " * 1000
    texts = ["", "  ", "\n", "The cat\nsat.", "Dogs\x07 and\0cats", "🐱", long, "x" * 50_000]
    made = translator.translate(texts, "en", "es")
    assert made[:3] == texts[:3]
    assert made[3].split("\n")[0] == "El gato"
    assert "\x07" in made[4] and made[4].count("\0") == 1
    assert made[5] == "🐱"
    assert made[6].count("La casa es verde.") == 1000
    assert made[7] == texts[7]
    with pytest.raises(PermanentError, match="text 2 of 2 holds half of a surrogate pair at character 3"):
        translator.translate(["fine", "ab\ud800"], "en", "es")


def test_stages_that_die_are_started_again_and_nothing_is_lost() -> None:
    translator = ApertiumTranslator("eng-spa")
    texts = [f"The house number {number} is green." for number in range(300)]
    whole = translator.translate(texts, "en", "es")
    victim = translator._running["eng-spa"].pids[4]
    translator_result: list[object] = []

    def work() -> None:
        translator_result.extend(translator.translate(texts, "en", "es"))

    thread = threading.Thread(target=work)
    os.kill(victim, signal.SIGSTOP)  # nothing comes out before it dies
    thread.start()
    time.sleep(0.1)
    os.kill(victim, signal.SIGKILL)
    thread.join(LIMIT)
    assert translator_result == whole
    assert translator.counts["restarts"] == 1
    translator.close()


def test_stages_that_were_killed_between_two_calls_are_started_again() -> None:
    translator = ApertiumTranslator("eng-spa")
    translator.translate(["The house is green."], "en", "es")
    for pid in translator._running["eng-spa"].pids:
        os.kill(pid, signal.SIGKILL)
    assert translator.translate(["The house is green."], "en", "es") == ["La casa es verde."]
    translator.close()


def _mode(folder: Path, *script: str) -> Path:
    """A mode whose only stage is a script of ours: what a broken package would be."""
    stage = folder / "stage.sh"
    stage.write_text("\n".join(("#!/bin/sh", *script, "")))
    stage.chmod(0o755)
    file = folder / "eng-spa.mode"
    file.write_text(f"{stage} $1 /nowhere")
    return file


def test_a_text_that_ends_the_stages_twice_is_named(tmp_path: Path) -> None:
    _mode(tmp_path, "echo no dictionary >&2", "exit 3")
    translator = ApertiumTranslator(folders=[tmp_path])
    with pytest.raises(
        PermanentError,
        match=r"exit code 3 \(no dictionary\), twice at the same text of 12 char.*'The one here",
    ):
        translator.translate(["The one here"], "en", "es")
    assert translator._running == {}


def test_stages_that_hang_are_ended(tmp_path: Path) -> None:
    _mode(tmp_path, "exec sleep 600")
    translator = ApertiumTranslator(folders=[tmp_path], patience=0.2)
    with pytest.raises(PermanentError, match=r"said nothing for 0.2 s"):
        translator.translate(["The one here"], "en", "es")
    assert translator._running == {}


def test_closing_leaves_no_process(tmp_path: Path) -> None:
    _mode(tmp_path, "exec cat")
    pipeline = apertium_pipeline.Pipeline([("cat", "-u"), ("cat", "-u")], 5)
    assert list(pipeline.run(["one", "two"])) == ["one", "two"]
    pids = pipeline.pids
    pipeline.close()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_missing_packages_are_named(tmp_path: Path) -> None:
    (tmp_path / "fra-cat.mode").write_text("cg-nothing -w /nowhere | lt-proc $1 /nowhere")
    translator = ApertiumTranslator(folders=[tmp_path])
    with pytest.raises(UsageError, match="apt-get install apertium apertium-eu-es"):
        translator.translate(["x"], "eu", "es")
    with pytest.raises(UnknownNameError, match="apt-get install apertium apertium-oci-fra"):
        ApertiumTranslator("oci-fra", folders=[tmp_path])
    with pytest.raises(UsageError, match="mode fra-cat needs .*cg-nothing.* apt-get install .*apertium"):
        translator.translate(["x"], "fr", "ca")
    with pytest.raises(UsageError, match="with NLLB-200 or M2M-100 or MADLAD-400"):
        translator.translate(["x"], "en", "de")


def test_what_another_pair_lacks_is_no_concern_of_this_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The identity names every installed mode; a command that none of this machine's has is told by the pair that needs it."""
    for name in ("Cyrl-Latn", "spa-eng"):
        (tmp_path / f"{name}.mode").write_text("lt-proc $1 /nowhere | lrx-proc /nowhere")
    (tmp_path / "eng-spa.mode").write_text("cat")
    translator = ApertiumTranslator(folders=[tmp_path])
    with_commands = dict(translator.identity)
    empty = tmp_path / "bin"
    empty.mkdir()
    (empty / "cat").symlink_to("/bin/cat")
    monkeypatch.setenv("PATH", str(empty))
    translator = ApertiumTranslator(folders=[tmp_path])
    assert dict(translator.identity) == with_commands
    assert translator.supports("en", "es") and not translator.supports("en", "de")
    said = "mode spa-eng needs lt-proc, lrx-proc, not installed here: apt-get install lttoolbox apertium-lex-tools"
    for call in (lambda: translator.supports("es", "en"), lambda: translator.translate(["x"], "es", "en")):
        with pytest.raises(UsageError, match=said):
            call()


def test_a_variant_does_what_its_plain_mode_does(tmp_path: Path) -> None:
    (tmp_path / "eng-cat_valencia_uni.mode").write_text("cat")
    translator = ApertiumTranslator("eng-cat_valencia_uni", folders=[tmp_path])
    assert translator.supports("en", "ca") and not translator.supports("ca", "en")
    assert not ApertiumTranslator(folders=[tmp_path]).supports("en", "ca")


def test_identity_follows_the_data(tmp_path: Path) -> None:
    data = tmp_path / "data.bin"
    data.write_bytes(b"one")
    (tmp_path / "eng-spa.mode").write_text(f"cat '{data}'")
    one = ApertiumTranslator(folders=[tmp_path]).identity
    data.write_bytes(b"two")
    assert ApertiumTranslator(folders=[tmp_path]).identity != one


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=60).filter(str.strip))
def test_stream_and_back_is_the_text(text: str) -> None:
    sent = streamed(text)
    assert "\0" not in sent.stream
    outside = re.sub(r"\[\d*\]", "", sent.stream)
    assert not set(outside) & set(r"[]{}^$<>\/@*#~+")
    read = sent.read(sent.stream)
    assert (read.text, read.unknown, read.lost) == (text, 0, 0)


def test_marks_that_a_stage_loses_are_put_at_the_end_and_counted() -> None:
    sent = streamed("one * two # three")
    read = sent.read("uno tres.[]")
    assert (read.text, read.lost) == ("uno tres*#", 2)


def test_agrees_with_the_apertium_command(translator: ApertiumTranslator) -> None:
    texts = [
        "The house is green.",
        "My friends walk slowly.",
        "Three birds flew to the river!",
        "Who knows why?",
    ]
    done = subprocess.run(
        ["apertium", "-u", "eng-spa"], input="\n\n".join(texts) + "\n", capture_output=True, text=True,
        env={**os.environ, "LC_ALL": "C.UTF-8"}, check=True,
    )  # fmt: skip
    expected = [line.strip() for line in done.stdout.strip().split("\n\n")]
    assert translator.translate(texts, "en", "es") == expected
