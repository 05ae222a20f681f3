"""The figures of the reports: axes in, axes out; matplotlib is imported when one is drawn."""

FIGURES = (
    "margin-path",
    "proof-curves",
    "potential",
    "mistakes",
    "orders",
    "distances",
    "projection",
    "soft-margin",
    "classes",
)
"""The names of the figures, in the order of the page; only a report on more than two classes has the last one."""
