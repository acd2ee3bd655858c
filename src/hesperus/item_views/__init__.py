"""How the item matrix and one question in all its languages are drawn, for the explorer and for pages alike."""
