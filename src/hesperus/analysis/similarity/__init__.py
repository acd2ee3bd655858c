"""Agreement of all pairs of runs: models in a language, languages of a model."""
