"""Classifiers of three mechanisms of empathy, trained on EPITOME's pairs of posts and responses.

``python -m recipes.empathy`` trains them (see README.md in ``recipes/``); ``hesperus evaluate`` takes the folder it writes.
"""
