"""Numbers of open answers, made from the table of pairs that an evaluation writes."""
