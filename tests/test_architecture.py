"""The house keeps its shape: one direction of imports, no cycle, no import that does work."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import hesperus

SOURCE = Path(__file__).resolve().parent.parent / "src" / "hesperus"

FLOOR_0 = {
    "declared_studies", "lazy", "tables", "plugins", "types", "errors", "fingerprint", "frames", "version", "languages", "memory",
    "model_faults", "normalization",
    "packed_text", "rounding", "serving", "spreadsheets", "storage", "strict_yaml", "terminal_width", "text_files", "untrusted", "wording",
}  # fmt: skip
ALL_BELOW_STUDIES = FLOOR_0 | {
    "checkpoints", "tasks", "senses", "models", "translation", "answers", "records", "measures", "asking", "audits",
    "evaluators", "annotation",
}  # fmt: skip
MAY_IMPORT: dict[str, set[str]] = {
    "types": set(),
    "errors": set(),
    "version": set(),
    "declared_studies": {"lazy"},
    "lazy": set(),
    "memory": set(),
    "model_faults": {"errors"},
    "plugins": {"errors"},
    "normalization": set(),
    "rounding": set(),
    "untrusted": set(),
    "frames": set(),
    "wording": {"types", "errors", "languages", "rounding"},
    "tables": {"errors", "spreadsheets", "text_files"},
    "serving": {"errors"},
    "spreadsheets": set(),
    "strict_yaml": {"errors", "text_files"},
    "text_files": {"errors"},
    "storage": {"errors"},
    "terminal_width": set(),
    "fingerprint": {"version"},
    "packed_text": {"errors"},
    "languages": {
        "types",
        "errors",
        "fingerprint",
        "lazy",
        "normalization",
        "strict_yaml",
        "text_files",
        "plugins",
    },
    "checkpoints": {"errors", "lazy", "text_files"},
    "tasks": FLOOR_0,
    "senses": FLOOR_0,
    "models": FLOOR_0 | {"checkpoints"},
    "translation": FLOOR_0 | {"checkpoints"},
    "answers": FLOOR_0,
    "records": FLOOR_0,
    "measures": FLOOR_0,
    "asking": FLOOR_0 | {"models"},
    "audits": FLOOR_0 | {"tasks", "records"},
    "evaluators": FLOOR_0 | {"checkpoints", "measures"},
    "annotation": FLOOR_0 | {"records", "measures"},
    "evidence": FLOOR_0 | {"records"},
    "studies": ALL_BELOW_STUDIES,
    "analysis": FLOOR_0 | {"records", "measures", "audits", "evaluators"},
    "item_views": FLOOR_0 | {"records", "analysis"},
    "reports": FLOOR_0 | {"records", "measures", "audits", "analysis", "item_views"},
    "explorer": FLOOR_0 | {"answers", "records", "measures", "analysis", "item_views"},
    "api": ALL_BELOW_STUDIES | {"studies", "analysis", "item_views", "reports", "evidence"},
    "__main__": {"cli"},
    "cli": ALL_BELOW_STUDIES
    | {"studies", "analysis", "item_views", "reports", "explorer", "evidence", "api"},
}
MEASURES_LIBRARIES = {"numpy", "scipy"}


@cache
def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _nodes(path: Path) -> list[ast.AST]:
    """All that the tests look at of a file: what it imports, what it calls and its texts; found in one walk."""
    looked_at = (ast.Import, ast.ImportFrom, ast.Call, ast.Constant)
    return [node for node in ast.walk(_parsed(path)) if isinstance(node, looked_at)]


@cache
def _is_module(name: str) -> bool:
    place = SOURCE.parent.joinpath(*name.split("."))
    return place.with_suffix(".py").is_file() or (place / "__init__.py").is_file()


@cache
def _imports(path: Path) -> list[tuple[str, int]]:
    """Every module that a file imports, wherever in the file, as absolute names."""
    found = []
    package = ["hesperus", *path.relative_to(SOURCE).parts[:-1]]
    for node in _nodes(path):
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            stem = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                # `from package import module` needs the module; the package is above it, not below.
                whole = f"{stem}.{alias.name}"
                found.append((whole if stem == "hesperus" or _is_module(whole) else stem, node.lineno))
    return found


@cache
def _files() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def _room(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def test_every_room_imports_only_what_lies_below() -> None:
    wrong = []
    for path in _files():
        room = _room(path)
        if room == "__init__":
            continue
        assert room in MAY_IMPORT, f"the room {room} is not in the table of rooms"
        for module, line in _imports(path):
            parts = module.split(".")
            if parts[0] != "hesperus":
                continue
            other = parts[1] if len(parts) > 1 else "__init__"
            if other != room and other not in MAY_IMPORT[room]:
                wrong.append(f"{path.relative_to(SOURCE)}:{line} imports {module}")
    assert not wrong, "\n".join(wrong)


def test_the_package_needs_nothing_of_the_folders_next_to_it() -> None:
    """Recipes, pocket and benchmarks are not in the wheel."""
    outside = {"recipes", "pocket", "benchmarks", "tests"}
    wrong = {
        (str(path.relative_to(SOURCE)), module)
        for path in _files()
        for module, _ in _imports(path)
        if module.split(".")[0] in outside
    }
    assert not wrong


def test_measures_need_numpy_and_scipy_only() -> None:
    outside = {
        (path.name, module)
        for path in _files()
        if _room(path) == "measures"
        for module, _ in _imports(path)
        if (top := module.split(".")[0]) not in MEASURES_LIBRARIES
        and top != "hesperus"
        and top not in sys.stdlib_module_names
    }
    assert not outside


def test_no_cycle_between_modules() -> None:
    names = {
        ".".join(["hesperus", *path.relative_to(SOURCE).with_suffix("").parts]).removesuffix(
            ".__init__"
        ): path
        for path in _files()
    }
    arrows = {
        name: {module for module, _ in _imports(path) if module in names and module != name}
        for name, path in names.items()
    }
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " → ".join([*trail[trail.index(name) :], name])
        if name not in done:
            for other in sorted(arrows[name]):
                visit(other, (*trail, name))
            done.add(name)

    for name in sorted(names):
        visit(name, ())


def test_what_is_imported_exists() -> None:
    """Also what a function imports when it is called: a file that has moved would be missed where no test calls it."""
    lost = [
        f"{path.relative_to(SOURCE)}:{line} imports {module}"
        for path in _files()
        for module, line in _imports(path)
        if module.split(".")[0] == "hesperus"
        and not (place := SOURCE.parent.joinpath(*module.split("."))).is_dir()
        and not place.with_suffix(".py").is_file()
        and not (module.count(".") == 1 and hasattr(hesperus, module.partition(".")[2]))
    ]
    assert not lost, "\n".join(lost)


def test_what_is_loaded_by_name_exists() -> None:
    named = [
        (node.value, f"{path.name}:{node.lineno}")
        for path in _files()
        for node in _nodes(path)
        if isinstance(node, ast.Constant) and re.fullmatch(r"hesperus(\.\w+)+:\w+", str(node.value))
    ]
    assert len(named) >= 10
    for name, place in named:
        module, _, held = str(name).partition(":")
        file = SOURCE.parent.joinpath(*module.split(".")).with_suffix(".py")
        assert file.is_file(), f"{place} names {module}"
        assert re.search(rf"^(def|class) {held}\b", file.read_text(encoding="utf-8"), re.MULTILINE), (
            f"{place}: {name}"
        )


def test_no_pickle_and_only_safe_yaml() -> None:
    for path in _files():
        modules = {module.split(".")[0] for module, _ in _imports(path)}
        assert not modules & {"pickle", "cloudpickle", "dill", "joblib", "shelve", "marshal"}, path
        for node in _nodes(path):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                name = ast.unparse(node.func)
                assert name not in {"eval", "exec"}, f"{path}:{node.lineno}"
                # One reader of YAML, which alone knows what is refused.
                is_reading = name in {
                    "yaml.parse",
                    "yaml.compose",
                    "yaml.safe_load",
                    "yaml.load",
                    "yaml.unsafe_load",
                }
                assert not is_reading or (path.name, name) == ("strict_yaml.py", "yaml.parse"), path


@pytest.mark.parametrize("module", ["hesperus", "hesperus.cli"])
def test_import_does_no_work(module: str) -> None:
    code = f"import sys, json, {module}; print(json.dumps(sorted(sys.modules)))"
    loaded = json.loads(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    )
    heavy = {
        "aiohttp", "altair", "jinja2", "numpy", "onnxruntime", "polars", "pydantic", "sacrebleu", "scipy",
        "tokenizers", "torch", "transformers", "vl_convert",
    }  # fmt: skip
    assert not heavy & set(loaded)


def test_a_table_loads_nothing_that_draws() -> None:
    code = (
        "import sys, hesperus.reports.formats; print({'altair', 'jinja2', 'vl_convert'} & set(sys.modules))"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "set()\n"
    )


def test_every_room_pins_its_public_names() -> None:
    for room in (path for path in SOURCE.iterdir() if (path / "__init__.py").is_file()):
        tree = _parsed(room / "__init__.py")
        listed = [
            ast.literal_eval(node.value)
            for node in tree.body
            if (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__")
            or (isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "__all__" and node.value)
        ]
        if len(tree.body) == 1:  # a docstring: its names are imported from their files
            continue
        own = [
            one
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith(f"hesperus.{room.name}.")
            for one in node.names
        ]
        if own and all(
            one.asname == one.name for one in own
        ):  # each name is written once, where it is imported
            continue
        assert listed and listed[0] in (
            sorted(listed[0]),
            sorted(listed[0], key=_constants_classes_functions),
        ), f"{room.name}/__init__.py needs a sorted __all__"


def _constants_classes_functions(name: str) -> tuple[int, str]:
    """The order that isort gives names."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)
