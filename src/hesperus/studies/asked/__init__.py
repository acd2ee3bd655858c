"""What studies that ask models have in common: their keys, their material, the desk at which they ask, what they keep.

A study gathers its material, opens a desk, asks its questions there and keeps what came back; see docs/studies.md.
"""
