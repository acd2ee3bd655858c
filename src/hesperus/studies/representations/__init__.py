"""Representations: are a model's inner states alike for one meaning in two languages, and does agreement go with it?"""
