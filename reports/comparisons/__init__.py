"""The report of a research comparison: methods on the same data sets, against what is proven about these."""

from maxmargin.reports.comparisons.research_report import ComparisonReport as ComparisonReport
from maxmargin.reports.comparisons.research_report import comparison_report as comparison_report
