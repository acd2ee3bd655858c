"""Translate, then evaluate: are open answers as informative, and as kind, in every language?"""
