"""Mistake bounds, and studies of orders, translations and Novikoff's proof along a run."""
