"""The parts that all answers of the solvers share: names, statuses, intervals, cards and JSON fields."""
