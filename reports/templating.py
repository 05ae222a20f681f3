"""Where templates come from."""

from collections.abc import Callable, Mapping
from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined


def environment(*, autoescape: bool, filters: Mapping[str, Callable[..., str]] | None = None) -> Environment:
    """Return a jinja2 environment that reads the packaged templates."""
    result = Environment(
        loader=FunctionLoader(lambda name: (files("maxmargin.reports.templates") / name).read_text("utf-8")),
        autoescape=autoescape,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    result.filters.update(filters or {})
    return result
