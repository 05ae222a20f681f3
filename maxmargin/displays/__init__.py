"""Displays of results on the axes of matplotlib, in the manner of scikit-learn.

The class methods `from_result` and `from_estimator` make a display and draw it, on the axes `ax` or on those of a new
figure; the method `plot` draws it again on other axes. Nothing is shown and no global setting is changed.
"""

from maxmargin.displays.convex_hulls_display import ConvexHullsDisplay as ConvexHullsDisplay
from maxmargin.displays.hyperplane_display import HyperplaneDisplay as HyperplaneDisplay
from maxmargin.displays.margin_distribution_display import MarginDistributionDisplay as MarginDistributionDisplay
from maxmargin.displays.mistake_bounds_display import MistakeBoundsDisplay as MistakeBoundsDisplay
from maxmargin.displays.order_study_display import OrderStudyDisplay as OrderStudyDisplay
from maxmargin.displays.perceptron_path_display import PerceptronPathDisplay as PerceptronPathDisplay
from maxmargin.displays.proof_curves_display import ProofCurvesDisplay as ProofCurvesDisplay
from maxmargin.displays.soft_margin_path_display import SoftMarginPathDisplay as SoftMarginPathDisplay
