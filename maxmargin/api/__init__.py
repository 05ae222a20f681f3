"""The verbs: labels become signs, signs go to the solvers, answers come back."""
