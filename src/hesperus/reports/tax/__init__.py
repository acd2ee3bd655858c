"""The page of an audit of a translated benchmark."""
