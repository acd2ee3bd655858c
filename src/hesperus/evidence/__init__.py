"""Evidence that others can check: the files of a run in one archive, the numbers that are claimed of it, and what differs."""
