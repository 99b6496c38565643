"""The independent verifier: is a release what it says it is?

Everything is decided from the files of the release alone, by code that shares nothing with the code
that made them: no import of the builder, of the join engine, or of the readers of releases and
graphs; names get numbers of its own, in sorted arrays. A mistake would have to be made twice, in two
different ways, to stay hidden. What is checked stands at the top of each module: `folder` (manifest,
digests), `shapes` (records), `names`, `rules`, `graphs`, `removals` (certificates), `collection`
(repeats, balance, split), `counts`, `questions` (answers, text, diagnosis, with `proofs`).

Not checked, because the files do not decide it: supports and body sizes of rules (they may come from
another graph), the wording of questions beyond whom it names, and what the card (README.md) says.
"""

from rulemine.verify.release import verify
from rulemine.verify.report import Problem, VerificationReport

__all__ = ["Problem", "VerificationReport", "verify"]
