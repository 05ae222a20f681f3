"""The drawings of the page: SVG that a script may move, made without matplotlib."""
