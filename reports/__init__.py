"""Results in, pages out: a study becomes a plain dict, the dict becomes JSON, Markdown, HTML and text."""

if __name__ != "maxmargin.reports":
    raise ImportError("This package is imported as maxmargin.reports.")
