"""The formulas of the bounds in MathML, which browsers set without a script."""


def formula_of(name: str) -> str:
    """Return the formula of a bound as a ``math`` element, "" if it has none.

    Examples
    --------
    >>> formula_of("trivial")
    ''
    >>> formula_of("novikoff")[:26]
    '<math><mrow><mi>M</mi><mo>'
    """
    formula = _FORMULAS.get(name, "")
    return f"<math>{formula}</math>" if formula else ""


def _i(name: str) -> str:
    return f"<mi>{name}</mi>"


def _o(sign: str) -> str:
    return f"<mo>{sign}</mo>"


def _n(number: int) -> str:
    return f"<mn>{number}</mn>"


def _row(*parts: str) -> str:
    return f"<mrow>{''.join(parts)}</mrow>"


def _over(above: str, below: str) -> str:
    return f"<mfrac>{_row(above)}{_row(below)}</mfrac>"


def _square(base: str) -> str:
    return f"<msup>{_row(base)}{_n(2)}</msup>"


def _root(inside: str) -> str:
    return f"<msqrt>{_row(inside)}</msqrt>"


def _plus(*terms: str) -> str:
    return _o("+").join(terms)


def _group(*parts: str) -> str:
    return _row(_o("("), *parts, _o(")"))


def _norm(inside: str) -> str:
    return _row(_o("‖"), inside, _o("‖"))


def _at_most(right: str) -> str:
    return _row(_i("M"), _o("≤"), right)


_R, _G, _S, _B, _L, _A, _D, _V = map(_i, "RgsbLaDv")
_GAMMA_SQUARED = f"<msup>{_i('γ')}<mrow>{_o('*')}{_n(2)}</mrow></msup>"
_REACH = _group(_plus(_R, _o("|")), _B, _o("|"))
_SUM_OF_SQUARES = _row(_o("∑"), _square(_norm(_i("x"))))
_SLACK_SQUARED = f"<msubsup>{_i('ξ')}{_i('i')}{_n(2)}</msubsup>"
_AT_SCALE = _row(_group(_plus(_square(_R), _square(_S))), _group(_plus(_n(1), _over(_square(_B), _square(_S)))))
_HINGE = _over(_row(_plus(_A, _root(_row(_plus(_square(_A), _n(4)), _L)))), _n(2))
_SLACK = _root(_row(_plus(_over(_square(_D), _n(4)), _norm(_V)), _root(_SUM_OF_SQUARES)))

_FORMULAS = {
    "novikoff": _at_most(_over(_square(_R), _square(_G))),
    "augmented_b": _at_most(_over(_AT_SCALE, _GAMMA_SQUARED)),
    "best_scale": _at_most(_over(_square(_REACH), _GAMMA_SQUARED)),
    "best_scale_searched": _at_most(_over(_square(_REACH), _square(_i("γ")))),
    "unit_norm": _at_most(_over(_n(1), _square(_i("δ")))),
    "sum_of_squares": _at_most(_over(_root(_SUM_OF_SQUARES), _G)),
    "self_certificate": _at_most(_over(_root(_SUM_OF_SQUARES), _i("m"))),
    "freund_schapire": _at_most(_square(_group(_over(_row(_plus(_R, _D)), _G)))),
    "freund_schapire_optimum": _at_most(_square(_group(_R, _plus(_norm(_V), _root(_row(_o("∑"), _SLACK_SQUARED)))))),
    "hinge_optimum": _at_most(_square(_group(_HINGE))),
    "slack_of_the_mistakes": _at_most(_square(_group(_plus(_over(_D, _n(2)), _SLACK)))),
    "conjunction": _at_most(
        _row(_group(_plus(_i("d"), _n(1))), _group(_square(_i("k")), _o("−"), _plus(_i("k"), _n(1))))
    ),
}
