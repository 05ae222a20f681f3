"""Likelihoods before a fit: verdicts, rows and proofs by other ways, at every door, and what is refused."""


import pytest
from cases import for_each
from family_cases import FAMILIES, answer_of, random_case, strict_by_program

from maxmargin.solvers.proof.checker import CertificateError, check, parse


@pytest.mark.parametrize("family", FAMILIES)
@for_each("seed", range(40))
def test_verdict_and_rows_are_those_of_the_inequalities_by_definition(family: str, seed: int) -> None:
    case = random_case(family, seed)
    vectors = [] if case is None else case.inequalities()
    if case is None or not vectors:
        return
    strict = strict_by_program([z for z, _ in vectors])
    answer = answer_of(case)
    expected = "separable" if strict.all() else "quasi-separable" if strict.any() else "overlap"
    assert (answer.verdict, answer.estimate_exists) == (expected, expected == "overlap")
    apart = {case.kept[i] for is_strict, (_, rows) in zip(strict, vectors, strict=True) if is_strict for i in rows}
    assert answer.separated_rows.tolist() == sorted(apart)
    proof = parse(answer.certificate.to_json().encode())
    responses = answer.likelihood.responses.tolist()
    check(proof, case.rows, responses)
    for i in range(len(responses)):
        other = [list(response) for response in responses]
        other[i][-1] += 1 if family != "conditional" else 7
        with pytest.raises(CertificateError):
            check(proof, case.rows, other)
