"""The tables and figures of SynthKGQA (arXiv 2511.04473v1)."""

from rulemine.papers.paper import Exhibit, Paper
from rulemine.papers.subgraph_questions import (
    by_class,
    minimal_shapes,
    paths,
    relations,
    sizes_of_evidence,
    sizes_of_questions,
    statistics,
    supervision,
)
from rulemine.papers.subgraph_scores import (
    benchmark,
    by_labels,
    by_shape,
    correlations,
    gains_by_shape,
    gains_by_type,
    more_triples,
    other_sets,
)

__all__ = ["SYNTHKGQA"]

UNKNOWN = (
    "What it shows is not known to this list, which was made from the paper's public analysis."
)

SYNTHKGQA = Paper(
    name="synthkgqa",
    title="SynthKGQA (Cattaneo et al.)",
    version="arXiv 2511.04473v1",
    exhibits=(
        Exhibit("Table 1", "statistics of the data set", statistics),
        Exhibit("Table 2", "systems: answers and what was retrieved", benchmark),
        Exhibit(
            "Table 3",
            "transfer of trained retrievers to Mintaka",
            why="There is no reader of Mintaka, and its questions have no graph of their own.",
        ),
        Exhibit(
            "Table 4", "retrievers trained on shortest paths and on the ground truth", by_labels
        ),
        Exhibit("Table 5", "graph isomorphisms in training and test", by_class),
        Exhibit("Table 6", "ground truth and shortest paths by hops", supervision),
        Exhibit(
            "Table 7",
            "systems on other data sets",
            other_sets,
            "WebQSP and CWQ after `rulemine import`; Mintaka has no reader.",
        ),
        Exhibit("Table 8", "not described here", why=UNKNOWN),
        Exhibit(
            "Table 9",
            "trained retrievers, by run",
            why="Table 2 has a row for each run of a study, Table 4 their means.",
        ),
        Exhibit(
            "Figure 1",
            "how questions come about",
            why="A drawing; docs/subgraphs.md has it in words.",
        ),
        Exhibit("Figure 2", "hits by graph isomorphism", by_shape("hits_any")),
        Exhibit("Figure 3", "gains over a closed book, by what training lacks", gains_by_type),
        Exhibit(
            "Figure 4",
            "hits of a model shown the shortest paths, by the share of ground truth on them",
            why="`rulemine export supervision --model NAME` makes it, with Pearson's r: a model is asked.",
        ),
        Exhibit("Figure 5", "seed nodes, hops and answers", sizes_of_questions),
        Exhibit("Figure 6", "edges of the evidence", sizes_of_evidence),
        Exhibit("Figure 7", "relation types by frequency", relations),
        Exhibit("Figure 8", "complete and minimal graph isomorphisms", minimal_shapes),
        Exhibit("Figure 9", "shortest paths from seeds to answers", paths),
        Exhibit("Figure 10", "triple recall by graph isomorphism", by_shape("triple_recall")),
        Exhibit("Figure 11", "gains by graph isomorphism, by what training lacks", gains_by_shape),
        Exhibit("Figure 12", "not described here", why=UNKNOWN),
        Exhibit("Figure 13", "retrieval and hits over graph isomorphisms", correlations),
        Exhibit("Figure 14", "hits by the number of retrieved triples", more_triples),
    ),
)
