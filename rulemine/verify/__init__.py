"""The independent verifier: is a release what it says it is?

Everything is decided from the files of the release alone, by code that shares nothing with the code
that made them: no import of the builder, of the join engine, or of the readers of releases and
graphs; plain dictionaries and sets instead. A mistake would have to be made twice, in two different
ways, to stay hidden. What is checked is `docs` of the sub-modules, in their order:
`folder` (manifest, digests), `shapes` (records), `names`, `graphs`, `rules`, `removals`,
`questions`, `diagnoses`, `collection` (balance, split, counts).
"""

from rulemine.verify.release import verify
from rulemine.verify.report import Problem, VerificationReport

__all__ = ["Problem", "VerificationReport", "verify"]
