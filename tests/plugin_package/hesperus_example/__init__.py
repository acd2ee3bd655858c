"""A package that adds one thing of every kind to hesperus."""
