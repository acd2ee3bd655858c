"""Prompts without one right answer, in English: questions that seek information, posts that seek support."""

from hesperus.tasks.prompts.prompt_files import FORMS, Form, asking, items, languages

__all__ = ["FORMS", "Form", "asking", "items", "languages"]
