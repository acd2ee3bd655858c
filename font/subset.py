"""Make the fonts of the pages: Latin letters, digits and signs of two weights of Source Sans Pro, under another name.

`pip install "fonttools>=4.55" brotli font-source-sans-pro`, then `python font/subset.py FOLDER`, where FOLDER holds
SourceSansPro-Regular.ttf, SourceSansPro-Semibold.ttf and LICENSE.txt (of the package font-source-sans-pro: its `files`).
The licence (SIL Open Font License 1.1) keeps the name Source for the original, so the subset is called Hesperus Sans.
For each weight there is a woff2, which a page holds, and a TrueType file, by which figures are measured and drawn: the
renderer reads no woff2.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

FAMILY = "Hesperus Sans"
WEIGHTS = {"Regular": "regular", "Semibold": "semibold"}
SIGNS = "–—‘’‚“”„†‡•…‰′″‹›⁄€™←↑→↓−∞≈≠≤≥√∆∑▲▼◆■●□✓☐₀₁₂₃₄₅₆₇₈₉⁰⁴⁵⁶⁷⁸⁹"
CHARACTERS = {
    *range(0x20, 0x7F),
    *range(0xA0, 0x180),  # Latin-1 and Latin Extended-A: most languages of Europe, and Turkish
    *range(0x218, 0x21C),  # Romanian
    *range(0x391, 0x3CA),  # Greek letters, which name statistics
    *map(ord, SIGNS),
}
FEATURES = ["kern", "mark", "mkmk", "ccmp", "locl", "tnum", "pnum"]
TARGET = Path(__file__).parent.parent / "src" / "hesperus" / "reports" / "fonts"


def subset(source: Path, style: str) -> TTFont:
    """The font with the characters above only, without hints, named Hesperus Sans."""
    font = TTFont(source, recalcTimestamp=False)
    options = Options(
        layout_features=FEATURES, hinting=False, name_IDs=[0, 1, 2, 3, 4, 5, 6, 13, 14], notdef_outline=True
    )
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=CHARACTERS)
    subsetter.subset(font)
    bold = style == "Semibold"
    names = {1: FAMILY, 2: "Bold" if bold else "Regular", 3: f"{FAMILY} {style}", 4: f"{FAMILY} {style}",
             5: "Version 1.0; subset of Source Sans Pro 2.020", 6: f"HesperusSans-{style}"}  # fmt: skip
    for number, text in names.items():
        font["name"].setName(text, number, 3, 1, 0x409)
    # The renderer chooses by weight, and bold text asks for 700
    font["OS/2"].usWeightClass = 700 if bold else 400
    font["OS/2"].fsSelection = 0x20 if bold else 0x40
    font["head"].macStyle = int(bold)
    return font


def main(folder: Path) -> None:
    """Write both weights, each as TrueType and woff2, and the licence."""
    for style, name in WEIGHTS.items():
        font = subset(folder / f"SourceSansPro-{style}.ttf", style)
        font.save(TARGET / f"{name}.ttf")
        font.flavor = "woff2"
        font.save(TARGET / f"{name}.woff2")
    shutil.copyfile(folder / "LICENSE.txt", TARGET / "OFL.txt")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
