"""To Label Studio and back: its labelling configuration (XML), its tasks (JSON), and its JSON export as judgements."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from hesperus.annotation.scales import Judgement
from hesperus.annotation.scheme import COMMENT, Question
from hesperus.annotation.units import Sheet
from hesperus.errors import DataError
from hesperus.fingerprint import JSON, fingerprint
from hesperus.records.files import write_content

CANNOT_JUDGE = "cannot_judge"
"""Alias of the choice that represents "cannot judge"; no scheme's choice has it in the built-in schemes."""

_UNIT, _SHEET, _CHOICES = "hesperus_unit", "hesperus_sheet", "choices_"


def config_xml(sheet: Sheet) -> str:
    """The labelling configuration of a sheet: its texts, a choice for each question, a box for remarks."""
    view = Element("View")
    SubElement(view, "Header", value=sheet.scheme.title)
    for shown in sheet.scheme.shows:
        SubElement(view, "Header", value=shown.title, size="5")
        SubElement(view, "Text", name=shown.name, value=f"${shown.name}")
    target = next(shown.name for shown in sheet.scheme.shows if shown.required)
    for question in sheet.scheme.questions:
        SubElement(view, "Header", value=question.title, size="4")
        given = {"name": f"q_{question.name}", "toName": target, "choice": "single-radio"}
        # Where units bring their own labels, the choices come with each task.
        dynamic = {"value": f"${_CHOICES}{question.name}"} if question.labels else {}
        choices = SubElement(view, "Choices", {**given, **dynamic})
        if not question.labels:
            for value, text in _choices(question):
                SubElement(choices, "Choice", value=text, alias=value)
    SubElement(
        view,
        "TextArea",
        name=COMMENT,
        toName=target,
        placeholder="Remark",
        maxSubmissions="1",
        editable="true",
    )
    indent(view)
    return tostring(view, encoding="unicode") + "\n"


def tasks_json(sheet: Sheet) -> list[JSON]:
    """The units as tasks: what raters see, and the codes by which results are known again; no hidden column."""
    tasks: list[JSON] = []
    for code, unit in sheet.by_code.items():
        texts = {text.name: text.text for text in unit.texts}
        data: dict[str, JSON] = {shown.name: texts.get(shown.name, "") for shown in sheet.scheme.shows}
        for question in sheet.scheme.questions:
            if question.labels:
                own = [(label, label) for label in unit.labels]
                data[f"{_CHOICES}{question.name}"] = [
                    {"value": text, "alias": value} for value, text in [*own, *_choices(question)]
                ]
        tasks.append({"data": {**data, _UNIT: code, _SHEET: sheet.fingerprint}})
    return tasks


def write_label_studio(sheet: Sheet, folder: Path | str) -> None:
    """Write ``config.xml`` and ``tasks.json`` into a folder, which is made."""
    tasks = json.dumps(tasks_json(sheet), ensure_ascii=False, indent=1) + "\n"
    for name, text in (("config.xml", config_xml(sheet)), ("tasks.json", tasks)):
        write_content(Path(folder) / name, text)


def judgements_of(document: object, sheet: Sheet, file: object) -> dict[str, list[Judgement]]:
    """The judgements in a JSON export of Label Studio.

    By annotator (``label-studio/ID``); annotations that were cancelled are left out.
    """
    if not isinstance(document, list):
        raise DataError("expected a list of tasks, as Label Studio exports as JSON", file=file)
    found: dict[str, list[Judgement]] = {}
    for number, task in enumerate(document, start=1):
        data = task.get("data") if isinstance(task, Mapping) else None
        if not isinstance(data, Mapping) or not isinstance(data.get(_UNIT), str):
            raise DataError(f"task {number} has no data.{_UNIT}: it was not made by hesperus", file=file)
        if data.get(_SHEET) != sheet.fingerprint:
            raise DataError(f"task {number} belongs to another sheet", file=file, item=data[_UNIT][:40])
        annotations = task.get("annotations")
        if not isinstance(annotations, list):
            raise DataError(
                f"task {number} has no list of annotations; export as JSON, not as JSON-MIN", file=file
            )
        for annotation in annotations:
            if isinstance(annotation, Mapping) and not annotation.get("was_cancelled"):
                rater = _annotator(annotation.get("completed_by"))
                found.setdefault(rater, []).extend(
                    _judgements(annotation, data[_UNIT], sheet, place=(file, number))
                )
    return found


def _choices(question: Question) -> list[tuple[str, str]]:
    """Value and text of each fixed choice."""
    said = []
    for choice in question.choices:
        label = choice.label or choice.value
        said.append((choice.value, f"{label} – {choice.anchor}" if choice.anchor else label))
    return [*said, (CANNOT_JUDGE, "Cannot judge")] if question.cannot_judge else said


def _annotator(completed_by: object) -> str:
    if isinstance(completed_by, Mapping):
        completed_by = completed_by.get("id", completed_by.get("email"))
    return f"label-studio/{completed_by}" if completed_by is not None else "label-studio"


def _judgements(
    annotation: Mapping[str, Any], unit: str, sheet: Sheet, *, place: tuple[object, int]
) -> Iterator[Judgement]:
    results = annotation.get("result")
    if not isinstance(results, list):
        raise DataError(f"task {place[1]}: an annotation without a list of results", file=place[0], item=unit)
    names = {f"q_{question.name}": question.name for question in sheet.scheme.questions}
    for result in results:
        name, value = (
            (result.get("from_name"), result.get("value")) if isinstance(result, Mapping) else (None, None)
        )
        if not isinstance(value, Mapping):
            raise DataError(f"task {place[1]}: a result without a value", file=place[0], item=unit)
        if name == COMMENT:
            text = value.get("text")
            text = "\n".join(map(str, text)) if isinstance(text, list) else str(text or "")
            if text.strip():
                yield _judgement(annotation, unit, COMMENT, text.strip())
        elif name in names:
            chosen = value.get("choices")
            if not isinstance(chosen, list) or len(chosen) != 1 or not isinstance(chosen[0], str):
                raise DataError(
                    f"task {place[1]}: expected one choice", file=place[0], field=names[name], item=unit
                )
            yield _judgement(annotation, unit, names[name], chosen[0])


def _judgement(annotation: Mapping[str, Any], unit: str, question: str, value: str) -> Judgement:
    is_rated = question == COMMENT or value != CANNOT_JUDGE
    made = [annotation.get("id"), annotation.get("updated_at"), unit, question, value]
    return Judgement(
        unit,
        question,
        "rated" if is_rated else "cannot_judge",
        value if is_rated else None,
        f"ls-{fingerprint([part if isinstance(part, str | int) else str(part) for part in made])}",
    )
