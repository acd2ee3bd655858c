"""Runs every benchmark, one after the other: `make bench`, or `python -m benchmarks path` for one.

What follows the name of one is handed to it: `python -m benchmarks mutants --sample 50`. Mutants take tens of minutes
and are run by name only.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
NOT_BENCHMARKS = {"__init__", "__main__", "fault_server", "loopback_server"}
BY_NAME_ONLY = {"mutants"}


def main() -> int:
    """Run the named benchmarks, or all; the exit code is that of the last one that failed."""
    known = sorted(path.stem for path in HERE.glob("*.py") if path.stem not in NOT_BENCHMARKS)
    given = sys.argv[1:]
    first = next((place for place, word in enumerate(given) if word.startswith("-")), len(given))
    wanted, flags = given[:first] or [name for name in known if name not in BY_NAME_ONLY], given[first:]
    if flags and first != 1:
        sys.stderr.write("flags go to one benchmark: python -m benchmarks mutants --sample 50\n")
        return 2
    unknown = [name for name in wanted if name not in known]
    if unknown:
        sys.stderr.write(f"no benchmark {', '.join(unknown)}; there are {', '.join(known)}\n")
        return 2
    code = 0
    for name in wanted:
        print(f"== {name}", flush=True)
        code = (
            subprocess.run([sys.executable, str(HERE / f"{name}.py"), *flags], check=False).returncode or code
        )
    return code


if __name__ == "__main__":
    sys.exit(main())
