"""The tokenizer: every name of the atlas is one token, every word of its wordings another, the rest pieces and bytes.

Names are added tokens; they are bounded by word limits in scripts that write spaces and match anywhere in those that
do not. A blank belongs to the word that follows it, but never to a name, so that a name has one token wherever it
stands. Byte-pair pieces that the training text never uses are dropped.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

PAD, BOS, EOS, USER, BOT = "<pad>", "<s>", "</s>", "<user>", "<bot>"
SPECIAL = (PAD, BOS, EOS, USER, BOT)
BLANK = "▁"
MARKS = tuple(letter + sign for sign in (". ", ") ", ": ") for letter in "ABCD")
"""What stands before an option is one token, so that the letter is right beside the name."""

WORDS = Regex(rf"{BLANK}?[\p{{L}}\p{{M}}]+|\p{{N}}|\n|{BLANK}?[^\p{{L}}\p{{M}}\p{{N}}\n{BLANK}]|{BLANK}")
LONGEST_PIECE = 16


def build_tokenizer(
    core: Sequence[str], other: Sequence[str], names: Mapping[str, bool], *, pieces: int
) -> Tokenizer:
    """Make the tokenizer.

    Args:
        core: Texts whose every word becomes a token.
        other: Texts whose words are cut into byte-pair pieces, as often as they should count.
        names: Each name to whether it stands between word limits only.
        pieces: Number of byte-pair pieces to learn, signs included, before unused ones are dropped.
    """
    rough = cutter(models.BPE())
    rough.add_tokens(added(names))
    whole = count_words(rough, core)
    words = spelled(count_words(rough, other), pieces // 2)
    trainer = trainers.BpeTrainer(vocab_size=pieces, show_progress=False, max_token_length=LONGEST_PIECE)
    trained = cutter(models.BPE())
    trained.train_from_iterator(
        (word for word, count in sorted(words.items()) for _ in range(count)), trainer
    )
    vocabulary, merges = prune(trained, whole, [word for word in words if word not in whole])
    tokenizer = cutter(models.BPE(vocabulary, merges, byte_fallback=True, ignore_merges=True, fuse_unk=False))
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL])
    tokenizer.add_tokens(added(names))
    return tokenizer


def cutter(model: models.Model) -> Tokenizer:
    """A tokenizer around a model, with the rules for blanks and words."""
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.Replace(" ", BLANK)
    tokenizer.pre_tokenizer = pre_tokenizers.Split(WORDS, "isolated")
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace(BLANK, " "), decoders.ByteFallback(), decoders.Fuse()]
    )
    return tokenizer


def added(names: Mapping[str, bool]) -> list[AddedToken]:
    """The marks of options and the names as tokens, in a fixed order."""
    marks = [AddedToken(mark, normalized=False) for mark in MARKS]
    return marks + [AddedToken(name, single_word=names[name], normalized=False) for name in sorted(names)]


def count_words(rough: Tokenizer, texts: Iterable[str]) -> Counter[str]:
    """How often each word occurs outside names."""
    known = set(rough.get_added_tokens_decoder())
    cut = pre_tokenizers.Split(WORDS, "isolated")
    words: Counter[str] = Counter()
    for text, count in Counter(texts).items():
        for part in outside_names(rough, text, known):
            for word, _ in cut.pre_tokenize_str(part.replace(" ", BLANK)):
                words[word] += count
    return words


def spelled(words: Mapping[str, int], signs: int) -> dict[str, int]:
    """The words that are spelled with the most frequent signs alone; the others will be cut into bytes.

    The library's own limit drops signs of one frequency in an order that changes from run to run.
    """
    counts: Counter[str] = Counter()
    for word, count in words.items():
        counts.update(dict.fromkeys(word, count))
    kept = {sign for sign, _ in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:signs]}
    return {word: count for word, count in words.items() if kept.issuperset(word)}


def outside_names(rough: Tokenizer, text: str, known: set[int]) -> Iterable[str]:
    """The stretches of a text that hold no name; the untrained model keeps nothing but names."""
    end = 0
    encoding = rough.encode(text, add_special_tokens=False)
    for token, (start, stop) in zip(encoding.ids, encoding.offsets, strict=True):
        if token in known:
            if start > end:
                yield text[end:start]
            end = stop
    if end < len(text):
        yield text[end:]


def prune(
    trained: Tokenizer, whole: Iterable[str], words: Iterable[str]
) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """Bytes, whole words, and the pieces that other words use, with the merges that lead to them."""
    merges = [tuple(pair) for pair in json.loads(trained.to_str())["model"]["merges"]]
    parents = {left + right: (left, right) for left, right in merges}
    needed: set[str] = set()

    def need(piece: str) -> None:
        needed.add(piece)
        for part in parents.get(piece, ()):
            need(part)

    for word in words:
        for piece in trained.encode(word.replace(BLANK, " "), add_special_tokens=False).tokens:
            need(piece)
    needed.update(whole)
    pieces = sorted(needed, key=lambda piece: (len(piece), piece))
    order = [*SPECIAL, *(f"<0x{byte:02X}>" for byte in range(256)), *pieces]
    vocabulary = {piece: index for index, piece in enumerate(order)}
    kept = [(a, b) for a, b in merges if a in vocabulary and b in vocabulary and a + b in vocabulary]
    return vocabulary, kept
