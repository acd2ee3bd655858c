"""The audit of a translated benchmark: what is asked and fixed for it, and a simulator with a planted tax.

The estimates themselves are made from records, in `hesperus.reports.tax`.
"""
