"""Property consistency: which properties each of two texts has by itself, and whether their profiles agree."""
