"""Questions whose answers are rows of a property graph: removed values, rows and the gold."""

from rulemine.verify.kinds.cypher.release import CHECKS as CHECKS
