"""Pictures of results on the axes of matplotlib, in the manner of scikit-learn's displays.

A display is made by `from_result` or `from_estimator`, which draw it on the axes that are given, or else on those of a
new figure; its method `plot` draws it again on others. Nothing is shown and no global setting is changed.
"""

from maxmargin.displays.convex_hulls_display import ConvexHullsDisplay as ConvexHullsDisplay
from maxmargin.displays.hyperplane_display import HyperplaneDisplay as HyperplaneDisplay
from maxmargin.displays.margin_distribution_display import MarginDistributionDisplay as MarginDistributionDisplay
from maxmargin.displays.mistake_bounds_display import MistakeBoundsDisplay as MistakeBoundsDisplay
from maxmargin.displays.order_study_display import OrderStudyDisplay as OrderStudyDisplay
from maxmargin.displays.perceptron_path_display import PerceptronPathDisplay as PerceptronPathDisplay
from maxmargin.displays.proof_curves_display import ProofCurvesDisplay as ProofCurvesDisplay
from maxmargin.displays.soft_margin_path_display import SoftMarginPathDisplay as SoftMarginPathDisplay
