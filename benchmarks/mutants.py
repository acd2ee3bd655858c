"""How many small faults in the core the tests would find: `python -m benchmarks mutants --sample 150`.

First the tests run once under coverage, so that it is known which of them reach a line. Then each mutant (one changed
operator, constant, return value or `raise`) is loaded in a forked process in place of the real module, and the fastest
tests that reach its line run there. A mutant that they all pass has survived. Every tenth mutant has a control: the same
tests on the unchanged module, which must pass.
"""

from __future__ import annotations

import argparse
import ast
import copy
import hashlib
import importlib
import importlib.abc
import importlib.machinery
import json
import math
import os
import random
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import CodeType
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
# `coverage` is a library, and a benchmark beside this file.
sys.path[:] = [place for place in sys.path if Path(place or ".").resolve() != HERE]

CORE = ("measures/*.py", "answers/*.py", "asking/*.py", "records/conform.py", "records/labels.py")
TESTS = (
    "tests/measures",
    "tests/answers",
    "tests/asking",
    "tests/records",
    "tests/analysis/test_free_texts.py",
)
AT_ONCE = 25
"""Tests of a mutant at first; one that survives them is tried with the others that reach its line."""

BEFOREHAND = (
    "pytest",
    "hypothesis",
    "numpy",
    "scipy.stats",
    "polars",
    "pydantic",
    "aiohttp",
    "orjson",
    "typer",
)
"""What each mutant's process would import anew; nothing of hesperus, which it must import with the mutant in it."""

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Div,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
NO_BEHAVIOR = {"strict", "maxsize", "frozen", "slots", "repr", "initial"}
"""Keywords that guard or speed up, and decide no value of anything that is there."""


@dataclass(frozen=True)
class Site:
    """A place that can be changed: its line, that of its statement, whether it runs when the module is imported, the
    change in words, and what makes it.
    """

    line: int
    statement: int
    on_import: bool
    change: str
    apply: Callable[[], None]


def sites(tree: ast.Module) -> Iterator[Site]:
    """Every change of a module, always in the same order. Types, decorators and messages of errors are left alone."""
    yield from _inside(tree, 1, False)


def _inside(node: ast.AST, statement: int, in_function: bool) -> Iterator[Site]:
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "bases") or isinstance(node, ast.JoinedStr):
            continue
        for place, child in enumerate(value if isinstance(value, list) else [value]):
            if not isinstance(child, ast.AST) or (
                isinstance(child, ast.keyword) and child.arg in NO_BEHAVIOR
            ):
                continue
            line = child.lineno if isinstance(child, ast.stmt) else statement
            function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            inner = (in_function or function) and not isinstance(child, ast.arguments)  # defaults

            def put(new: ast.AST, owner: Any = node, name: str = name, place: int = place) -> None:
                kept = getattr(owner, name)
                if isinstance(kept, list):
                    kept[place] = new
                else:
                    setattr(owner, name, new)

            for words, new in _changes(child, inner):
                at = getattr(child, "lineno", line)
                apply = partial(lambda new, old, put: put(ast.copy_location(new, old)), new, child, put)
                yield Site(at, line, not inner, words, apply)
            if not isinstance(child, ast.Raise):
                yield from _inside(child, line, inner)


def _changes(node: ast.AST, in_function: bool) -> Iterator[tuple[str, ast.AST]]:
    def written(new: ast.AST) -> tuple[str, ast.AST]:
        return f"{ast.unparse(node)[:90]}  ->  {ast.unparse(new)[:90]}", new

    if isinstance(node, ast.Compare):
        for place, operator in enumerate(node.ops):
            if other := COMPARED.get(type(operator)):
                new = copy.copy(node)
                new.ops = [*node.ops[:place], other(), *node.ops[place + 1 :]]
                yield written(new)
    elif isinstance(node, ast.BinOp | ast.AugAssign) and (found := COMPUTED.get(type(node.op))):
        if in_function or not isinstance(node.op, ast.BitOr):  # A | B in a module is a type
            changed = copy.copy(node)
            changed.op = found()
            yield written(changed)
    elif isinstance(node, ast.BoolOp):
        yield written(ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield written(node.operand)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield written(ast.Constant(not node.value))
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield written(ast.Constant(node.value + 1))
        yield written(ast.Constant(node.value - 1))
    elif isinstance(node, ast.Return) and node.value is not None and ast.unparse(node.value) != "None":
        yield written(ast.Return(ast.Constant(None)))
    elif isinstance(node, ast.Raise):
        yield written(ast.Pass())


class Replaced(importlib.machinery.SourceFileLoader):
    """Loads one module with one change in it."""

    def __init__(self, name: str, path: str, site: int | None) -> None:
        super().__init__(name, path)
        self.site = site

    def get_code(self, fullname: str) -> CodeType:
        tree = ast.parse(Path(self.path).read_bytes())
        if self.site is not None:
            list(sites(tree))[self.site].apply()
        return compile(ast.fix_missing_locations(tree), self.path, "exec")


@dataclass
class Finder(importlib.abc.MetaPathFinder):
    """Finds the one module."""

    name: str
    path: str
    site: int | None

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> Any:
        if fullname != self.name:
            return None
        package = [str(Path(self.path).parent)] if self.path.endswith("__init__.py") else None
        spec = importlib.machinery.ModuleSpec(
            fullname,
            Replaced(fullname, self.path, self.site),
            origin=self.path,
            is_package=package is not None,
        )
        spec.has_location = True
        spec.submodule_search_locations = package
        return spec


@dataclass(eq=False)  # pytest keeps its plugins in sets
class Plugin:
    """Keeps the wanted tests, or notes of each what it took, whether it passed and which lines it reached."""

    wanted: set[str] | None = None
    coverage: Any = None
    seconds: dict[str, float] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        if self.wanted is not None:
            items[:] = [item for item in items if item.nodeid in self.wanted]

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        if self.coverage:
            self.coverage.switch_context(nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration
        if report.outcome != "passed":
            self.failed.add(report.nodeid)


def pytest_run(places: list[str], plugin: Plugin) -> int:
    """Run tests in this process, in silence; hypothesis neither times, nor shrinks, nor remembers."""
    import hypothesis
    import pytest

    phases = [hypothesis.Phase.explicit, hypothesis.Phase.generate]
    hypothesis.settings.register_profile(
        "mutants", deadline=None, derandomize=True, phases=phases, database=None
    )
    hypothesis.settings.load_profile("mutants")
    os.chdir(ROOT)
    options = ["-q", "-p", "no:cacheprovider", "--tb=no", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    stop = [] if plugin.coverage else ["-x"]
    return int(pytest.main([*options, *stop, *places], plugins=[plugin]))


def forked(work: Callable[[], int], seconds: float | None) -> int | None:
    """The exit code of work done in a process (and group) of its own, or None if it took too long; ends all of it.

    The seconds are of the processor, so that a busy machine changes nothing; what waits is ended after ten times as long.
    """
    child = os.fork()
    if not child:
        code = 70
        try:
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            if seconds is not None:
                resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), math.ceil(seconds) + 1))
            null = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(null, stream)
            code = work()
        finally:
            os._exit(code)
    until = time.monotonic() + (10 * seconds if seconds is not None else math.inf)
    try:
        while True:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                code = os.waitstatus_to_exitcode(status)
                return None if code in (-signal.SIGXCPU, -signal.SIGKILL) else code
            if time.monotonic() > until:
                return None
            time.sleep(0.05)
    finally:
        with suppress(ProcessLookupError, ChildProcessError, PermissionError):
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)


def reached(tests: list[str], files: list[Path], kept: Path) -> dict[str, dict[str, Any]]:
    """Of each test that passes its seconds and the lines it reaches; only test files that changed since run again."""
    known: dict[str, Any] = json.loads(kept.read_text()) if kept.exists() else {}
    if known.get("source") != _hash(sorted(ROOT.glob("src/hesperus/**/*.py"))):
        known = {"source": _hash(sorted(ROOT.glob("src/hesperus/**/*.py"))), "files": {}}
    found: dict[str, dict[str, Any]] = {}
    for place in tests:
        for path in [ROOT / place] if place.endswith(".py") else sorted((ROOT / place).glob("**/test_*.py")):
            name, state = str(path.relative_to(ROOT)), _hash([path])
            if known["files"].get(name, {}).get("state") != state:
                part = kept.with_suffix(".part")
                part.unlink(missing_ok=True)
                print(f"  reaching: {name}", flush=True)
                forked(lambda name=name, part=part: _reach(name, files, part), None)
                if not part.exists():
                    raise SystemExit(f"{name} could not be run; try: python -m pytest {name}")
                known["files"][name] = {"state": state, "tests": json.loads(part.read_text())}
                part.unlink()
                kept.write_text(json.dumps(known))
            found |= known["files"][name]["tests"]
    return found


def _reach(name: str, files: list[Path], part: Path) -> int:
    import coverage

    watch = coverage.Coverage(data_file=None, include=[str(path) for path in files], config_file=False)
    plugin = Plugin(coverage=watch)
    watch.start()
    code = pytest_run([name], plugin)
    watch.stop()
    data, lines = watch.get_data(), {}
    for path in data.measured_files():
        for line, tests in data.contexts_by_lineno(path).items():
            for test in tests:
                lines.setdefault(test, {}).setdefault(str(Path(path).relative_to(ROOT)), []).append(line)
    passed = {test: took for test, took in plugin.seconds.items() if test not in plugin.failed}
    part.write_text(json.dumps({t: {"seconds": s, "lines": lines.get(t, {})} for t, s in passed.items()}))
    return code


def _hash(paths: list[Path]) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


def chosen(tests: dict[str, dict[str, Any]], file: str, site: Site, spend: float) -> list[list[str]]:
    """Tests that reach the line, else (code that runs on import) the file: one of each function first, fastest first.

    Those to try at first, then the others, then those that reach the file elsewhere, since what a cache holds is noted
    of the test that filled it; each list takes no more than so many seconds.
    """
    by_line = {test: set(what["lines"].get(file, ())) for test, what in tests.items()}
    reached = set().union(*by_line.values())
    # What runs on import is noted of the test that happened to import it.
    at = None if site.on_import else next((x for x in (site.line, site.statement) if x in reached), -1)
    hits = _ranked([test for test, lines in by_line.items() if (lines if at is None else at in lines)], tests)
    others = _ranked([test for test, lines in by_line.items() if lines and test not in set(hits)], tests)
    turns: list[list[str]] = []
    for some in (hits[:AT_ONCE], hits[AT_ONCE:], others):
        picked, left = [], spend
        for test in some:
            if tests[test]["seconds"] <= left:
                picked.append(test)
                left -= tests[test]["seconds"]
        turns += [picked] if picked else []
    return turns


def _ranked(hits: list[str], tests: dict[str, dict[str, Any]]) -> list[str]:
    """One test of each function first, the fast ones first."""
    turn: dict[str, int] = {}
    ranked = []
    for test in sorted(hits, key=lambda test: tests[test]["seconds"]):
        function = test.split("[")[0]
        turn[function] = turn.get(function, 0) + 1
        ranked.append((turn[function], tests[test]["seconds"], test))
    return [test for _, _, test in sorted(ranked)]


def trial(file: str, site: int | None, picked: list[str], seconds: float) -> str:
    """`killed`, `timeout`, `survived`, or `not run` where pytest itself failed or found no test."""
    module = ".".join(Path(file).relative_to("src").with_suffix("").parts).removesuffix(".__init__")

    def work() -> int:
        sys.meta_path.insert(0, Finder(module, str(ROOT / file), site))
        return pytest_run(sorted({test.split("::")[0] for test in picked}), Plugin(wanted=set(picked)))

    code = forked(work, seconds)
    return (
        "timeout"
        if code is None
        else {0: "survived", 3: "not run", 4: "not run", 5: "not run"}.get(code, "killed")
    )


def main() -> int:
    """Print each survivor, then how many there are."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--files", nargs="+", default=CORE, help="patterns below src/hesperus (default: the core)"
    )
    parser.add_argument("--tests", nargs="+", default=TESTS, help="test files or folders")
    parser.add_argument("--sample", type=int, default=150, help="mutants drawn; 0: all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=60.0, help="processor time of a mutant")
    parser.add_argument(
        "--map", type=Path, default=ROOT / ".mutants.json", help="where the reached lines are kept"
    )
    wanted = parser.parse_args()
    # Ended from outside, it still ends the process that it is waiting for.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    files = sorted({path for pattern in wanted.files for path in (ROOT / "src/hesperus").glob(pattern)})
    sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]
    os.environ["PYTHONPATH"] = str(ROOT / "src")
    for module in BEFOREHAND:
        importlib.import_module(module)
    core = sorted({path for pattern in CORE for path in (ROOT / "src/hesperus").glob(pattern)} | set(files))
    tests = reached(wanted.tests, core, wanted.map)
    every = []
    for path in files:
        file = str(path.relative_to(ROOT))
        every += [(file, at, site) for at, site in enumerate(sites(ast.parse(path.read_bytes())))]
    # The sample does not depend on the tests, so that it is the same before and after new ones.
    drawn = random.Random(wanted.seed).sample(every, min(wanted.sample or len(every), len(every)))
    counts = {"killed": 0, "timeout": 0, "survived": 0, "not run": 0, "reached by no test": 0}
    controls = failed = 0
    for place, (file, at, site) in enumerate(drawn):
        turns = chosen(tests, file, site, wanted.seconds / 3)
        outcome = "survived" if turns else "reached by no test"
        for picked in turns:
            if outcome == "survived":
                outcome = trial(file, at, picked, wanted.seconds)
        counts[outcome] += 1
        if outcome != "killed":
            print(f"{outcome} ({sum(map(len, turns))} tests): {file}:{site.line}  {site.change}", flush=True)
        if turns and place % 10 == 0:
            controls += 1
            failed += trial(file, None, turns[0], wanted.seconds) != "survived"
    total = counts["killed"] + counts["timeout"] + counts["survived"]
    print("; ".join(f"{name}: {count}" for name, count in counts.items()), f"; of {len(every)} possible")
    print(f"survived: {counts['survived']} of {total} ({100 * counts['survived'] / max(total, 1):.1f} %)")
    print(f"controls (unchanged code): {failed} of {controls} failed")
    return 0 if not failed else 1


if __name__ == "__main__":
    sys.exit(main())
