"""The translators, a file each; hesperus.translation.registry makes one from its name."""
