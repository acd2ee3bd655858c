"""Sense makers by rule, as plug-in files: patterns for your own. Neither asks a model, and neither runs what it is given."""
