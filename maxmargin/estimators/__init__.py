"""Estimators of scikit-learn whose answers are proven: classifiers by hyperplanes, and a guard against separation."""
