"""Task and language from the names that tools give their tasks, and from what logs say beside them."""

from __future__ import annotations

from dataclasses import fields
from importlib.resources import files
from pathlib import Path

import pytest
from log_makers import lm_eval_row, mmlu_rows, write_lm_eval

from hesperus.errors import DataError
from hesperus.records.importers import ImportSettings, import_logs
from hesperus.records.importers.benchmark_table import Benchmark, benchmarks
from hesperus.records.importers.log_names import Evidence, about, name_of
from hesperus.records.importers.tagging import explicit_tag, tag_in_name
from hesperus.strict_yaml import read_yaml_file

# Name of the tool's task, name in the records, language, subject, language of the instruction or question.
NAMES = """
global_mmlu_full_de_anatomy          global-mmlu           de  anatomy
global_mmlu_full_am_high_school_physics global-mmlu        am  high_school_physics
global_mmlu_ar_business              global-mmlu-lite      ar  business
global_mmlu_sw                       global-mmlu-lite      sw
global_mmlu_ca_swa_anatomy           global-mmlu-ca        sw  anatomy
global_mmlu_cs_hin_law               global-mmlu-cs        hi  law
global_mmlu_cs                       global-mmlu-lite      cs
global_mmlu_ca_business              global-mmlu-lite      ca  business
openai_mmlu_swa_anatomy              openai-mmlu           sw  anatomy
mlmm_mmlu_por_anatomy                mlmm-mmlu             pt  anatomy
mlmm_arc_vie_challenge               mlmm-arc              vi  challenge
mlmm_hellaswag_vie                   mlmm-hellaswag        vi
xnli2.0_urd                          xnli2.0               ur
tydiqa_tel                           tydiqa                te
mlqa_ara                             mlqa                  ar
flores200_eng_Latn-deu_Latn          flores200-to-de       en
cmmlu_zho_agronomy                   cmmlu                 zh  agronomy
turkish_mmlu_tur_Biology             turkish-mmlu          tr  Biology
mmlu_prox_de_law                     mmlu-prox             de  law
mmlu_prox_zh_computer_science        mmlu-prox             zh  computer_science
mmlu_prox_af_biology                 mmlu-prox             af  biology
mmlu_prox_lite_sw_math               mmlu-prox-lite        sw  math
mmlu_prox_lite_te_other              mmlu-prox-lite        te  other
mmlu_pro_ar_zeroshot_biology         mmlu-prox-zeroshot    ar  biology
mmmlu_sw_ke                          mmmlu                 sw-KE
mmmlu_ar_xy                          mmmlu                 ar
mmmlu_es_la                          mmmlu                 es-419
openai_mmmlu_zh_cn                   mmmlu                 zh-CN
m_mmlu_de                            m-mmlu                de
m_mmlu_vi                            m-mmlu                vi
m_mmlu_pt-br                         m-mmlu                pt-BR
hellaswag_pt-br                      hellaswag             pt-BR
AraDiCE_boolq_egy                    AraDiCE-boolq         arz
AraDiCE_piqa_lev                     AraDiCE-piqa          apc
AraDiCE_winogrande_msa               AraDiCE-winogrande    ar
AraDiCE_ArabicMMLU_high_humanities_history_egy AraDiCE-ArabicMMLU-high-humanities-history arz
global_piqa_completions_deu_latn     global-piqa-completions de
global_piqa_prompted_jpn_jpan        global-piqa-prompted  ja
mmlu_de_llama                        mmlu-llama            de
mmlu_hi_llama_stem                   mmlu-llama            hi  stem
belebele_deu_Latn                    belebele              de
belebele_zho_Hant                    belebele              zh-Hant
belebele_swh_Latn                    belebele              sw
belebele_arb_Arab                    belebele              ar
belebele_hin_Latn                    belebele              hi-Latn
belebele_amh_prompt_1                belebele-prompt-1     am
paws_de                              paws-x                de
paws_ja                              paws-x                ja
pawsx_fr                             paws-x                fr
paws_es_spanish_bench                paws-x                es
xcopa_et                             xcopa                 et
xcopa_qu                             xcopa                 qu
xcopa:sw                             xcopa                 sw
xnli_de                              xnli                  de
xnli_el                              xnli                  el
xnli_eu                              xnli                  eu
xnli_eu_mt                           xnli-mt               eu
xnli_eu_native                       xnli-native           eu
xnli_es_spanish_bench                xnli                  es
afrixnli_amh_prompt_1                afrixnli-prompt-1     am
afrixnli_native_direct_swa           afrixnli-native-direct sw
afrixnli_en_direct_yor               afrixnli-en-direct    yo  - en
afrixnli_translate_zul               afrixnli-translate    zu
mgsm_direct_de                       mgsm-direct           de
mgsm_direct_es_spanish_bench         mgsm-direct           es
mgsm_native_cot_bn                   mgsm-native-cot       bn
mgsm_en_cot_sw                       mgsm-en-cot           sw  - en
afrimgsm_direct_amh                  afrimgsm-direct       am
afrimgsm_amh_prompt_1                afrimgsm-prompt-1     am
afrimgsm_cot_ibo_prompt_3            afrimgsm-cot-prompt-3 ig
afrimgsm_translate_direct_zul        afrimgsm-translate-direct zu
afrimgsm_en_cot_swa                  afrimgsm-en-cot       sw  - en
afrimmlu_direct_amh                  afrimmlu-direct       am
afrimmlu_direct_amh_prompt_1         afrimmlu-direct-prompt-1 am
afrimmlu_translate_wol               afrimmlu-translate    wo
truthfulqa-multi_gen_gl              truthfulqa-multi-gen  gl
truthfulqa-multi_mc1_eu              truthfulqa-multi-mc1  eu
truthfulqa_de_mc1                    truthfulqa-mc1        de
truthfulqa_gl_mc2                    truthfulqa-mc2        gl
xstorycloze_ar                       xstorycloze           ar
xstorycloze_my                       xstorycloze           my
sib200_amh_Ethi                      sib-200               am
sib_amh_prompt_1                     sib-200-prompt-1      am
sib200_deu_Latn                      sib-200               de
arc_challenge_mt_de                  arc-challenge-mt      de
arc_challenge_mt_is                  arc-challenge-mt      is
arc_de                               arc                   de
arc_ca_challenge                     arc-challenge         ca
arc_zho_Hant                         arc                   zh-Hant
hellaswag_de                         hellaswag             de
hellaswag_es                         hellaswag             es
lambada_openai_mt_de                 lambada-mt            de
lambada_openai_mt_stablelm_pt        lambada-mt-stablelm   pt
xquad_el                             xquad                 el
xquad_ca                             xquad                 ca
mlqa_es_ar                           mlqa                  es  - ar
mlqa_de_de                           mlqa                  de
mlqa_vi_zh                           mlqa                  vi  - zh
eus_exams_es_opeosakiadmineu         eus-exams             es  opeosakiadmineu
eus_exams_eu_ejteknikaria            eus-exams             eu  ejteknikaria
bertaqa_eu                           bertaqa               eu
bertaqa_en_mt_gemma-7b               bertaqa-mt-gemma-7b   en
crows_pairs_french_age               crows-pairs           fr  age
openbookqa_ca                        openbookqa            ca
copa_es                              copa                  es
wnli_ca                              wnli                  ca
xwinograd_zh                         xwinograd             zh
wmt16-en-de                          wmt16-to-de           en
wmt14-fr-en                          wmt14-to-en           fr
iwslt2017-en-ar                      iwslt2017-to-ar       en
flores_ca-de                         flores-to-de          ca
flores_eng_Latn-amh_Ethi_prompt_1    flores-to-am-prompt-1 en
ntrex_eng_Latn-zul_Latn_prompt_2     ntrex-to-zu-prompt-2  en
include_base_44_german_few_shot_en_applied_science include de applied_science en
include_base_44_dutch_few_shot_og_stem include             nl  stem
include_base_44_malay_arts_humanities include              ms  arts_humanities
include_base_44_malayalam_stem       include               ml  stem
include_base_44_north_macedonian_social_science include    mk  social_science
include_base_44_albanian             include               sq
openai_mmlu_swa_prompt_1             openai-mmlu-prompt-1  sw
uhura-arc-easy_hau_prompt_2          uhura-arc-easy-prompt-2 ha
afriqa_bem_prompt_1                  afriqa-prompt-1       bem
afrisenti_amh_prompt_1               afrisenti-prompt-1    am
masakhanews_yor_prompt_4             masakhanews-prompt-4  yo
naijarc_hau_prompt_1                 naijarc-prompt-1      ha
injongointent_ewe_prompt_1           injongointent-prompt-1 ee
multiblimp_deu                       multiblimp            de
mela_ru                              mela                  ru
careqa_es                            careqa                es
headqa_en                            headqa                en
nortruthfulqa_mc_nno_p0              nortruthfulqa-mc-p0   nn
norcommonsenseqa_nob_p3              norcommonsenseqa-p3   nb
noridiom_nob_p0                      noridiom-p0           nb
kobest_copa                          kobest                ko  copa
kobest_boolq                         kobest                ko  boolq
kmmlu_law                            kmmlu                 ko  law
kmmlu_direct_korean_history          kmmlu                 ko  direct_korean_history
kmmlu_hard_math                      kmmlu                 ko  hard_math
haerae_history                       haerae                ko  history
csatqa_gr                            csatqa                ko  gr
click_lang_text                      click                 ko  lang_text
cmmlu_arts                           cmmlu                 zh  arts
cmmlu_chinese_history                cmmlu                 zh  chinese_history
ceval-valid_law                      ceval-valid           zh  law
ceval-valid_art_studies              ceval-valid           zh  art_studies
aclue_ancient_medical                aclue                 zh  ancient_medical
tmmluplus_accounting                 tmmluplus             zh-Hant accounting
tmlu_gsat_chinese                    tmlu                  zh-Hant gsat_chinese
arabicmmlu_islamic_studies           arabicmmlu            ar  islamic_studies
aexams_Biology                       aexams                ar  Biology
arabic_leaderboard_arabic_mmlu_law   arabic-leaderboard    ar  arabic_mmlu_law
egymmlu_global_facts                 egymmlu               arz global_facts
darijammlu_arabic_language           darijammlu            ary arabic_language
turkishmmlu_biology                  turkishmmlu           tr  biology
turkishmmlu_cot_geography            turkishmmlu           tr  cot_geography
turblimp_scrambling                  turblimp              tr  scrambling
agieval_lsat_ar                      agieval               en  lsat_ar
agieval_lsat_lr                      agieval               en  lsat_lr
agieval_sat_en                       agieval               en  sat_en
agieval_logiqa_en                    agieval               en  logiqa_en
agieval_gaokao_english               agieval               en  gaokao_english
agieval_logiqa_zh                    agieval               zh  logiqa_zh
agieval_jec_qa_kd                    agieval               zh  jec_qa_kd
agieval_gaokao_history               agieval               zh  gaokao_history
polemo2_in                           polemo2               pl  in
polemo2_out                          polemo2               pl  out
polemo2_in_regex                     polemo2               pl  in_regex
evalita-mp_te_prompt-1               evalita-mp            it  te_prompt-1
evalita-sp_sum_task_fp_p1            evalita-sp            it  sum_task_fp_p1
eus_proficiency                      eus-proficiency       eu
eus_trivia                           eus-trivia            eu
catalanqa                            catalanqa             ca
teca                                 teca                  ca
french_bench_arc_challenge           french-bench          fr  arc_challenge
copal_id_standard                    copal-id              id  standard
ja_leaderboard_jaqket_v2             ja-leaderboard        ja  jaqket_v2
icelandic_winogrande                 icelandic-winogrande  is
blimp_nl_anaphor_agreement           blimp-nl              nl  anaphor_agreement
hellaswag                            hellaswag             -
mmlu_pro                             mmlu_pro              -
mmlu_pro_law                         mmlu_pro_law          -
global_piqa_all                      global_piqa_all       -
arc_challenge                        arc_challenge         -
arc_easy                             arc_easy              -
gsm8k_cot                            gsm8k_cot             -
paws_x                               paws_x                -
xnli_all                             xnli_all              -
truthfulqa_mc1                       truthfulqa_mc1        -
ethics_cm                            ethics_cm             -
arithmetic_2da                       arithmetic_2da        -
anli_r1                              anli_r1               -
code2text_go                         code2text_go          -
hendrycks_math_num_theory            hendrycks_math_num_theory -
wmdp_bio                             wmdp_bio              -
mybench_mt_de                        mybench_mt_de         -
"""

ROWS = [line.split() for line in NAMES.strip().splitlines()]


def test_there_are_names_enough() -> None:
    assert len(ROWS) >= 150 and len({row[0] for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_task_language_and_subject_from_the_name(row: list[str]) -> None:
    name, task, language, subject, instruction = (*row, *["-"] * (5 - len(row)))
    named = name_of(name)
    found = about(Evidence(name, "x"), ImportSettings())
    wanted = tuple(None if value == "-" else value for value in (language, subject, instruction))
    assert (found.task, (named.language, named.subject, named.instruction)) == (task, wanted)
    assert found.language == named.language
    assert found.basis == (None if wanted[0] is None else "benchmark")


@pytest.mark.parametrize(
    "text", ["mt_de", "de-law", "eu_mt", "eu-MT", "ca_va", "no_rag", "de_en", "xy", "text", "", "mc1"]
)
def test_what_only_looks_like_a_language(text: str) -> None:
    assert explicit_tag(text) is None and tag_in_name(text) is None


@pytest.mark.parametrize(
    ("text", "tag", "in_a_name"),
    [
        ("pt_br", "pt-BR", "pt-BR"), ("zho_Hant", "zh-Hant", "zh-Hant"), ("zh-cn", "zh-CN", "zh-CN"), ("sw_ke", "sw-KE", "sw-KE"),
        ("German", "de", None), ("bbj", "bbj", None), ("law", "law", None), ("srp_Cyrl", "sr", "sr"), ("iw", "he", "he"),
    ],
)  # fmt: skip
def test_languages_in_any_style(text: str, tag: str, in_a_name: str | None) -> None:
    assert (explicit_tag(text), tag_in_name(text)) == (tag, in_a_name)


@pytest.mark.parametrize(
    ("name", "config", "language", "task"),
    [
        ("mmlu_prox_de_law", {"dataset_name": "de"}, "de", "mmlu-prox"),
        ("arc_challenge_mt_de", {"dataset_name": "de"}, "de", "arc-challenge-mt"),
        ("xnli_eu_mt", {"dataset_name": "eu_mt"}, "eu", "xnli-mt"),
        ("mlqa_es_ar", {"dataset_name": "mlqa.es.ar"}, "es", "mlqa"),
        ("kmmlu_law", {"dataset_name": "law"}, "ko", "kmmlu"),
        ("kmmlu_id", {"dataset_name": "id"}, "ko", "kmmlu"),
        ("wmt16-en-de", {"dataset_name": "de-en"}, "en", "wmt16-to-de"),
        ("include_base_44_german_stem", {"dataset_name": "German"}, "de", "include"),
        ("my_quiz_de_law", {"dataset_name": "deu_Latn"}, "de", "my_quiz_law"),
        ("my_quiz", {"language": "Swahili"}, "sw", "my_quiz"),
        ("my_quiz", {"dataset_name": "main"}, None, "my_quiz"),
        ("my_quiz", {"dataset_name": "mt_de"}, None, "my_quiz"),
    ],
)
def test_the_configuration_of_a_log(
    name: str, config: dict[str, str], language: str | None, task: str
) -> None:
    found = about(Evidence(name, "x", config), ImportSettings())
    assert (found.language, found.task) == (language, task)


def test_a_configuration_that_contradicts_the_name_is_told() -> None:
    found = about(Evidence("xcopa_et", "x", {"dataset_name": "it"}), ImportSettings())
    assert (found.language, found.basis) == ("it", "log") and "says et" in found.evidence


def _quiz(folder: Path, name: str, question: str, ids: str = "abcdef") -> None:
    rows = [
        lm_eval_row(n, {"item": key, "question": question}, [-1.0, -2.0], target=0, texts=("A", "B"))
        for n, key in enumerate(ids)
    ]
    write_lm_eval(folder, name, rows)


DE, FR = "Welche Stadt ist die Hauptstadt dieses Landes?", "Quelle ville est la capitale de ce pays ?"
RU = "Какой город является столицей этой страны?"


def test_siblings_whose_names_differ_in_their_language(tmp_path: Path) -> None:
    for tag, question in (("de", DE), ("fr", FR), ("ru", RU)):
        for subject in ("law", "art"):
            _quiz(tmp_path, f"my_quiz_{tag}_{subject}", question, ids={"law": "123", "art": "456"}[subject])
    imported = import_logs(tmp_path)
    assert not imported.left_out
    assert sorted(imported.records["task"].unique()) == ["my_quiz_art", "my_quiz_law"]
    assert sorted(imported.records["input"].unique()) == ["de", "fr", "ru"]
    assert {str(log["evidence"]).split(":")[0] for log in imported.logs} == {"siblings"}
    assert any("language guessed by the names of the logs for 6 of 6" in note for note in imported.notes)


@pytest.mark.parametrize(
    "names",
    [
        ("my_lsat_ar", "my_lsat_lr", "my_lsat_rc"),  # one that is no language says that the others are none
        ("my_is", "my_no"),  # other items
    ],
)
def test_what_varies_and_is_no_language(tmp_path: Path, names: tuple[str, ...]) -> None:
    for place, name in enumerate(names):
        _quiz(tmp_path, name, "x", ids="abc" if len(names) == 3 else f"{place}{place + 5}")
    with pytest.raises(Exception, match="cannot be told"):
        import_logs(tmp_path)


def test_siblings_whose_text_is_in_another_script_are_refused(tmp_path: Path) -> None:
    for tag, question in (("de", DE), ("fr", RU)):
        _quiz(tmp_path, f"my_quiz_{tag}_hard", question)
    imported = import_logs(tmp_path)
    assert set(imported.records["input"]) == {"de"}
    assert [(left.place.split("samples_")[1][:12], left.failed) for left in imported.left_out] == [
        ("my_quiz_fr_h", True)
    ]


def test_the_user_says_what_nothing_tells(tmp_path: Path) -> None:
    _quiz(tmp_path, "my_lsat_ar", "x")
    said = import_logs(tmp_path, ImportSettings(languages={"my_lsat_ar": "en"}))
    assert set(said.records["input"]) == {"en"} and set(said.records["task"]) == {"my_lsat_ar"}
    assert str(said.logs[0]["evidence"]).startswith("given: --language my_lsat_ar=en")


def test_subjects_in_the_middle_of_the_name_join(tmp_path: Path) -> None:
    for tag in ("de", "zh"):
        for subject in ("law", "math"):
            rows = mmlu_rows(4)
            for row in rows:
                row["doc"] = {
                    "question_id": row["doc_id"] + (100 if subject == "law" else 0),
                    "category": subject,
                }
            write_lm_eval(tmp_path, f"mmlu_prox_{tag}_{subject}", rows, config={"dataset_name": tag})
    imported = import_logs(tmp_path)
    assert not imported.left_out and not imported.notes
    records = imported.records
    assert set(records["task"]) == {"mmlu-prox"} and len(records) == 16 and records["item"].n_unique() == 8
    assert records.group_by("item").len()["len"].to_list() == [2] * 8 and set(records["subject"]) == {
        "law",
        "math",
    }


def test_rows_of_subjects_and_of_languages_apart_are_not_one_item(tmp_path: Path) -> None:
    for name in ("kmmlu_law", "kmmlu_math", "include_base_44_german_stem", "include_base_44_dutch_stem"):
        rows = mmlu_rows(3)
        for row in rows:
            row["doc"] = {"question": f"{name} {row['doc_id']}"}
        write_lm_eval(tmp_path, name, rows)
    records = import_logs(tmp_path).records
    assert len(records) == 12 and records["item"].n_unique() == 12
    assert set(records.filter(task="kmmlu")["subject"]) == {"law", "math"}


GERMAN = [
    "Welche Stadt ist die Hauptstadt von Frankreich und liegt an der Seine?",
    "In welchem Jahr wurde die Berliner Mauer wieder geöffnet?",
    "Wer hat das Buch geschrieben, das in der Schule gelesen wird?",
    "Warum fallen im Herbst die Blätter von den Bäumen?",
]
ENGLISH = [
    "Which city is the capital of France and lies on the river Seine?",
    "In which year was the wall in Berlin opened again?",
    "Who wrote the book that is read in most of the schools?",
    "Why do the leaves fall from the trees every autumn?",
]


def _texts(folder: Path, name: str, questions: list[str]) -> None:
    rows = [
        lm_eval_row(n, {"item": f"q{n}", "question": question}, [-1.0, -2.0], target=0, texts=("A", "B"))
        for n, question in enumerate(questions)
    ]
    write_lm_eval(folder, name, rows)


@pytest.mark.parametrize(
    ("name", "questions", "language", "task", "basis"),
    [
        ("my_quiz_de_law", GERMAN, "de", "my_quiz_law", "text"),
        ("my_quiz_de", GERMAN, "de", "my_quiz", "text"),
        ("my_lsat_ar", ENGLISH, "en", "my_lsat_ar", "text"),
        ("score_no", ENGLISH, "en", "score_no", "text"),
        ("my_quiz", GERMAN, "de", "my_quiz", "text"),
    ],
)
def test_the_text_bears_out_a_name_or_speaks_alone(
    tmp_path: Path, name: str, questions: list[str], language: str, task: str, basis: str
) -> None:
    _texts(tmp_path, name, questions)
    imported = import_logs(tmp_path)
    assert (set(imported.records["input"]), set(imported.records["task"])) == ({language}, {task})
    assert str(imported.logs[0]["evidence"]).split(":")[0] == basis


def test_siblings_whose_text_is_in_another_language_are_refused(tmp_path: Path) -> None:
    for tag in ("is", "no"):
        _texts(tmp_path, f"my_{tag}_test", ENGLISH)
    with pytest.raises(DataError, match="its name says is, and its items are in en"):
        import_logs(tmp_path)


def test_the_table_of_benchmarks_says_nothing_that_is_not_read() -> None:
    entries = read_yaml_file(files("hesperus.records.importers") / "benchmarks.yaml", "table").value
    assert isinstance(entries, list) and len(entries) == len(benchmarks())
    known = {field.name for field in fields(Benchmark)}
    for entry, benchmark in zip(entries, benchmarks(), strict=True):
        assert isinstance(entry, dict) and entry.keys() <= known
        groups = set(benchmark.pattern.groupindex)
        assert groups <= {
            "language", "question", "target", "instruction", "subject", "family", "variant", "form"
        }  # fmt: skip
        assert benchmark.name or "family" in groups
        assert benchmark.language or "language" in groups
