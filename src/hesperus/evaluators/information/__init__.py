"""Information consistency: which claims of one text another supports, and the other way round."""
