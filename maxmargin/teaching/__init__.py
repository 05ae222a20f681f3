"""Learning Boolean concepts (formulas, halving, Winnow, counts), and adversaries. `maxmargin.boolean` has the names."""
