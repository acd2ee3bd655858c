"""Multisense consistency: the model makes another sense of its own task, then answers both."""
