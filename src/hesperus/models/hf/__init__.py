"""Models of transformers in this process: ``hf/ORG/NAME`` of the hub, or a local folder (extra ``hf``)."""

from hesperus.models.hf.model import HfModel

__all__ = ["HfModel"]
