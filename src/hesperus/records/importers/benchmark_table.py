"""The benchmarks that are known by the names tools give their tasks: where the language is, what makes an id.

Names are those of lm-evaluation-harness, lighteval and Inspect. In a pattern, TAG is a code with script or region in any
style, CODE a bare code, and the groups mean:

    language      the language of the item, at the beginning, in the middle or at the end
    question      the language of the question, where the text that it is about is in `language`
    target        the language to translate into
    instruction   the language of the instruction, where the name says it
    subject       a part of the benchmark that is logged apart
    family        the name of the benchmark, where one entry represents several
    variant, form what else tells tasks apart; kept in the name of the task

The benchmarks themselves are in `benchmark_table`. The id of an item has to be the same in every language. The tools' own counters and hashes are not (they depend on
language and filtering), so each benchmark names the fields that are. A user's own table comes in through
ImportSettings.key.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from hesperus.records.importers.import_settings import ROW_KEY

_CODE = r"[a-z]{2,3}"
_TAG = r"[A-Za-z]{2,3}(?:[-_](?:[A-Z][a-z]{3}|[A-Z]{2}|[a-z]{4}))?"

COMMON_GROUPS = ("subject", "category", "subcategory", "domain", "topic", "relation")
"""Fields of an item that become group columns wherever they occur."""

COMMON_KEYS = (
    ("sample_id",), ("item_id",), ("item",), ("question_id",), ("qid",), ("uid",), ("guid",), ("uuid",),
    ("id",), ("ID",), ("idx",),
)  # fmt: skip
"""Fields that usually hold an id; taken for an unknown benchmark where their values are unique in every log."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One benchmark as tools log it.

    Attributes:
        name: Task name in the records (that of the catalogue, where it is there); empty takes the group ``family``.
        pattern: Matches the tool's task name; its groups are described in `benchmark_table`.
        key: Fields that make the id, or (``row``,); empty tries the usual ones.
        keys_again: Other spellings of the key, tried where the first is absent.
        labels: Where labels are words: value of ``gold_field`` to label; empty where they are letters.
        gold_field: Field of the item that holds the gold value; None takes the log's target.
        positions: Label of each option in the order in which tools offer them, for tasks with fixed words.
        groups: Field of the item to column of the records.
        normalised: Key fields whose spelling varies between languages.
        golds_differ: True where the benchmark's gold is known to differ between languages.
        language: The only language that it is in.
        parallel: False where each language has its own items, so that a number names another item in each.
    """

    name: str
    pattern: re.Pattern[str]
    key: tuple[str, ...]
    keys_again: tuple[tuple[str, ...], ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    gold_field: str | None = None
    positions: tuple[str, ...] = ()
    groups: Mapping[str, str] = field(default_factory=dict)
    normalised: tuple[str, ...] = ()
    golds_differ: bool = False
    language: str | None = None
    parallel: bool = True


def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern of the table, with TAG and CODE written out."""
    return re.compile(pattern.replace("TAG", _TAG).replace("CODE", _CODE))


_NLI = {"0": "entailment", "1": "neutral", "2": "contradiction"}
_MMLU_GROUPS = {
    "subject": "subject",
    "subject_category": "category",
    "cultural_sensitivity_label": "culture",
}
_FORM = r"(?:_(?:mcf|cf|hybrid))?"
_PROMPT = r"(?P<form>_prompt_\d+)?"
_BENCH = r"(?:_[a-z]+_bench)?"
_SUBJECT = r"(?:[_-](?P<subject>\w[\w -]*))?"
_BY_ROW = ((ROW_KEY,),)

_INCLUDE = (
    "albanian|arabic|armenian|azerbaijani|basque|belarusian|bengali|bulgarian|chinese|croatian|dutch|estonian|finnish|"
    "french|georgian|german|greek|hebrew|hindi|hungarian|indonesian|italian|japanese|kazakh|korean|lithuanian|malayalam|"
    "malay|nepali|north_macedonian|persian|polish|portuguese|russian|serbian|spanish|tagalog|tamil|telugu|turkish|"
    "ukrainian|urdu|uzbek|vietnamese"
)

_PARALLEL: tuple[Benchmark, ...] = (
    Benchmark(
        "global-mmlu",
        compiled(rf"global[_-]mmlu[_-]full[_-](?P<language>CODE){_SUBJECT}"),
        ("sample_id",),
        groups=_MMLU_GROUPS,
    ),
    Benchmark(
        "global-mmlu-lite",
        compiled(rf"global[_-]mmlu(?:[_-]lite)?[_-](?P<language>CODE){_SUBJECT}"),
        ("sample_id",),
        groups=_MMLU_GROUPS,
    ),
    Benchmark(
        "mmlu-prox",
        compiled(rf"mmlu_prox(?P<variant>_lite)?_(?P<language>CODE){_SUBJECT}"),
        ("question_id",),
        groups={"category": "subject"},
    ),
    Benchmark(
        "mmlu-prox",
        compiled(rf"mmlu_pro_(?P<language>CODE)(?P<variant>_zeroshot){_SUBJECT}"),
        ("question_id",),
        groups={"category": "subject"},
    ),
    Benchmark(
        "mmmlu",
        compiled(
            r"(?:openai[_-])?mmmlu[_-](?P<language>[a-zA-Z]{2}(?:[_-](?!xy)[a-zA-Z]{2})?)(?:[_-](?P<subject>[a-zA-Z_]+))?"
        ),
        ("Unnamed: 0", "Subject"),
        keys_again=(("", "Subject"), ("row_id", "subject"), ("id", "Subject")),
        groups={"Subject": "subject"},
        normalised=("Subject", "subject"),
    ),
    Benchmark("m-mmlu", compiled(r"m_mmlu_(?P<language>TAG)"), ("id",)),
    Benchmark(
        "mmlu", compiled(rf"mmlu_(?P<language>CODE)(?P<variant>_llama){_SUBJECT}"), (), keys_again=_BY_ROW
    ),
    Benchmark(
        "belebele",
        compiled(rf"belebele[_-](?P<language>[a-z]{{3}}_[A-Za-z]{{4}}|[a-z]{{3}}){_FORM}{_PROMPT}"),
        ("link", "question_number"),
    ),
    Benchmark(
        "paws-x",
        compiled(rf"paws[_-]?x?[_-](?P<language>TAG){_FORM}{_BENCH}"),
        ("id",),
        labels={"0": "different", "1": "same"},
        gold_field="label",
        positions=("different", "same"),
        golds_differ=True,
    ),
    Benchmark(
        "xcopa",
        compiled(rf"xcopa[_:-](?P<language>TAG){_FORM}"),
        ("idx",),
        groups={"question": "asks"},
    ),
    Benchmark(
        "xnli",
        compiled(rf"xnli[_-](?P<language>TAG)(?P<variant>_mt|_native)?{_FORM}{_BENCH}"),
        (ROW_KEY,),
        labels=_NLI,
        gold_field="label",
        positions=("entailment", "neutral", "contradiction"),
    ),
    Benchmark(
        "afrixnli",
        compiled(
            rf"afrixnli(?P<variant>(?:_en|_native|_manual)?_direct|(?:_manual)?_translate)?_(?P<language>CODE){_PROMPT}"
        ),
        (ROW_KEY,),
        labels=_NLI,
        gold_field="label",
        positions=("entailment", "neutral", "contradiction"),
    ),
    Benchmark(
        "mgsm",
        compiled(rf"mgsm(?P<variant>_direct|_native_cot|_en_cot|_cot_native)?[_:-](?P<language>TAG){_BENCH}"),
        (ROW_KEY,),
        gold_field="answer_number",
    ),
    Benchmark(
        "afrimgsm",
        compiled(
            rf"afrimgsm(?P<variant>(?:_direct|_en_cot|_native_cot|_cot|_translate)+|_tt)?_(?P<language>CODE){_PROMPT}"
        ),
        (ROW_KEY,),
        gold_field="answer_number",
    ),
    Benchmark(
        "afrimmlu",
        compiled(rf"afrimmlu(?P<variant>_direct|_translate|_cot)?_(?P<language>CODE){_PROMPT}"),
        (ROW_KEY,),
        groups={"subject": "subject"},
    ),
    Benchmark(
        "truthfulqa-multi",
        compiled(r"truthfulqa-multi(?P<variant>_gen|_mc1|_mc2)_(?P<language>TAG)"),
        ("id",),
        groups={"category": "category", "type": "type"},
    ),
    Benchmark(
        "truthfulqa",
        compiled(r"truthfulqa_(?P<language>TAG)(?P<variant>_mc1|_mc2|_gen)"),
        (),
        keys_again=_BY_ROW,
    ),
    Benchmark(
        "xstorycloze",
        compiled(rf"xstory_?cloze[_-](?P<language>TAG){_FORM}"),
        ("story_id",),
    ),
    Benchmark(
        "sib-200",
        compiled(rf"sib(?:[_-]?200)?[_-](?P<language>[a-z]{{3}}_[A-Z][a-z]{{3}}|[a-z]{{3}}){_PROMPT}"),
        ("index_id",),
        keys_again=(("id",),),
    ),
    Benchmark("arc-challenge-mt", compiled(r"arc_challenge_mt_(?P<language>CODE)"), ("id",)),
    Benchmark(
        "arc", compiled(r"arc_(?!easy|challenge)(?P<language>TAG)(?P<variant>_easy|_challenge)?"), ("id",)
    ),
    Benchmark(
        "hellaswag", compiled(r"hellaswag_(?P<language>TAG)"), ("ind",), keys_again=(("id",), *_BY_ROW)
    ),
    Benchmark(
        "lambada-mt", compiled(r"lambada_openai_mt(?P<variant>_stablelm)?_(?P<language>CODE)"), (ROW_KEY,)
    ),
    Benchmark("xquad", compiled(r"xquad_(?P<language>TAG)"), ("id",)),
    Benchmark("mlqa", compiled(r"mlqa[_.](?P<language>CODE)[_.](?P<question>CODE)"), ("id",)),
    Benchmark("eus-exams", compiled(r"eus_exams_(?P<language>es|eu)_(?P<subject>\w+)"), ("id",)),
    Benchmark("bertaqa", compiled(r"bertaqa_(?P<language>eu|en)(?P<variant>_mt_[\w.-]+)?"), ("id",)),
    Benchmark(
        "crows-pairs",
        compiled(r"crows_pairs_(?P<language>english|french)(?:_(?P<subject>\w+))?"),
        (),
        keys_again=_BY_ROW,
    ),
    Benchmark(
        "",
        compiled(r"(?P<family>openbookqa|piqa|siqa|copa|wnli|cocoteros|xlsum)_(?P<language>ca|es|eu|gl)"),
        (),
        keys_again=_BY_ROW,
    ),
    Benchmark(
        "",
        compiled(
            r"(?P<family>flores|ntrex|mafand|wmt\d\d|iwslt\d{4}|tatoeba)[_-](?P<language>TAG)-(?P<target>TAG)"
            rf"{_PROMPT}"
        ),
        (),
        keys_again=_BY_ROW,
    ),
    Benchmark(
        "",
        compiled(
            r"(?P<family>openai_mmlu|uhura-arc-easy|uhura-truthfulqa|nollysenti)_(?P<language>CODE)"
            rf"{_PROMPT}"
        ),
        (),
        keys_again=_BY_ROW,
    ),
)

_APART: tuple[Benchmark, ...] = (
    Benchmark(
        "include",
        compiled(
            rf"include_base_44_(?P<language>{_INCLUDE})(?:_few_shot_(?P<instruction>en|og))?(?:_(?P<subject>[a-z_]+))?"
        ),
        (),
        keys_again=_BY_ROW,
        parallel=False,
    ),
    Benchmark("xwinograd", compiled(r"xwinograd_(?P<language>CODE)"), (), keys_again=_BY_ROW, parallel=False),
    Benchmark(
        "",
        compiled(
            r"(?P<family>afriqa|afrisenti|afrihate|masakhanews|masakhaner|masakhapos|naijarc|injongointent|salt|"
            r"afridiacritics|adr|xlsum|african_flores)_(?P<language>CODE)" + _PROMPT
        ),
        (),
        keys_again=_BY_ROW,
        parallel=False,
    ),
    Benchmark(
        "",
        compiled(r"(?P<family>mela|multiblimp|careqa|headqa)_(?P<language>CODE)"),
        (),
        keys_again=_BY_ROW,
        parallel=False,
    ),
    Benchmark(
        "",
        compiled(
            r"(?P<family>nor[a-z]+(?:_[a-z]+)??|nrk_quiz_qa|ask_gec|ncb|nocola)_(?P<language>nob|nno)(?P<form>_p\d+)?"
        ),
        (),
        keys_again=_BY_ROW,
        parallel=False,
    ),
)

_ONE_LANGUAGE: tuple[tuple[str, str], ...] = (
    ("ar", rf"(?P<family>arabicmmlu|aexams|arabic_leaderboard|arabic_mt|alghafa|acva){_SUBJECT}"),
    ("ary", rf"(?P<family>darijammlu|darijahellaswag|darija){_SUBJECT}"),
    ("arz", rf"(?P<family>egymmlu|egyhellaswag){_SUBJECT}"),
    ("bn", rf"(?P<family>bangla){_SUBJECT}"),
    ("ca", rf"(?P<family>catalanqa|catcola|coqcat|teca|parafraseja|cabreu){_SUBJECT}"),
    ("en", r"(?P<family>agieval)_(?P<subject>(?:lsat|sat)_\w+|aqua_rat|math|logiqa_en|gaokao_english)"),
    ("es", rf"(?P<family>escola|esbbq){_SUBJECT}"),
    (
        "eu",
        rf"(?P<family>eus_proficiency|eus_reading|eus_trivia|bec2016eu|bhtc|epec_koref|qnlieu|vaxx|wiceu){_SUBJECT}",
    ),
    ("fr", rf"(?P<family>french_bench|histoires_morales){_SUBJECT}"),
    ("gl", rf"(?P<family>galcola|parafrases_gl|summarization_gl){_SUBJECT}"),
    ("id", rf"(?P<family>copal_id){_SUBJECT}"),
    ("is", rf"(?P<family>icelandic_winogrande){_SUBJECT}"),
    ("it", rf"(?P<family>evalita-(?:mp|sp)|evalita){_SUBJECT}"),
    ("ja", rf"(?P<family>ja_leaderboard|japanese_leaderboard){_SUBJECT}"),
    ("ko", rf"(?P<family>kmmlu|kobest|haerae|csatqa|kormedmcqa|click|kbl){_SUBJECT}"),
    ("nl", rf"(?P<family>blimp_nl){_SUBJECT}"),
    ("pl", rf"(?P<family>polemo2|klej){_SUBJECT}"),
    ("pt", rf"(?P<family>assin){_SUBJECT}"),
    ("ru", rf"(?P<family>libra){_SUBJECT}"),
    ("tr", rf"(?P<family>turkishmmlu|turblimp){_SUBJECT}"),
    ("zh", rf"(?P<family>cmmlu|ceval-valid|aclue|zhoblimp){_SUBJECT}"),
    ("zh", r"(?P<family>agieval)_(?P<subject>gaokao_\w+|logiqa_zh|jec_qa_\w+)"),
    ("zh-Hant", rf"(?P<family>tmmluplus|tmlu){_SUBJECT}"),
)
"""Benchmarks in one language; what follows their name is a subject, though it may look like a code (``in``, ``ar``, ``te``)."""

BENCHMARKS: tuple[Benchmark, ...] = (
    *_PARALLEL,
    *_APART,
    *(
        Benchmark("", compiled(pattern), (), keys_again=_BY_ROW, language=language)
        for language, pattern in _ONE_LANGUAGE
    ),
)
"""In the order in which they are tried."""
