"""Equivalence of short free answers: do "5", "five" and "5 times" say the same?"""
