"""Reads stored replies again: another parser, better packs, corrections by hand. Asks nothing."""
