"""The Boolean world: formulas, halving, Winnow, sequences that make learners err."""
