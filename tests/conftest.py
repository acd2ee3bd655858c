"""Where the shared test data lives, and small runs of all four studies, asked of the embedded models once for all tests."""

from __future__ import annotations

import fcntl
import gc
import os
from pathlib import Path

import pytest
from hypothesis import settings
from tests.small_demo import ask, runs_in

ROOT = Path(__file__).resolve().parent.parent
LONGEST = (
    "asking/test_asking_on_ray.py",
    "reports/test_reports_in_chromium.py",
    "answers/test_answers_probes.py",
    "evidence/test_evidence_bundle.py",
    "asking/test_asking_remote.py",
    "evidence/test_evidence_page.py",
    "reports/test_reports_html.py",
    "test_fuzzing.py",
    "studies/test_studies_large.py",
    "reports/test_reports_open_answers_page.py",
    "explorer/test_explorer_page.py",
    "asking/test_asking_window.py",
    "explorer/test_ten_tasks.py",
    "reports/test_reports_open_answers_compare.py",
    "studies/test_studies_open_answers_study.py",
    "recipes/test_empathy_training.py",
    "reports/test_reports_figures.py",
    "evaluators/test_evaluators_judges.py",
    "reports/test_reports_tax_page.py",
    "integration/test_github_action.py",
    "reports/test_reports_nothing.py",
    "api/test_api_studies.py",
    "answers/test_answers_todays_replies.py",
    "reports/test_reports_interaction.py",
    "answers/test_answers_bad_input.py",
)
"""Files that take longest: they come first, so that no worker is left alone with one at the end."""


# No test asks a hub. The library reads this when it is imported; without it, it tries an absent network for 20 s.
# Nor does one depend on the terminal, or reach this machine through a proxy, of whoever runs it.
os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", NO_PROXY="*", no_proxy="*")
# Two workers or more share two cores: threads of their own only wait for each other there.
os.environ.update(POLARS_MAX_THREADS="1", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
for name in ("COLUMNS", "LINES", "CLICOLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "NO_COLOR"):
    os.environ.pop(name, None)

settings.register_profile("without deadlines", deadline=None)  # a busy machine is no fault
settings.load_profile("without deadlines")


gc.disable()  # until all tests are collected: nothing of what that makes is garbage, and a fifth of its time went into looking


def pytest_configure(config: pytest.Config) -> None:
    """Let each worker begin elsewhere: what one has compiled, the others find compiled."""
    workers = getattr(config, "workerinput", None)
    if workers is None or config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    rooms = sorted(str(path) for path in (ROOT / "tests").iterdir() if _holds_tests(path))
    first = len(rooms) * int(workers["workerid"].removeprefix("gw")) // workers["workercount"]
    config.args[:] = [*rooms[first:], *rooms[:first]]


def _holds_tests(path: Path) -> bool:
    return path.match("test_*.py") or (path.is_dir() and any(path.rglob("test_*.py")))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first, and all others into one order, wherever a worker began."""
    order = {ROOT / "tests" / name: place for place, name in enumerate(LONGEST)}
    if missing := [str(file) for file in order if not file.is_file()]:
        raise pytest.UsageError(f"tests/conftest.py: LONGEST names files that are not there: {missing}")
    items.sort(key=lambda item: (order.get(item.path, len(order)), item.path))


def pytest_collection_finish() -> None:
    """Let what is garbage be looked for again, but seldom, and not among the tests themselves."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of public data that is read in place; the test is skipped, saying so, where it is absent."""
    folder = Path(os.environ.get("HESPERUS_TEST_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no test data at {folder}; set HESPERUS_TEST_DATA")
    return folder


@pytest.fixture(scope="session")
def demo_runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Study to its run folder; read them in place, and change a copy."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder = shared / "demo"
    with (shared / "demo.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            ask(base / "asked")
            (base / "asked").rename(folder)
    return runs_in(folder)
