"""The page of a run of open answers."""
