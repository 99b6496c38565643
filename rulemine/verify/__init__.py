"""The independent verifier: is a release what it says it is?

Everything is decided from the files of the release alone, by code that shares nothing with the code
that made them: no import of the builder, of the join engine, or of the readers of releases and
graphs; names get numbers of its own, in sorted arrays. A mistake would have to be made twice, in two
different ways, to stay hidden. What is checked stands at the top of each module: `folder` (manifest,
digests, keys of APIs), `shapes` (records), `names`, `rules`, `graphs`, `removals` (certificates),
`collection` (repeats, balance, split), `counts`, `questions` (answers, whom a text names, diagnosis, with
`proofs`); and of questions by a language model `wording` (patterns), `texts` (form), `fallbacks` (texts
that failed), `prompts` (and glosses), `journal` (entries), `conversations` (whether questions are what the
model said, with `replies`; and whether it was asked what it says, with `calls` and `contexts`).

Not checked, because the files do not decide it: supports and body sizes of rules (they may come from
another graph); whether a model's text means what its relation means, in the language asked for; whether
the replies of the journal are those of the model that is named; the keys of later attempts (they quote
reasons that are not kept), and what was said in them where a later one was good; what the glosses say;
and what the card (README.md) says. Of the checks that a text had to pass in the build, those are made
again whose verdict is beyond doubt.
"""

from rulemine.verify.report import Problem, VerificationReport
from rulemine.verify.verifier import verify

__all__ = ["Problem", "VerificationReport", "verify"]
