"""The question: rows with signs, wherever the rows live, and known properties of their columns."""
