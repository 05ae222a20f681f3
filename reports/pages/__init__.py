"""Reports as HTML, Markdown and text for a terminal."""
