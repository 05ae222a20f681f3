"""``maxmargin completion``: the script with which a shell completes a command line, and the names of data for it."""

from glob import escape, glob

from click import Command
from click.shell_completion import CompletionItem, get_completion_class

from maxmargin.cli.click_classes import ASKS_TO_COMPLETE
from maxmargin.cli.feedback import Exit


def completion(app: Command, shell: str) -> Exit:
    """Print the script for this shell."""
    found = get_completion_class(shell)
    assert found is not None
    complete = found(app, {}, "maxmargin", ASKS_TO_COMPLETE)
    print(complete.source_template % complete.source_vars())  # `source()` would start a shell to ask for its version
    return Exit.OK


def sources(incomplete: str) -> list[CompletionItem]:
    """Return the names of bundled and generated data and of files that begin in this way.

    Where only files can, the shell completes them, which knows of folders and of quotes.
    """
    from maxmargin.data.generators import families
    from maxmargin.data.sources.opening import BUNDLED

    known = [*BUNDLED, *(family.name for family in families())]
    names = [CompletionItem(name) for name in known if name.startswith(incomplete)]
    if not names:
        return [CompletionItem(incomplete, type="file")]
    return [*names, *map(CompletionItem, sorted(glob(f"{escape(incomplete)}*")))]
