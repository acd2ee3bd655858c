"""What would do what an audit has not done: commands that run as they are printed, or what it takes where none would."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from hesperus.analysis.tax.audit_evidence import Evidence
from hesperus.analysis.tax.tax_settings import ALIGNMENT_FILE, CHECKS_FILE, RATINGS_FILE
from hesperus.wording import language_name, parsed


@dataclass(frozen=True, slots=True)
class Remedy:
    """What would do one point of the checklist.

    Attributes:
        commands: Commands that run as they are, one after the other; none where no command alone would do.
        needs: What it takes then.
    """

    commands: tuple[str, ...] = ()
    needs: str = ""


NOTHING = Remedy()
MORE_MODELS = Remedy(needs="a second model")
ASKED_HERE = Remedy(needs="a run that hesperus asked: the signature of its folder says what was excluded")


class Remedies:
    """What would do the points one by one, with the paths, models and languages of an audit."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence, self.origin, senses = evidence, evidence.origin, evidence.senses
        self.run = shlex.quote(self.origin.run or "")
        self.asked = sorted(evidence.audited["model"].unique().to_list())
        self.original = senses.original
        self.translated = senses.translated or _language(senses.back)
        self.language = language_name(self.translated) if self.translated else "the language"
        self.has_natural = senses.natural is not None and evidence.strata is not None

    def beside(self, name: str) -> str:
        """The path of a file in the run folder, or besides the records file."""
        place = Path(self.origin.run or "records")
        return shlex.quote(
            str(place / name if self.origin.is_folder else place.with_name(f"{place.stem}-{name}"))
        )

    def checklist(self, *flags: str) -> Remedy:
        """The checklist again with more flags."""
        return self.given(f"hesperus tax checklist {self.run} {' '.join((*self.origin.flags, *flags))}")

    def given(self, *steps: str) -> Remedy:
        """Commands, where there is something on disk to run them on."""
        if self.origin.run is None:
            return Remedy(needs="a run folder or a records file on disk")
        return Remedy(tuple(step.strip() for step in steps if step))

    def again(self, *flags: str) -> Remedy:
        """The study of the run folder with more flags, which is another study in a folder of its own."""
        return self.given(f"hesperus run {self.run} {' '.join(flags)}")

    def alignment(self) -> Remedy:
        """An audit of the items in every language."""
        origin, out = self.origin, self.beside(ALIGNMENT_FILE)
        tags = [tag for tag in (self.original, self.translated) if tag is not None]
        languages = " ".join(f"--language {shlex.quote(tag)}" for tag in tags)
        if origin.is_folder and self.originals(*tags):
            step = f"hesperus audit {self.run} {languages} --format json > {out}"
        elif origin.known_task is not None:
            step = f"hesperus audit {shlex.quote(origin.known_task)} {languages} --format json > {out}"
        else:
            return Remedy(
                needs="the items in every language: hesperus audit FILE FILE --format json, and --audit here"
            )
        return self.given(
            step, "" if origin.is_folder else f"hesperus tax checklist {self.run} --audit {out}"
        )

    def originals(self, *tags: str) -> bool:
        """Whether the run keeps the texts of these senses."""
        return bool(tags) and set(tags) <= self.origin.texts

    def back(self) -> Remedy:
        """Answers to what came back."""
        if self.origin.is_study:
            return self.given(f"hesperus run {self.run}")
        return Remedy(
            needs=f"answers to the items translated from {self.language} back into the original language: `hesperus run "
            "translation_tax` asks them"
        )

    def quality(self) -> Remedy:
        """Scores of what came back."""
        back = self.evidence.senses.back
        if back is not None and self.original is not None and self.originals(back, self.original):
            return self.given(f"hesperus score {self.run}")
        return Remedy(
            needs="scores of the back-translations (item and bleu or chrf): --scores FILE in `hesperus measure back_translation` and report"
        )

    def natural(self) -> Remedy:
        """The items rewritten, and answers to them."""
        if self.evidence.senses.natural is not None and self.evidence.strata is None:
            return Remedy(needs="strata: they say which of the rewritten items are compared")
        if self.origin.is_study:
            return self.again("--rewriter", shlex.quote(self.asked[-1]))
        return Remedy(
            needs=f"the items rewritten naturally in {self.language}, and answers to them: --natural CODE, --strata FILE"
        )

    def parsers(self) -> Remedy:
        """Other parsers on the same replies."""
        if self.origin.can_reread:
            return self.checklist("--parser strict", "--parser ohmer2023")
        return Remedy(
            needs="replies, and a task that says how they are read (--parser-task in `hesperus measure parsers`)"
        )

    def native(self) -> Remedy:
        """Answers to items of the language itself."""
        return Remedy(
            needs=f"answers to items that were written in {self.language}: --native RUN, or --native-task in the same records"
        )

    def groups(self, *, natural: bool) -> Remedy:
        """Groups of models, where there is an estimate of which they can be a part."""
        if not self._is_estimated(natural):
            return self.natural() if natural else self.back()
        if len(self.asked) < 2:
            return Remedy(needs="two models or more")
        first, *others = self.asked
        return self.checklist(
            f"--group {shlex.quote(f'first={first}')}", f"--group {shlex.quote('others=' + ','.join(others))}"
        )

    def models(self, *, natural: bool) -> Remedy:
        """More models, where there is an estimate already."""
        return MORE_MODELS if self._is_estimated(natural) else self.natural() if natural else self.back()

    def _is_estimated(self, natural: bool) -> bool:
        return self.has_natural if natural else self.evidence.senses.back is not None

    def strata(self) -> Remedy:
        """The strata, picked before anything is rewritten."""
        senses = self.evidence.senses
        if self.origin.run is None or None in (senses.original, senses.translated, senses.back):
            return Remedy(needs="answers to the original, the translated and the back-translated items")
        out, groups = self.beside("strata.json"), self.evidence.settings.groups
        centric = next(iter(groups.values())) if groups else self.asked
        pick = f"hesperus tax strata {self.run} --out {out} --group {shlex.quote('centric=' + ','.join(centric))}"
        named = "" if self.origin.is_folder else f"hesperus tax checklist {self.run} --strata {out}"
        return self.given(*filter(None, (pick, named)))

    def verifying(self) -> Remedy:
        """Another model's verdicts on the rewritten items."""
        rewriter = self.origin.rewriter or (self.asked[-1] if self.asked else "")
        others = [model for model in self.asked if model != rewriter]
        if not self.origin.is_study or not others:
            return Remedy(
                needs="another model that scores the rewritten items: --verifier in `hesperus run translation_tax`"
            )
        rewrite = () if self.origin.rewriter else ("--rewriter", shlex.quote(rewriter))
        return self.again(*rewrite, "--verifier", shlex.quote(others[-1]))

    def rating(self) -> Remedy:
        """Two people's ratings of cues."""
        if self.evidence.senses.back is None:
            return self.back()
        return self.people("residue", self.original, self.translated, "cues.sqlite", RATINGS_FILE)

    def checking(self) -> Remedy:
        """Two people's checks of the rewritten items."""
        if self.evidence.senses.natural is None:
            return self.natural()
        return self.people("qc", self.translated, self.evidence.senses.natural, "qc.sqlite", CHECKS_FILE)

    def people(self, scheme: str, a: str | None, b: str | None, store: str, out: str) -> Remedy:
        """Make the sheet, give two people their links, serve the page until both are done, export what they said."""
        if a is None or b is None or not self.originals(a, b):
            return Remedy(
                needs=f"the texts of the items side by side in a table: `hesperus annotate create {scheme} FILE --out "
                f"{store}`, then links, serve and export"
            )
        sheet = self.beside(store)
        made = Path(self.origin.run or "", store).exists()
        create = f"hesperus annotate create {scheme} {self.run} --a {shlex.quote(a)} --b {shlex.quote(b)} --out {sheet}"
        links = f"hesperus annotate links {sheet} --rater first --rater second"
        serve = f"hesperus annotate serve {sheet}"
        export = f"hesperus annotate export {sheet} --out {self.beside(out)}"
        return self.given(*((serve, export) if made else (create, links, serve, export)))


def _language(code: str | None) -> str | None:
    """The language that a back-translation came from."""
    sense = parsed(code) if code is not None else None
    return None if sense is None else sense.source or sense.via
