"""Trainings whose results the package can use: each a folder with its own command, run from a checkout of the source."""
