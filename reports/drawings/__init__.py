"""The drawings of the page: small scalable pictures of the page's own, which a script may move; no matplotlib."""
