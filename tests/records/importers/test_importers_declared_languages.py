"""A declared language is compared with the questions, else with the replies, and a contradiction is said once."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from hesperus.records.importers import Imported, ImportSettings, import_logs

TEXTS = {
    "de": [
        "Der Zug nach München fährt heute wegen der Bauarbeiten eine halbe Stunde später ab als sonst.",
        "Nachdem der Regen aufgehört hatte, gingen die Kinder mit ihrem Hund wieder hinaus in den Garten.",
        "Die Bibliothek am Marktplatz hat seit dem vergangenen Herbst auch am Sonntagnachmittag geöffnet.",
        "Welche der folgenden Städte liegt am weitesten von der Küste entfernt und hat doch einen Hafen?",
    ],
    "fr": [
        "Le train de Lyon partira aujourd'hui avec une demi-heure de retard à cause des travaux sur la voie.",
        "Quand la pluie eut cessé, les enfants sont retournés jouer dans le jardin avec leur petit chien.",
        "Depuis l'automne dernier, la bibliothèque de la place du marché est ouverte le dimanche après-midi.",
        "Laquelle des villes suivantes est la plus éloignée de la côte tout en possédant un port fluvial ?",
    ],
    "ja": [
        "工事のため、大阪行きの電車は今日いつもより三十分遅れて出発する予定ですのでご注意ください。",
        "雨がやんだ後、子どもたちは犬を連れてもう一度庭に出て、暗くなるまで遊んでいました。",
        "市場の前にある図書館は、去年の秋から日曜日の午後にも開いているようになりました。",
        "次の都市のうち、海岸から最も遠く離れているのに港を持っているのはどれでしょうか。",
    ],
    "id": [
        "Kereta ke Surabaya hari ini berangkat setengah jam lebih lambat karena ada pekerjaan di jalur rel.",
        "Setelah hujan berhenti, anak-anak keluar lagi ke kebun bersama anjing mereka sampai hari gelap.",
        "Perpustakaan di dekat pasar sejak musim lalu juga dibuka pada hari Minggu sore untuk semua orang.",
        "Kota manakah di antara kota-kota berikut yang paling jauh dari pantai tetapi memiliki pelabuhan?",
    ],
}


def imported(folder: Path, said: dict[str, str], column: str = "question", **more: list[str]) -> Imported:
    """A table with a row per text, of languages as they are declared and in which they are."""
    rows = [
        {"id": place, "lang": declared, column: text, "answer": "AB"[place % 2], "gold": "A"}
        for declared, real in said.items()
        for place, text in enumerate(more.get(real, TEXTS.get(real, [])))
    ]
    file = folder / "answers.csv"
    pl.DataFrame(rows).write_csv(file)
    columns = {"item": "id", "language": "lang", "answer": "answer", "gold": "gold"}
    return import_logs(file, ImportSettings(columns=columns, model="m", task="quiz"))


def said(found: Imported) -> list[str]:
    return [note for note in found.notes if "in another language than declared" in note]


@pytest.mark.parametrize(("column", "what"), [("question", "questions"), ("reply", "replies")])
def test_a_language_that_most_texts_contradict_is_said_once_and_not_changed(
    tmp_path: Path, column: str, what: str
) -> None:
    found = imported(tmp_path, {"de": "fr", "sw": "ja", "fr": "fr"}, column)
    (note,) = said(found)
    assert f"2 of 3 logs with {what}" in note and "Nothing was changed" in note
    assert "answers.csv is German by the log itself, and 4 of 4 look French" in note
    assert sorted(found.records["input"].unique()) == ["de", "fr", "sw"]


def test_languages_as_they_are_or_that_are_not_told_apart_raise_nothing(tmp_path: Path) -> None:
    for texts in ({"de": "de", "fr": "fr", "ja": "ja"}, {"ms": "id"}, {"ace-Arab": "de"}):
        assert not said(imported(tmp_path, texts)), texts


def test_short_texts_and_few_of_them_raise_nothing(tmp_path: Path) -> None:
    short = ["Wie heißt die Hauptstadt von Peru?", "Wer hat das Radio erfunden?", "Was ist das?"] * 2
    assert not said(imported(tmp_path, {"fr": "short"}, short=short))
    assert not said(imported(tmp_path, {"fr": "two"}, two=TEXTS["de"][:2]))
    half = [*TEXTS["de"][:3], *TEXTS["fr"][:3]]
    assert not said(imported(tmp_path, {"fr": "half"}, half=half))
    assert "3 of 5 look German" in said(imported(tmp_path, {"fr": "most"}, most=half[:5]))[0]


def test_an_item_with_a_text_in_the_declared_language_contradicts_nothing(tmp_path: Path) -> None:
    """Documents of translation hold both languages next to each other."""
    file = tmp_path / "both.csv"
    rows = [
        {
            "id": place,
            "lang": "fr",
            "question": text,
            "context": TEXTS["fr"][place],
            "answer": "A",
            "gold": "A",
        }
        for place, text in enumerate(TEXTS["de"])
    ]
    pl.DataFrame(rows).write_csv(file)
    columns = {"item": "id", "language": "lang", "answer": "answer", "gold": "gold"}
    assert not said(import_logs(file, ImportSettings(columns=columns, model="m", task="quiz")))


def test_a_question_below_an_instruction_in_english_contradicts_nothing(tmp_path: Path) -> None:
    below = [f"Read the question below and answer with a letter only.\n\n{text}" for text in TEXTS["fr"]]
    assert not said(imported(tmp_path, {"fr": "below"}, below=below))
