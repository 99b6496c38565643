"""Questions whose answers are rows of a property graph: its graphs, rows and the gold."""

from rulemine.verify.kinds.cypher.release import CHECKS as CHECKS
