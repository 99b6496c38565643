"""Questions over property graphs: patterns, their Cypher, and reading Cypher of others."""

from typing import TYPE_CHECKING

from rulemine.registry import lazy_names

if TYPE_CHECKING:
    from rulemine.cypher.language.parser import parse as parse
    from rulemine.cypher.language.rewriting import provenance_query as provenance_query
    from rulemine.cypher.questions.evaluator import Rows as Rows
    from rulemine.cypher.questions.evaluator import evaluate as evaluate
    from rulemine.cypher.questions.evaluator import provenance_of as provenance_of
    from rulemine.cypher.questions.pattern import MatchPattern as MatchPattern
    from rulemine.cypher.questions.pattern import PatternNode as PatternNode
    from rulemine.cypher.questions.pattern import PatternQuery as PatternQuery
    from rulemine.cypher.questions.pattern import ReturnClause as ReturnClause
    from rulemine.cypher.questions.render import to_cypher as to_cypher

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "MatchPattern": "rulemine.cypher.questions.pattern",
        "PatternNode": "rulemine.cypher.questions.pattern",
        "PatternQuery": "rulemine.cypher.questions.pattern",
        "ReturnClause": "rulemine.cypher.questions.pattern",
        "Rows": "rulemine.cypher.questions.evaluator",
        "evaluate": "rulemine.cypher.questions.evaluator",
        "parse": "rulemine.cypher.language.parser",
        "provenance_query": "rulemine.cypher.language.rewriting",
        "provenance_of": "rulemine.cypher.questions.evaluator",
        "to_cypher": "rulemine.cypher.questions.render",
    },
)
