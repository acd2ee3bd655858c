"""What the page of open answers says in words: what was asked, what came out, what to hold it against."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from hesperus.analysis.families import family_key
from hesperus.analysis.interval_text import brackets_text, signed_interval_text
from hesperus.analysis.open_answers.open_findings import Cell, OpenFindings
from hesperus.analysis.open_answers.statistics import LOW_CEILING, SILENT, UNSEEN, in_wrong_language, is_low
from hesperus.analysis.table import Row
from hesperus.reports.open_answers.open_wording import EMBEDDED, STATE_WORDS, judge_name
from hesperus.reports.tabulated import estimate_text
from hesperus.rounding import cell
from hesperus.wording import counted, few_or_counted, joined, language_name, parsed, property_names

_MOST_NAMES = 40


def title(parts: Sequence[OpenFindings]) -> str:
    """The question that the page answers."""
    models = parts[0].models
    one = len(models) == 1
    whom = few_or_counted(models, "model")
    tags = languages_of(parts)
    where = f"{len(tags)} other languages" if len(tags) > 1 else language_name(tags[0])
    english = parts[0].reference_name
    if any(found.is_information for found in parts):
        return f"{'Does' if one else 'Do'} {whom} say as much in {where} as in {english}?"
    return f"{'Does' if one else 'Do'} {whom} answer alike in {english} and in {where}?"


def languages_of(parts: Sequence[OpenFindings]) -> list[str]:
    """Tags of the languages that are compared with the reference, by family."""
    return list(
        dict.fromkeys(cell[2] for cell in sorted(parts[0].cells, key=lambda cell: family_key(cell[2])))
    )


def verdict(found: OpenFindings, *, several: bool) -> list[str]:
    """What came out, in one or two sentences: how much is kept, and whether translation explains the rest."""
    statistic = "recall" if found.is_information else found.main
    known = sorted(found.known(statistic), key=lambda one: (float(one[1]["value"]), one[0]))
    if not known:
        reasons = {str(held[statistic]["reason"]) for held in found.cells.values()}
        return [_begun(found, f"nothing could be compared: {'; '.join(sorted(reasons))}.", several)]
    if found.is_silent:
        return [
            _begun(found, "in no pair do both sides give an answer: the scores are the rule's for such pairs, and say nothing of "
                   "what is said.", several)
        ]  # fmt: skip
    said = [*_too_low(found, known), *_in_another_language(found)]
    lead = [_begun(found, one, several) for one in said]
    kept = [] if several else models_told(found, several=False)
    return [
        *lead,
        *(kept or [_begun(found, _kept(found, known), several)]),
        *(_misread(found) or _explained(found)),
    ]


def _too_low(found: OpenFindings, known: Sequence[tuple[Cell, Row]]) -> Iterator[str]:
    """Before any score: where the instrument loses too much of the same text to measure what answers lose."""
    low = [(cell, float(row["ceiling"])) for cell, row in known if is_low(row["ceiling"])]
    if not low:
        return
    least = min(ceiling for _, ceiling in low)
    where = joined(list(dict.fromkeys(language_name(cell[2]) for cell, _ in low))[:_MOST_NAMES])
    yield (
        f"the instrument cannot measure this for {where}: {found.reference_name} answers that are only sent there and back keep "
        f"as little as {cell(least, 'share')} of themselves, less than {cell(LOW_CEILING, 'share')}, so that the scores below say nothing "
        "of the answers."
    )


def _in_another_language(found: OpenFindings) -> Iterator[str]:
    """How many replies came in another language than the one asked for: translated or not, they raise the scores."""
    pairs = found.evaluated.pairs
    wrong = pairs.filter(in_wrong_language(pairs)).height
    if wrong:
        yield (
            f"in {wrong} of {pairs.height} pairs a reply is in another language than the one asked for; they are scored like "
            "the others here, and each statistic that ends in _right_language leaves them out."
        )


def _misread(found: OpenFindings) -> list[str]:
    """What makes the scores mean little: texts that the embedded judge cannot read; nothing where it can."""
    if judge_name(found.evaluated.signature) != EMBEDDED:
        return []
    knows = "The embedded judge knows the rules of English only"
    little = "so that these scores say little of what the answers say."
    if not _is_english(found.reference):
        return [f"{knows}, and the texts it compared are in {found.reference_name}, {little}"]
    foreign = any(not _is_english(cell[2]) for cell in found.cells)
    untranslated = found.evaluated.signature.get("translator") == "none"
    return [f"{knows}, and the answers were not translated, {little}"] if foreign and untranslated else []


def _is_english(tag: str) -> bool:
    return tag.partition("-")[0] == "en"


def _begun(found: OpenFindings, said: str, several: bool) -> str:
    on = f"{property_names(found.what).capitalize()}: "
    return f"{on}{said}" if several else said[0].upper() + said[1:]


def _kept(found: OpenFindings, known: Sequence[tuple[Cell, Row]]) -> str:
    """From the least to the most: share of claims, of answers with the same property, mean grade."""
    english = found.reference_name
    ends = _ends(found, known)
    if found.is_information:
        return (
            f"of what the answers say in {english}, {ends} is also said in the answers in "
            f"{'other languages' if len(known) > 1 else 'the other language'}."
        )
    what = property_names(found.what)
    if found.properties:
        return f"answers in {english} and in the other language have the same {what} in {ends} of cases."
    return f"answers in {english} and in the other language are graded {ends} equivalent."


def _ends(found: OpenFindings, known: Sequence[tuple[Cell, Row]]) -> str:
    if len(known) == 1:
        return estimate_text(known[0][1], "share")
    (low_cell, low), (high_cell, high) = known[0], known[-1]
    least, most = cell(float(low["value"]), "share"), cell(float(high["value"]), "share")
    if least == most:
        return f"{estimate_text(low, 'share')} in every case"
    return f"between {estimate_text(low, 'share')} ({_where(found, low_cell)}) and {estimate_text(high, 'share')} ({_where(found, high_cell)})"


def _where(found: OpenFindings, cell: Cell) -> str:
    name = language_name(cell[2])
    return f"{cell[0]} in {name}" if len(found.models) > 1 else name


def _explained(found: OpenFindings) -> Iterator[str]:
    """Whether translation alone explains the loss: cells with a score over ceiling below 1, interval and all."""
    english = found.reference_name
    known = [row for _, row in found.known() if row["relative"] is not None]
    if not known and any(is_low(row["ceiling"]) for _, row in found.known()):
        return
    if not known:
        yield (
            "What translation itself loses is not known here (no ceiling was measured), so that some of the difference may be "
            "its doing."
        )  # fmt: skip
        return
    ceilings = sorted(known, key=lambda row: float(row["ceiling"]))
    kept, most = (estimate_text(row, "share", "ceiling") for row in (ceilings[0], ceilings[-1]))
    kept += f" to {most}" if most != kept else ""
    measure = "agree with themselves to" if found.is_information else "keep it in"
    base = f"{english} answers sent there and back {measure} {kept}"
    tested = [row for row in known if row["relative_high"] is not None]
    if not tested:
        yield f"{base}; without intervals nothing more can be said."
        return
    below = sum(float(row["relative_high"]) < 1 for row in tested)
    if below == len(tested):
        where = f"in all {below} cases" if below > 1 else ""
        yield (
            f"What translation loses of them does not explain it: {base}, and the answers stay below that {where}".rstrip()
            + "."
        )
    elif below:
        yield (
            f"What translation loses of the {english} answers does not explain it in {below} of {len(tested)} cases: {base}, and "
            "there the answers stay below that, interval and all. In the rest the difference cannot be told from what translation loses."
        )
    else:
        yield f"The difference cannot be told from what translation loses: {base}, and in no case does the whole interval of the answers lie below that."


def models_told(found: OpenFindings, *, several: bool) -> list[str]:
    """A sentence a model: all languages together, and from which to which; nothing of a single language of one model."""
    told: list[str] = []
    if len(found.labels) < 2 or found.is_silent:
        return told
    statistic, english = "recall" if found.is_information else found.main, found.reference_name
    for model in found.models:
        row = found.whole(model, statistic)
        if row is None or row["value"] is None:
            continue
        share, what = estimate_text(row, "share"), property_names(found.what)
        if found.is_information:
            said = f"{share} of what {model} says in {english} it also says in the other languages"
        elif found.properties:
            said = f"{model} answers with the same {what} as in {english} in {share} of cases"
        else:
            said = f"the answers of {model} in other languages are graded {share} equivalent to those in {english}"
        told.append(_begun(found, f"{said}{_range(found, model, statistic)}.", several))
    return told


def _range(found: OpenFindings, model: str, statistic: str) -> str:
    """From which language to which."""
    known = sorted(
        (one for one in found.known(statistic) if one[0][0] == model),
        key=lambda one: (float(one[1]["value"]), one[0]),
    )
    if len(known) < 2:
        return ""
    if len({cell(float(row["value"]), "share") for _, row in known}) == 1:
        return ", the same in each"
    ends = (
        f"{estimate_text(row, 'share')} ({language_name(held[2])})" for held, row in (known[0], known[-1])
    )
    return f", from {' to '.join(ends)}"


def asked(parts: Sequence[OpenFindings], study: Row, signature: Row) -> list[tuple[str, str]]:
    """What was asked, as names and descriptions."""
    found, pairs = parts[0], parts[0].evaluated.pairs
    english = found.reference_name
    tags = languages_of(parts)
    shown = [language_name(tag) for tag in tags[:_MOST_NAMES]]
    more = f" and {len(tags) - len(shown)} more" if len(tags) > len(shown) else ""
    tasks = pairs["task"].unique().sort().to_list()
    repeats = pairs["repeat"].n_unique()
    prompts = f"{pairs['item'].n_unique():,} of {joined([str(task) for task in tasks])}"
    prompts += f", each asked {repeats} times" if repeats > 1 else ""
    told = [
        ("Models", joined(list(found.models))),
        (
            "Languages",
            f"{len(tags)}, compared with {english}: {joined(shown) if not more else ', '.join(shown) + more}",
        ),
        # Answers that were there already do not say how their prompts came to stand in their language.
        ("Prompts", f"{prompts}; {_ways(pairs, english)}" if study else prompts),
        ("Translator of the answers", str(found.evaluated.signature.get("translator") or "none")),
        *(("Evaluator", _evaluator(part)) for part in parts),
        ("Pairs", _pairs(pairs)),
    ]
    excluded = signature.get("excluded")
    if isinstance(excluded, Mapping):
        told.append(("Excluded by a list", _excluded(excluded)))
    dropped = signature.get("dropped")
    if isinstance(dropped, Sequence) and not isinstance(dropped, str) and dropped:
        told.append(("Excluded by the task", f"{counted(len(dropped), 'item')} not whole"))
    return told


def _excluded(held: Row) -> str:
    """How many items a list of exclusions took out, and why."""
    reasons = held.get("reasons")
    why = (
        ", ".join(f"{count} {reason}" for reason, count in reasons.items())
        if isinstance(reasons, Mapping)
        else ""
    )
    return counted(held["items"], "item") + (f" ({why})" if why else "")


def _ways(pairs: pl.DataFrame, english: str) -> str:
    """How the prompts were made in each language."""
    own: set[str] = set()
    made: dict[str, set[str]] = {}
    for tag, code in pairs.select("language", "input").unique().sort(pl.all()).iter_rows():
        sense = parsed(code)
        if sense is None or sense.is_original:
            own.add(tag)
        else:
            made.setdefault(sense.maker or "the model that is asked", set()).add(tag)
    if not made:
        return "in each language in the task's own words"
    said = [
        f"translated from {english} by {maker} ({counted(len(tags), 'language')})"
        for maker, tags in sorted(made.items())
    ]
    return joined([*([f"in the task's own words ({counted(len(own), 'language')})"] if own else []), *said])


def _evaluator(found: OpenFindings) -> str:
    judge = judge_name(found.evaluated.signature)
    if found.is_information:
        how = "claims of each answer, verified against the other"
    elif found.properties:
        how = f"properties of each answer: {joined([property_names(name) for name in found.properties])}"
    else:
        how = "whether two short answers say the same"
    by = "the embedded judge" if judge == EMBEDDED else "" if judge == found.what else judge
    return f"{property_names(found.what)}: {how}" + (f", by {by}" if by else "")


def _pairs(pairs: pl.DataFrame) -> str:
    states = dict(pairs.group_by("state").len().iter_rows())
    told = [f"{states[state]:,} {words}" for state, words in STATE_WORDS.items() if states.get(state)]
    return f"{pairs.height:,} (an answer with the same model's answer to the same prompt): {', '.join(told)}"


def asides(parts: Sequence[OpenFindings], readability: pl.DataFrame | None) -> list[str]:
    """What the headline counts, and what it leaves out."""
    found = parts[0]
    told = [
        f"{property_names(part.what)}, of replies without an answer: {part.missing_rule}."
        for part in parts
        if part.missing_rule
    ]
    pairs = found.evaluated.pairs
    silent = pairs.filter(pl.col("state").is_in(SILENT)).height
    if silent:
        told.append(
            f"{silent:,} of {pairs.height:,} pairs have a side that gives no answer: where one does not, they count 0, where "
            "neither does, 1. Below, every score stands without them too."
        )
    for part in parts:
        out = part.evaluated.pairs.filter(pl.col("state").is_in(UNSEEN)).height
        if out:
            on = f"{property_names(part.what)}: " if len(parts) > 1 else ""
            told.append(
                f"{on}{out:,} of {pairs.height:,} pairs are excluded of every score: see what became of the answers."
            )
    if readability is not None:
        for row in readability.to_dicts():
            if row["value"] is not None:
                told.append(
                    f"{property_names(str(row['evaluator']))}: {cell(row['value'], 'share')} of {row['n']:,} replies of the judge "
                    "could be read."
                )
    if any(row["low"] is not None for _, row in found.known()):
        told.append(brackets_text(found.level, "prompt"))
    return told


def caveats(parts: Sequence[OpenFindings]) -> list[str]:
    """What to hold these numbers against."""
    found = parts[0]
    english = found.reference_name
    judges = {judge_name(part.evaluated.signature) for part in parts}
    told = [
        f"{english} answers are the measure of all others, right or wrong: this is consistency, not truth. An answer that is "
        f"right where the {english} one is wrong counts as a loss.",
        f"The ceiling is of the same {english} answers, translated twice (there and back); the other answers are translated "
        "once. It can therefore be lower than what one translation loses, and a score relative to it too high; beyond 100 % "
        "is possible. Relative scores take the loss for a common factor: where the ceiling is low they are a rough guide.",
        "Intervals resample prompts and keep models, languages, translator and judge as they are: they say what other prompts "
        "of this kind would give. They are each for itself: of many cases, some differ by chance.",
        "The languages of a group are not independent of each other, and a group of one language says nothing of its kind.",
    ]
    if any(part.is_information for part in parts):
        told.append(
            "Precision and recall are the judge's: what it takes for a claim, and for support, decides them. `hesperus "
            "calibrate` holds a judge against people."
        )
    if EMBEDDED in judges:
        told.append(
            "The embedded judge compares words and numbers by the rules of English, without any model: it does not see that two "
            "wordings mean the same. It is for quick looks and for tests of the pipeline."
        )
    if any(part.properties for part in parts):
        told.append(
            "A property is what its classifier sees in the translation; translation alone can change it, which is what the "
            "ceiling shows. κ is undefined where all answers are alike on both sides."
        )
    return told


def measured(parts: Sequence[OpenFindings]) -> list[str]:
    """How the numbers were made, a sentence a matter."""
    found = parts[0]
    signature = found.scores.signature
    told = [text] if (text := signed_interval_text(signature, unit="prompts")) else []
    told.append(
        f"Every answer is put into {found.reference_name} sentence by sentence (translator: {signature.get('translator')}) and "
        f"compared with the same model's {found.reference_name} answer to the same prompt."
    )
    for part in parts:
        judge = part.evaluated.signature.get("judge")
        rule = judge.get("rule") if isinstance(judge, Mapping) else None
        if isinstance(rule, str) and rule:
            told.append(f"{property_names(part.what).capitalize()}: {rule}.")
    missing = signature.get("missing")
    told.append(
        "A prompt that one side was not asked "
        + (
            "counts as one to which it gave no answer."
            if missing == "no answer"
            else "is excluded and counted."
        )
    )
    return told
