"""The options that several commands share, and the data set they describe."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from maxmargin.dataset import Dataset

Source = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE",
        help="A file (.csv .tsv .parquet .feather .npz .svm .libsvm .svmlight, also .gz), "
        "iris, breast_cancer, wine, digits, or - for CSV on the standard input.",
    ),
]
Label = Annotated[
    str | None,
    typer.Option("--label", metavar="COL", help="Column of the labels, a name or a position; default: last."),
]
Positive = Annotated[
    str | None, typer.Option("--positive", metavar="VALUE", help="The class that is +1, against all others.")
]
Drop = Annotated[list[str] | None, typer.Option("--drop", metavar="COL", help="Column to leave out; may be repeated.")]
Id = Annotated[str | None, typer.Option("--id", metavar="COL", help="Column that names the rows.")]
OneHot = Annotated[bool, typer.Option("--one-hot", help="Encode text columns as columns of 0 and 1.")]
DropMissing = Annotated[bool, typer.Option("--drop-missing", help="Leave out rows with missing values.")]
NoBias = Annotated[bool, typer.Option("--no-bias", help="Hyperplanes through the origin only.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No notes and no progress on stderr.")]
Solver = Annotated[
    str | None, typer.Option("--solver", metavar="NAME", help="A cvxpy solver, such as CLARABEL or DAQP.")
]
BiasScale = Annotated[
    str, typer.Option("--bias-scale", metavar="S", help="Constant coordinate that carries the bias, a number or best.")
]
Zero = Annotated[
    str, typer.Option("--zero", metavar="RULE", help="What y w.x = 0 is: mistake, positive (predicts +1), negative.")
]
Order = Annotated[
    str, typer.Option("--order", metavar="ORDER", help="cyclic, shuffled-once, reshuffled (each epoch), random.")
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="For the orders that draw.")]
MaxEpochs = Annotated[int | None, typer.Option("--max-epochs", metavar="N", min=1, help="Limit; default: none.")]
MaxMistakes = Annotated[int, typer.Option("--max-mistakes", metavar="N", min=1, help="Limit of updates.")]
Prepare = Annotated[
    str, typer.Option("--prepare", metavar="HOW", help="Done to the data before: raw, center, standardize, unit.")
]


def dataset_of(
    source: str,
    label: str | None,
    positive: str | None,
    drop: list[str] | None,
    id_column: str | None,
    one_hot: bool,
    drop_missing: bool,
) -> "Dataset":
    """Read the source as the options say."""
    from maxmargin.dataset import load

    return load(
        source,
        label=-1 if label is None else label,
        positive=positive,
        drop=drop or (),
        id=id_column,
        one_hot=one_hot,
        drop_missing=drop_missing,
    )


def bias_scale_of(text: str) -> float | str:
    """Return "best" or the positive number that the text is.

    Raises
    ------
    InvalidOptionError
        If it is neither.
    """
    from maxmargin.solvers.errors import InvalidOptionError

    if text == "best":
        return text
    try:
        return float(text)
    except ValueError:
        raise InvalidOptionError(f"--bias-scale is {text!r}; expected a positive number or 'best'") from None


def require_two_classes(dataset: "Dataset", command: str) -> None:
    """Raise, naming --positive, if the data set has more than two classes.

    Raises
    ------
    InvalidProblemError
    """
    from maxmargin.solvers.errors import InvalidProblemError

    if not dataset.is_binary:
        names = ", ".join(map(str, dataset.classes))
        raise InvalidProblemError(
            f"{dataset.source} has {len(dataset.classes)} classes ({names}); "
            f"{command} needs two: choose one with --positive"
        )


def prepared(dataset: "Dataset", how: str) -> "Dataset":
    """Return the data set with its features prepared."""
    from dataclasses import replace

    from maxmargin.prepare import prepare

    return dataset if how == "raw" else replace(dataset, X=prepare(dataset.X, how).X)
