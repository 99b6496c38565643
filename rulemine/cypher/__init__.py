"""Questions over property graphs: patterns, their Cypher, and reading Cypher of others."""

from typing import TYPE_CHECKING

from rulemine.registry import lazy_names

if TYPE_CHECKING:
    from rulemine.cypher.evaluator import Rows as Rows
    from rulemine.cypher.evaluator import evaluate as evaluate
    from rulemine.cypher.evaluator import provenance_of as provenance_of
    from rulemine.cypher.parser import parse as parse
    from rulemine.cypher.pattern import MatchPattern as MatchPattern
    from rulemine.cypher.pattern import PatternNode as PatternNode
    from rulemine.cypher.pattern import PatternQuery as PatternQuery
    from rulemine.cypher.pattern import ReturnClause as ReturnClause
    from rulemine.cypher.provenance import provenance_query as provenance_query
    from rulemine.cypher.render import to_cypher as to_cypher

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "MatchPattern": "rulemine.cypher.pattern",
        "PatternNode": "rulemine.cypher.pattern",
        "PatternQuery": "rulemine.cypher.pattern",
        "ReturnClause": "rulemine.cypher.pattern",
        "Rows": "rulemine.cypher.evaluator",
        "evaluate": "rulemine.cypher.evaluator",
        "parse": "rulemine.cypher.parser",
        "provenance_query": "rulemine.cypher.provenance",
        "provenance_of": "rulemine.cypher.evaluator",
        "to_cypher": "rulemine.cypher.render",
    },
)
