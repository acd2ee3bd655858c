"""Estimates of the audit of a translated benchmark."""
