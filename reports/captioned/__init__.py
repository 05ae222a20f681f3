"""The displays that reports save as figures, with captions; matplotlib is imported when one is drawn."""

# The names of the figures, in the order of the page; only a report on more than two classes has the last one.
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
