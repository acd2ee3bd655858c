"""From records to tables of numbers: settings, pairing, grouping. No words for people, no chart, no color."""
