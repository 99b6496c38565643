"""The independent verifier: is a release what it says it is?

It reads the files of the release alone and shares no code with the builder: no import of the builder, the
join engine, or the readers of releases and graphs; names get numbers of its own, in sorted arrays. A mistake
would have to be made twice, in two different ways, to stay hidden. The top of each module says what it
checks: `folder` (manifest, digests, API keys), `tar` (archives), `shapes` (records), `names`, `facts`
(declarations), `rules`, `measures` (of rules, counted on the graph), `graphs`, `removals` (certificates,
priors, core, difficulty); `questions.question` (answers, whom a text names), `questions.forms` (of queries),
`questions.wording` (templates and patterns), `questions.question_set` (duplicates, splits); `kinds` (what is
special to a kind, by `protocol`). `parts` cuts up what is checked one by one, for several processes.

What is derived from the records (the counts of the manifest, the card, the sheet, other tables, queries in
other languages, order and form) is not counted here: as its last step ``rulemine verify`` writes the
release again from its records and compares bytes (`rulemine.builder.regenerated`). What follows from the
recipe alone (options of mining, choices among equals, what was rejected, names of entities) is proved by
``rulemine verify --rebuild`` (`rulemine.builder.rebuild`). Whether a text means what its relation means, no
program checks.
"""

from rulemine.verify.report import Problem, VerificationReport
from rulemine.verify.verifier import verify

__all__ = ["Problem", "VerificationReport", "verify"]
