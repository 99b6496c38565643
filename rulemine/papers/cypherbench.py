"""The tables and figures of CypherBench (arXiv 2412.18702v2)."""

from rulemine.papers import cypherbench_questions as questions
from rulemine.papers import cypherbench_systems as systems
from rulemine.papers.paper import Exhibit, Paper

__all__ = ["CYPHERBENCH"]

_LITERATURE = "It compares published data sets and systems; nothing of it is computed."
_PROMPT = "It is a prompt."
_DRAWING = "It is a drawing."

CYPHERBENCH = Paper(
    name="cypherbench",
    title="CypherBench (Feng et al.)",
    version="arXiv 2412.18702v2",
    exhibits=(
        Exhibit("Table 1", "graph patterns", questions.categories),
        Exhibit("Table 2", "statistics", questions.sizes),
        Exhibit("Table 3", "EX, PSJS and executable queries by model", systems.scores),
        Exhibit("Table 4", "wrong predictions", systems.examples),
        Exhibit("Table 5", "related work", why=_LITERATURE),
        Exhibit("Table 6", "related work", why=_LITERATURE),
        Exhibit("Table 7", "related work", why=_LITERATURE),
        Exhibit("Table 8", "each graph", questions.graph_sizes),
        Exhibit("Table 9", "rewriting of questions by a model", why=_PROMPT),
        Exhibit("Table 10", "zero-shot prompt", why=_PROMPT),
        Exhibit("Table 11", "MATCH templates", questions.match_templates),
        Exhibit("Table 12", "RETURN templates", questions.return_templates),
        Exhibit("Table 13", "errors", systems.errors),
        Exhibit("Table 14", "drafting of a schema", why="See `rulemine graph draft`."),
        Exhibit("Table 15", "drafting of a schema", why="See `rulemine graph draft`."),
        Exhibit("Figure 1", "overview", why=_DRAWING),
        Exhibit("Figure 2", "how the benchmark is made", why=_DRAWING),
        Exhibit("Figure 3", "illustration", why=_DRAWING),
        Exhibit(
            "Figure 4", "questions by MATCH, RETURN, graph and length", questions.distributions
        ),
        Exhibit("Figure 5", "EX by MATCH, RETURN and graph", systems.by_template),
        Exhibit("Figure 6", "errors by model", systems.error_shares),
    ),
)
