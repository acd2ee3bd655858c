"""Reads stored replies again: another reader, better packs, corrections by hand. Asks nothing."""
