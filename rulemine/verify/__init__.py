"""The independent verifier: is a release what it says it is?

It reads the files of the release alone and shares no code with the builder: no import of the builder, the
join engine, or the readers of releases and graphs; names get numbers of its own, in sorted arrays. A mistake
would have to be made twice, in two different ways, to stay hidden. The top of each module says what it
checks: `folder` (manifest, digests, API keys), `shapes` (records), `names`, `rules`, `graphs`, `removals`
(certificates), `relations`, `question_set` (duplicates, balance, split), `counts`, `questions` (answers, whom
a text names, difficulty, with `proofs`), `wording` (templates and patterns); and for questions by a language
model `model.texts` (form), `model.fallbacks` (texts that failed), `model.journal` (calls) and
`model.conversations` (whether texts are what the model replied, with `model.replies`).

Not checked, because the files do not decide it: supports and body sizes of rules (they may come from
another graph); whether a model's text means what its relation means, in the required language; whether the
replies of the journal come from the model that is named; what relation descriptions and the card (README.md)
say. Of the checks that a text had to pass in the build, the verifier repeats those whose verdict is certain.
"""

from rulemine.verify.report import Problem, VerificationReport
from rulemine.verify.verifier import verify

__all__ = ["Problem", "VerificationReport", "verify"]
