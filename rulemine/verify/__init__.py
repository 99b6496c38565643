"""Is a release what it says it is? Checked from its files alone, with code of its own; see README.md."""

from rulemine.verify.report import Problem, VerificationReport
from rulemine.verify.verifier import verify

__all__ = ["Problem", "VerificationReport", "verify"]
