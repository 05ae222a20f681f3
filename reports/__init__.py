"""Results in, pages out: a study becomes a plain dict, the dict becomes JSON, Markdown, HTML and text."""
