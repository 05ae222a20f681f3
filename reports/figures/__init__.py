"""The figures of the reports: axes in, axes out; matplotlib is imported when one is drawn."""
