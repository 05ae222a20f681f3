"""What is guaranteed of a run of each algorithm, in the words of the `Guarantee` of a run.

The catalogue prints these lines without a run; a test compares them with what runs say.
"""

from collections.abc import Mapping

_PERCEPTRON = (
    "updates <= R^2/g^2, strictly separable with margin g",
    "updates <= sqrt(sum over the updates of ||x||^2)/g, strictly separable with margin g",
    "||w||/M >= g, strictly separable with margin g",
)

_SUBGRADIENT = (
    "mean of f_t(w_t) - mean of f_t(u) <= G^2 (1 + ln T)/(2 lambda T), with the greatest subgradient G of T "
    "steps, for the u of the soft margin at C = 1/(lambda n); over whole epochs f(u) is the optimum",
)

THEOREMS: Mapping[str, tuple[str, ...]] = {
    "perceptron": _PERCEPTRON,
    "averaged": (
        *_PERCEPTRON,
        "||mean||/A >= g, A the mean number of updates so far, strictly separable with margin g",
        "||mean|| <= sqrt(sum over the updates of (T - t + 1)/T ||x||^2)",
    ),
    "voted": (
        *_PERCEPTRON,
        "errors of the vote <= twice the mean errors of the voters, where these are few enough to be counted",
    ),
    "pocket": ("the greatest increase of the errors of the pocket, counted exactly, <= 0",),
    "margin-perceptron": (
        "updates <= (R^2 + 2 beta)/g^2, strictly separable with margin g",
        "margin >= g beta/(R^2 + 2 beta), on halting on data that are strictly separable with margin g",
    ),
    "pa": ("sum of loss^2 <= R^2/g^2, strictly separable with margin g; mistakes are at most as many",),
    "pa-1": ("mistakes <= max(R^2, 1/C) (||u||^2 + 2 C sum of loss(u)), for every u",),
    "pa-2": ("sum of loss^2 <= (R^2 + 1/(2C)) (||u||^2 + 2 C sum of loss(u)^2), for every u",),
    "ogd": (
        "sum of loss(w_t) <= sum of loss(u) + ||u||^2/(2 eta) + eta/2 sum over the updates of ||x||^2, for every u",
    ),
    "second-order": (
        "updates <= sum loss(u) + sqrt((a ||u||^2 + sum (u.x)^2) ln det(A/a)), sums over the updates, for every u",
    ),
    "cw": (
        "after every update y w.x >= phi sqrt(x'Sigma x): relative violation <= 1e-9, unless rounding has eaten "
        "up Sigma",
        "mistakes on x != 0 <= ln det(Sigma_0 Sigma^-1)/ln(1 + phi^2), unless rounding has eaten up Sigma",
        "mistakes <= (1 + 1/phi^2) u'Sigma^-1 u, strictly separable, y u.x >= phi sqrt(variance) ||x|| on every row, "
        "unless rounding has eaten up Sigma",
    ),
    "arow": (
        "updates <= sum loss(u) + sqrt((r ||u||^2 + sum (u.x)^2) (ln det(A/r) + U)), sums over the updates, U of "
        "them no mistakes, for every u",
    ),
    "scw-1": (
        "after every update with alpha < C, y w.x >= phi sqrt(x'Sigma x): relative violation <= 1e-9, unless "
        "rounding has eaten up Sigma",
        "mistakes on x != 0 <= ln det(Sigma_0 Sigma^-1)/min(ln(1 + phi^2), 2 asinh(C phi sqrt(v)/2)), v the least "
        "x'Sigma x before a mistake, unless rounding has eaten up Sigma",
    ),
    "scw-2": (
        "after every update y w.x + alpha/(2C) >= phi sqrt(x'Sigma x): relative violation <= 1e-9, unless "
        "rounding has eaten up Sigma",
        "mistakes on x != 0 <= ln det(Sigma_0 Sigma^-1)/ln(1 + phi^2 v/(v + 1/(2C))), v the least x'Sigma x at one, "
        "unless rounding has eaten up Sigma",
    ),
    "p-norm": ("updates <= (p - 1) X_p^2/g^2, X_p = max ||x||_p, strictly separable with best q-norm margin g",),
    "adatron": (
        "every update raises sum alpha - ||w||^2/2: its relative gain >= 0",
        "sum alpha - ||w||^2/2 <= 1/(2 g^2), strictly separable with margin g",
        "||w||/sum alpha >= g, strictly separable with margin g",
    ),
    "minover": (
        "||w||/t >= g after t updates, strictly separable with margin g",
        "||w||/t <= g + R^2 (1 + ln t)/(2 g t) after t updates, strictly separable with maximum margin g",
        "margin >= (1 - tolerance) g, on halting on data that are strictly separable with margin g",
    ),
    "romma": (
        "updates <= R^2/g^2, strictly separable with margin g",
        "||w|| <= 1/g, strictly separable with margin g",
    ),
    "aggressive-romma": (
        "updates <= R^2/(delta^2 g^2), strictly separable with margin g",
        "margin >= (1 - delta) g, on halting on data that are strictly separable with margin g",
        "||w|| <= 1/g, strictly separable with margin g",
    ),
    "alma": (
        "updates <= 2 (p - 1) (2/alpha - 1)^2 X_p^2/g^2 + 8/alpha - 4, strictly separable, g the best q-norm margin",
        "q-norm margin >= (1 - alpha) g, on halting on strictly separable data with best q-norm margin g",
    ),
    "pdm": (
        "updates t have (c t^c - t)/(c - 1) >= t^2 g^2/R^2, c = 2 - 2 epsilon, if strictly separable with g",
        "margin >= (1 - epsilon) g, on halting on data that are strictly separable with margin g",
        "||w||/t >= g after t updates, strictly separable with margin g",
    ),
    "winnow": ("updates <= (sum u ln u - u + 1)/D, for a u >= 0 with every drop of the potential at least D > 0",),
    "balanced-winnow": (
        "updates <= ln(2D)/(eta g - eta^2 X^2/2), strictly separable, g the best 1-norm margin, eta < 2 g/X^2",
    ),
    "delta-rule": (
        "the squared error never grows (relative to the first one: increase <= 1e-9), eta <= 2/lambda_max(X'X)",
    ),
    "delta-rule-sgd": (
        "sum (y - w_t.x)^2 <= ||u||^2/(eta k) + sum (y - u.x)^2/k^2 for every u, k = 1 - eta R^2/2 > 0",
    ),
    "relu-sgd": ("updates <= R^2/(at_zero g^2), strictly separable with margin g",),
    "subgradient-svm": _SUBGRADIENT,
    "pegasos": _SUBGRADIENT,
    "kernel-perceptron": (
        "updates <= R^2/g^2 in the feature space, g the margin of the plane that the converged run ended on",
    ),
}
"""By name of the algorithm."""
