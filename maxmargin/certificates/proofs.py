"""Proofs as files, and their check against data in memory, by `maxmargin.solvers.proof.checker`."""

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from maxmargin.api.families import FamilyOptions, FamilyQuestion
from maxmargin.api.question import parts_of, whole_data
from maxmargin.data.labels import LabelError, Labels, encode
from maxmargin.data.numbers.binary64 import ExactRows
from maxmargin.data.reading.arrays import Features, features_of, labels_of, refused_labels
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.solvers.problem.problem import ClassProblem
from maxmargin.solvers.proof.certificate import Certificate
from maxmargin.solvers.proof.checker import (
    FOREIGN,
    CertificateError,
    NotAProofError,
    check,
    numbering,
    parse,
    statement,
    validate,
)
from maxmargin.text.data_error import DataError, data_error
from maxmargin.text.outputs import write_text
from maxmargin.text.progress import shows_progress, waiting
from maxmargin.text.regular_files import read_regular_file

Document = dict[str, Any]


def proof_document(certificate: Certificate, **source: Any) -> Document:
    """Return the document of a proof, with the fields that state how its data were read.

    Parameters
    ----------
    certificate : Certificate
    **source
        The arguments of `load`, by name, where columns that were named to be encoded are `one_hot_columns`. Also
        `classes` in the order of their codes, and the `values` of the rows of the proof with their signs, by which the
        rows are found in other data.

    Examples
    --------
    >>> import maxmargin as mm
    >>> certificate = mm.separability([[1.0], [2.0]], ["a", "b"]).certificate
    >>> proof_document(certificate, source="pairs.csv", label=-1)["data"]["source"]
    'pairs.csv'
    """
    if source.get("positive") is not None:
        source["positive"] = str(source["positive"])
    else:
        source.pop("positive", None)  # the proof's own field stands
    if "classes" in source:
        source["classes"] = list(map(str, source["classes"]))
    document = certificate.to_dict()
    return {**document, "data": {**document["data"], **source}}


def write_proof(path: str | os.PathLike[str], certificate: Certificate, **source: Any) -> None:
    """Write the document of a proof, as `proof_document` makes it.

    Raises
    ------
    OSError
    """
    write_text(path, json.dumps(proof_document(certificate, **source), indent=1) + "\n")


def read_proof(path: str | os.PathLike[str]) -> Document:
    """Read a proof; its numbers are not checked yet.

    Raises
    ------
    CertificateError
        If the file is not a proof.
    OSError
        If it cannot be read: it is no regular file, or has more than 1 GiB.
    """
    return parse(read_regular_file(path))


def not_a_proof(path: str | os.PathLike[str], error: NotAProofError) -> DataError:
    """Return the error of a file that should be a proof."""
    found = str(error).removeprefix("not a proof: ")
    return data_error(os.fspath(path), found=found, expected="a proof, as --proof writes it")


@shows_progress(waiting, "checking the proof")
def verify(
    certificate: Certificate | Mapping[str, Any] | str | os.PathLike[str],
    X: Any,
    y: Any = None,
    *,
    weights: Any = None,
    trials: Any = None,
    strata: Any = None,
    status: Any = None,
    entry: Any = None,
    verbose: bool = False,
) -> bool:
    """Check a proof about these data in exact arithmetic, with nothing but the standard library.

    Parameters
    ----------
    certificate : Certificate, dict, str or path
        The certificate of an answer, its fields, their JSON text, or the path of a proof file, which is a regular file
        of at most 1 GiB.
    X : array_like, SciPy sparse array, data frame or Dataset, of shape (n_samples, n_features)
        The features that the proof is about.
    y : array_like of shape (n_samples,), or str, optional
        The labels, the name of their column or a formula, as in `maxmargin.separability`; None for a Dataset. The proof
        says as `positive` which of them is +1: by the text of the label, or as its number (1, "1"
        and "1.0" name the label 1; True names the label True, not 1). Without `positive` there must be two labels, and
        the greater one is +1. The hash of the data covers the signs, so any other choice is refused.
    weights, trials, strata, status, entry : str or array_like, optional
        The columns of a question about a likelihood, as in `maxmargin.separability`; by default those that the proof
        names.
    verbose : bool, default False
        Whether stderr shows how the work goes on, as on the command line.

    Returns
    -------
    bool
        True; if the proof does not hold, an error is raised.

    Raises
    ------
    CertificateError
        If the proof does not hold for these data; the message names the first statement that is false.
    InvalidProblemError
        If `X` or `y` are not finite numbers or labels.
    OSError
        If the proof file cannot be read.

    See Also
    --------
    maxmargin.separability : Decide the verdict, and return its certificate.
    maxmargin.hard_margin : Find the maximum margin, and return its certificates.

    References
    ----------
    .. [1] R. M. McConnell, K. Mehlhorn, S. Näher and P. Schweitzer, "Certifying algorithms", Computer Science Review 5
       (2011), 119-161.

    Examples
    --------
    >>> import maxmargin as mm
    >>> X, y = [[1.0], [2.0], [4.0]], ["no", "no", "yes"]
    >>> proof = mm.separability(X, y).certificate.to_dict()
    >>> mm.verify(proof, X, y)
    True
    >>> proof["direction"] = ["1", "-2"]
    >>> mm.verify(proof, X, y)
    Traceback (most recent call last):
    ...
    maxmargin.solvers.proof.checker.CertificateError: row 1: z.v > 0 is false
    """
    statement_about(certificate, X, y, weights=weights, trials=trials, strata=strata, status=status, entry=entry)
    return True


def statement_about(
    certificate: Certificate | Mapping[str, Any] | str | os.PathLike[str], X: Any, y: Any, **columns: Any
) -> str:
    """Check a proof as `verify` does; return its statement about the classes, in one line."""
    document = _document(certificate)
    options = FamilyOptions.of_proof(document, **columns)
    if options is not None:
        bias, positive = options.bias_of(document), document["data"].get("positive")
        try:
            question = FamilyQuestion.of(X, y, options, bias=bias, positive=positive)
        except (InvalidProblemError, InvalidOptionError) as error:
            raise CertificateError(f"{FOREIGN}: {error}") from error
        return checked_question(document, question)
    return _statement_about_rows(document, X, y)


def checked_question(document: Document, question: FamilyQuestion) -> str:
    """Check a proof about a likelihood or about rows that have a weight; return its statement, in one line."""
    if question.likelihood is None:
        return _statement_about_rows(document, question.dataset, None)
    check(document, question.likelihood.X.tolist(), question.likelihood.responses.tolist())
    return statement(document, question.dataset.classes)


def _statement_about_rows(document: Document, X: Any, y: Any) -> str:
    features, labels = _features_and_labels(X, y, document)
    exact = _exact_rows(document, features)
    if exact is not None:
        return check_labelled(document, exact.units.rows(exact.integers), labels)
    return check_labelled(document, _Rows(ClassProblem(features.X, labels.codes, len(labels.classes))), labels)


def _features_and_labels(X: Any, y: Any, document: Document) -> tuple[Features, Labels]:
    whole = whole_data(X, y)
    if whole is not None:
        return Features(whole.X, whole.feature_names, None, whole.exact), encode(whole.labels)
    table = parts_of(X, y, bias=document["data"]["bias"])
    features = features_of(table.features, None, has_intercept=table.has_intercept, needs_columns=table.needs_columns)
    try:
        return features, encode(labels_of(table.labels, features.X.shape[0]))
    except LabelError as error:
        raise refused_labels(error) from error


def _exact_rows(document: Document, features: Features) -> ExactRows | None:
    """Return the numbers as fractions if the proof is about fractions; None if it and the data are binary64."""
    if document["data"]["reading"] == "binary64":
        if features.exact is not None:
            raise CertificateError("the proof is about binary64 numbers, and X holds others")
        return None
    if not isinstance(features.X, np.ndarray):
        raise CertificateError("the proof is about decimals or fractions; expected these in a dense array or table")
    return features.exact or ExactRows.of_binary64(features.X)


def check_labelled(document: Document, rows: Any, labels: Labels) -> str:
    """Check a proof about labelled rows; return its statement about the classes, in one line.

    Parameters
    ----------
    document : dict
        The proof, as `read_proof` gives it.
    rows : sequence of rows of floats, or of fractions in the decimal reading
    labels : Labels

    Raises
    ------
    CertificateError
    """
    numbers = numbering(document, labels.classes)
    check(document, rows, np.array(numbers)[labels.codes].tolist())
    return statement(document, labels.classes)


class _Rows:
    """The rows of a matrix as lists of floats, a chunk at a time."""

    def __init__(self, data: ClassProblem) -> None:
        self._data = data

    def __len__(self) -> int:
        return self._data.n_samples

    def __iter__(self) -> Iterator[list[float]]:
        for rows in self._data.dense_chunks():
            yield from rows.tolist()


def _document(certificate: Any) -> Document:
    if isinstance(certificate, str) and certificate.lstrip().startswith("{"):
        return parse(certificate.encode("utf-8", "surrogatepass"))
    if isinstance(certificate, str | os.PathLike):
        return read_proof(certificate)
    document = certificate.to_dict() if isinstance(certificate, Certificate) else certificate
    document = dict(document) if isinstance(document, Mapping) else document
    validate(document)
    return document
