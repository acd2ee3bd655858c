"""The translators, a file each; hesperus.translation.translator_registry makes one from its name."""
