"""The explorer: runs, their item matrix and every question in all its languages, on a local server."""
