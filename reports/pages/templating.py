"""Where templates come from."""

from collections.abc import Callable, Mapping
from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from maxmargin.solvers.basics.printable import shown


def environment(*, autoescape: bool, filters: Mapping[str, Callable[..., str]] | None = None) -> Environment:
    """Return a jinja2 environment that reads the packaged templates."""
    result = Environment(
        loader=FunctionLoader(lambda name: (files("maxmargin.reports.templates") / name).read_text("utf-8")),
        autoescape=autoescape,
        undefined=StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    result.filters.update(filters or {})
    return result


def _visible(value: object) -> object:
    """Escape what is not visible in a text; pictures are mark-up of our own."""
    return shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value
