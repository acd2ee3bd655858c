"""How the pocket models are made: tiny language models with known gaps, trained from scratch on one CPU core.

``python -m pocket`` trains, exports and measures them; see README.md in this folder. Nothing here is needed to run them.
"""
