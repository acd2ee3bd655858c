"""Runs every benchmark, one after the other: `make bench`, or `python -m benchmarks path` for one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
NOT_BENCHMARKS = {"__init__", "__main__", "loopback_server"}


def main() -> int:
    """Run the named benchmarks, or all; the exit code is that of the last one that failed."""
    known = sorted(path.stem for path in HERE.glob("*.py") if path.stem not in NOT_BENCHMARKS)
    wanted = sys.argv[1:] or known
    unknown = [name for name in wanted if name not in known]
    if unknown:
        sys.stderr.write(f"no benchmark {', '.join(unknown)}; there are {', '.join(known)}\n")
        return 2
    code = 0
    for name in wanted:
        print(f"== {name}", flush=True)
        code = subprocess.run([sys.executable, str(HERE / f"{name}.py")], check=False).returncode or code
    return code


if __name__ == "__main__":
    sys.exit(main())
