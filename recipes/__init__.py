"""What is made for the package in a checkout of its source: trainings, each with its own command, and plug-in files."""
