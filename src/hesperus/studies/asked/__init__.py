"""What studies that ask models have in common: their keys, their items, the models that they ask, what they keep.

A study loads its items, opens a session with its models, asks its questions and keeps what came back; see docs/studies.md.
"""
