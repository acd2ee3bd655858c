"""How far a judge can be trusted: its verdicts on claims against those of people.

People's labels are supported, not supported and irrelevant; a judge says whether a text supports a claim. The claims of
each text are checked against a reference on its topic. Two controls tell the judge's own faults from those of the
reference: every claim against the text that it was taken from, which should support it, and against a text on another
topic, which should not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from hesperus.evaluators.information.judges import Check, Judge, Judged, Verified
from hesperus.evaluators.judging import Readability, validity
from hesperus.evaluators.labelled import LABELS, Label, LabelledText
from hesperus.fingerprint import JSON
from hesperus.measures import Bootstrap, Statistic, estimates
from hesperus.measures.resample import Floats
from hesperus.measures.statistic import divide, ratio, share_corners
from hesperus.types import Estimate

Control = Literal["own_text", "other_topic"]
"""Checks whose right answer is known without people: 1 and 0."""

Places = npt.NDArray[np.int64]

CONTROLS: tuple[Control, ...] = get_args(Control)

STATISTICS: Mapping[str, str] = {
    "accuracy": "share of supported and not supported claims on which judge and people agree",
    "kappa": "the same beyond chance, Cohen's κ",
    "f1_supported": "F1 of finding supported claims among these",
    "f1_not_supported": "F1 of finding claims that are not supported",
    "f1_irrelevant": "a judge has no such verdict, so there is none",
    "supported_as_supported": "share of the claims that people call supported that the judge calls so",
    "not_supported_as_supported": "the same of claims that people call not supported",
    "irrelevant_as_supported": "the same of claims that people call irrelevant",
    "human_score": "mean over texts of the share of claims that people call supported, of all claims",
    "judge_score": "the same by the judge, over texts with a reference",
    "score_difference": "judge − people, over the same texts",
    "own_text": "control: share of claims supported by the text that they were taken from; 1 is right",
    "other_topic": "control: share supported by a text on another topic; 0 is right",
    "validity": "share of the judge's replies that could be read",
}
"""What a calibration gives, and what it means."""


@dataclass(frozen=True, slots=True)
class JudgedText:
    """A labelled text with the judge's verdicts.

    Attributes:
        text: The text and people's labels.
        judged: Verdicts against the reference, a claim each; None if there is no reference on the topic.
        controls: Verdicts of each control, a claim each.
        readability: What the judge was asked for them.
    """

    text: LabelledText
    judged: tuple[Judged, ...] | None
    controls: Mapping[Control, tuple[Judged, ...]]
    readability: Readability

    def count(self, label: Label, verdict: bool | None) -> int:
        """Claims that people labelled so and the judge called supported (True), not (False), or left unread (None)."""
        return sum(
            said == label and _supported(found) is verdict
            for (_, said), found in zip(self.text.claims, self.judged or (), strict=self.judged is not None)
        )


@dataclass(frozen=True, slots=True)
class Calibration:
    """A judge next to people.

    Attributes:
        texts: Every answered text with its verdicts.
        abstained: Texts of each system without claims, left out everywhere.
        judge: The judge's signature.
    """

    texts: tuple[JudgedText, ...]
    abstained: Mapping[str, int]
    judge: Mapping[str, JSON]

    @property
    def systems(self) -> tuple[str, ...]:
        """Who wrote the texts, in the order in which they came."""
        return tuple(dict.fromkeys(text.text.system for text in self.texts))

    def estimates(
        self, bootstrap: Bootstrap | None = None, *, system: str | None = None
    ) -> dict[str, Estimate]:
        """Every number of STATISTICS, with intervals over resampled topics.

        Topics are resampled, all texts on a topic together; without a bootstrap there are no intervals.
        """
        texts = [text for text in self.texts if system in (None, text.text.system)]
        topics = {name: place for place, name in enumerate(dict.fromkeys(t.text.topic for t in texts))}
        places = np.array([topics[text.text.topic] for text in texts], dtype=np.int64)
        silent = sum(self.abstained[name] for name in self.systems if system in (None, name))
        made = _agreement(texts, places) | _scores(texts, places, silent)
        for control in CONTROLS:
            made[control] = _control(texts, places, control)
        found = dict(zip(made, estimates(made.values(), bootstrap), strict=True)) if texts else {}
        found["f1_irrelevant"] = Estimate(None, reason="a judge has no such verdict")
        found["validity"] = validity(sum((text.readability for text in texts), Readability()))
        nothing = Estimate(None, reason="no labelled text")
        return {name: found.get(name, nothing) for name in STATISTICS}

    def claim_rows(self) -> list[dict[str, JSON]]:
        """A row for each claim: people's label, the judge's verdict, and why it is absent."""
        return [
            {
                "system": text.text.system,
                "topic": text.text.topic,
                "claim": claim,
                "label": label,
                "verdict": found.verdict if found else None,
                "reason": found.reason if found else "no reference on this topic",
                **{control: judged[place].verdict for control, judged in text.controls.items()},
            }
            for text in self.texts
            for place, (claim, label) in enumerate(text.text.claims)
            for found in [text.judged[place] if text.judged else None]
        ]


def calibrate(
    texts: Sequence[LabelledText],
    judge: Judge,
    *,
    references: Mapping[tuple[str, str], str],
    controls: bool = True,
) -> Calibration:
    """Let a judge check the labelled claims, all in one batch.

    Args:
        texts: Labelled texts of one or more systems.
        judge: The judge.
        references: (system, topic) to the text that the claims are checked against; see labelled.known_from_others.
        controls: Whether to check every claim against its own text and one on another topic, too: three times the
            requests.

    Raises:
        ValueError: A system has two texts on a topic, or the judge gives another number of results than it was given.
    """
    answered = [text for text in texts if text.claims]
    if len({(text.system, text.topic) for text in answered}) < len(answered):
        raise ValueError("a system has two texts on one topic")
    checks: dict[Check, None] = {}
    wanted: list[dict[str, Check]] = []
    others = _others(answered)
    for place, text in enumerate(answered):
        claims = tuple(claim for claim, _ in text.claims)
        against = {"reference": references.get((text.system, text.topic))}
        if controls:
            against |= {"own_text": text.text, "other_topic": others.get(place)}
        own = {name: Check(claims, other) for name, other in against.items() if other is not None}
        wanted.append(own)
        checks.update(dict.fromkeys(own.values()))
    verified = judge.verify(list(checks))
    if len(verified) != len(checks):
        raise ValueError(f"the judge was given {len(checks)} checks and gave {len(verified)} results")
    found = dict(zip(checks, verified, strict=True))
    judged = tuple(_judged(text, own, found) for text, own in zip(answered, wanted, strict=True))
    systems = dict.fromkeys(text.system for text in texts)
    abstained = {name: sum(t.system == name and not t.claims for t in texts) for name in systems}
    return Calibration(judged, abstained, judge.signature())


def _others(texts: Sequence[LabelledText]) -> dict[int, str]:
    """Place of a text to the same system's text on the next topic, where it wrote on more than one."""
    places: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        places.setdefault(text.system, []).append(place)
    return {
        place: texts[following].text
        for own in places.values()
        if len(own) > 1
        for place, following in zip(own, [*own[1:], own[0]], strict=True)
    }


def _judged(text: LabelledText, own: Mapping[str, Check], found: Mapping[Check, Verified]) -> JudgedText:
    reference = found[own["reference"]].judged if "reference" in own else None
    controls = {name: found[own[name]].judged for name in CONTROLS if name in own}
    asked = sum((found[check].readability for check in own.values()), Readability())
    return JudgedText(text, reference, controls, asked)


def _supported(judged: Judged) -> bool | None:
    return None if judged.verdict is None else judged.verdict == "supported"


def _summed(places: Places, values: Sequence[float]) -> Floats:
    """Values of texts as sums over topics."""
    column: Floats = np.bincount(places, weights=np.asarray(values, dtype=np.float64)).astype(np.float64)
    return column


def _agreement(texts: Sequence[JudgedText], places: Places) -> dict[str, Statistic]:
    def column(label: Label, verdict: bool) -> Floats:
        return _summed(places, [text.count(label, verdict) for text in texts])

    hit, miss = column("supported", True), column("supported", False)
    false, right = column("not supported", True), column("not supported", False)
    idle, kept = column("irrelevant", True), column("irrelevant", False)
    both = hit + miss + false + right
    reason = _left_out(texts)
    unread = sum(text.count(label, None) for text in texts for label in LABELS[:2])
    without = sum(
        label != "irrelevant" for text in texts if text.judged is None for _, label in text.text.claims
    )

    each = share_corners(both)[0][0]

    def share(part: Floats, whole: Floats) -> Statistic:
        return Statistic(
            (part, whole),
            ratio,
            share_corners(whole),
            int(both.sum()),
            unread + without,
            reason,
            "no claim to compare",
        )

    def called(part: Floats, whole: Floats) -> Statistic:
        return Statistic(
            (part, whole), ratio, share_corners(whole), int(whole.sum()), undefined="no such claim was judged"
        )

    return {
        "accuracy": share(hit + right, both),
        "kappa": Statistic(
            (hit, miss, false, right),
            _kappa,
            # A claim in each cell of labels and verdicts, as many as a topic has on average.
            tuple(tuple(each * (at == cell) for at in range(4)) for cell in range(4)),
            int(both.sum()),
            unread + without,
            reason,
            "all claims have one label and one verdict" if both.sum() else "no claim to compare",
        ),
        "f1_supported": share(2 * hit, 2 * hit + miss + false),
        "f1_not_supported": share(2 * right, 2 * right + miss + false),
        "supported_as_supported": called(hit, hit + miss),
        "not_supported_as_supported": called(false, false + right),
        "irrelevant_as_supported": called(idle, idle + kept),
    }


def _scores(texts: Sequence[JudgedText], places: Places, abstained: int) -> dict[str, Statistic]:
    """People's and the judge's mean share of supported claims over texts, FActScore without its length penalty."""
    people = [_share([label == "supported" for _, label in text.text.claims]) or 0.0 for text in texts]
    judge = [_share([_supported(found) for found in text.judged or ()]) for text in texts]
    read = [said is not None for said in judge]
    ones, counted = _summed(places, [1.0] * len(texts)), _summed(places, [float(r) for r in read])
    by_judge = _summed(places, [said or 0.0 for said in judge])
    apart = _summed(
        places,
        [said - own if said is not None else 0.0 for said, own in zip(judge, people, strict=True)],
    )
    left = len(texts) - sum(read)
    reason = _left_out(texts)
    silent = f"{abstained} texts without a claim" if abstained else ""
    undefined = "no text has a reference and a readable verdict"
    each = share_corners(counted)[0][0]
    # The judge supports all claims where people support none, or the other way round.
    either = ((each, each), (-each, each))
    return {
        "human_score": Statistic(
            (_summed(places, people), ones), ratio, share_corners(ones), len(texts), abstained, silent
        ),
        "judge_score": Statistic(
            (by_judge, counted), ratio, share_corners(counted), sum(read), left, reason, undefined
        ),
        "score_difference": Statistic((apart, counted), ratio, either, sum(read), left, reason, undefined),
    }


def _control(texts: Sequence[JudgedText], places: Places, control: Control) -> Statistic:
    verdicts = [[_supported(found) for found in text.controls.get(control, ())] for text in texts]
    yes = _summed(places, [float(said.count(True)) for said in verdicts])
    no = _summed(places, [float(said.count(False)) for said in verdicts])
    unread = sum(said.count(None) for said in verdicts)
    reason = f"{unread} claims without a readable verdict" if unread else ""
    return Statistic(
        (yes, yes + no),
        ratio,
        share_corners(yes + no),
        int((yes + no).sum()),
        unread,
        reason,
        "this control was not made",
    )


def _share(values: Sequence[bool | None]) -> float | None:
    """Share of True among those that are not None; None if absent."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _left_out(texts: Sequence[JudgedText]) -> str:
    without = sum(text.judged is None for text in texts)
    unread = sum(text.count(label, None) for text in texts for label in LABELS)
    reasons = [f"{without} texts without a reference"] if without else []
    reasons += [f"{unread} claims without a readable verdict"] if unread else []
    return "; ".join(reasons)


def _kappa(sums: Floats) -> Floats:
    """Cohen's κ of sums of supported/supported, supported/not, not/supported, not/not, people first."""
    hit, miss, false, right = (sums[..., place] for place in range(4))
    total = hit + miss + false + right
    observed = divide(hit + right, total)
    expected = divide((hit + miss) * (hit + false) + (false + right) * (miss + right), total * total)
    return divide(observed - expected, np.where(expected < 1.0, 1.0 - expected, 0.0))
