"""``python -m pocket [--out FOLDER] [--measure] [SIZE ...]``: train, export and measure the pocket models."""

from __future__ import annotations

import argparse
from pathlib import Path

from hesperus.models.pocket import SIZES, WEIGHTS
from pocket.building import build, measure


def main() -> None:
    """Read the command line and work through the sizes."""
    parser = argparse.ArgumentParser(prog="python -m pocket", description=__doc__)
    parser.add_argument("sizes", nargs="*", default=[], help=f"sizes to make (default: {' '.join(SIZES)})")
    parser.add_argument(
        "--out", type=Path, default=WEIGHTS, help="folder of the models (default: the package's)"
    )
    parser.add_argument("--measure", action="store_true", help="train nothing; measure what is there")
    arguments = parser.parse_args()
    unknown = [size for size in arguments.sizes if size not in SIZES]
    if unknown:
        parser.error(f"no such size: {unknown[0]}; there are {', '.join(SIZES)}")
    for size in arguments.sizes or SIZES:
        if arguments.measure:
            measure(size, arguments.out)
        else:
            build(size, arguments.out)


if __name__ == "__main__":
    main()
