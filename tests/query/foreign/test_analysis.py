import json
from pathlib import Path
from typing import Any

import pytest

from rulemine.errors import InputError
from rulemine.kg.facts import Declarations
from rulemine.query.foreign.analysis import Analysis, analyze
from rulemine.query.structures import STRUCTURES

NS = "PREFIX ns: <http://rdf.freebase.com/ns/> SELECT DISTINCT ?x WHERE"
ONE = f"{NS} {{ FILTER (?x != ns:m.a) ns:m.a ns:r ?x }}"
CHAIN = f"{NS} {{ ns:m.a ns:r ?y . ?y ns:s ?x }}"
BOTH = "(AND c.c (AND (JOIN r m.a) (JOIN s m.b)))"


def of(tmp_path: Path, content: Any) -> Analysis:
    path = tmp_path / "set"
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return analyze(path)


def counts(analysis: Analysis) -> dict[str, int]:
    return {name: number for name, number in analysis.structures.items() if number}


def test_one_query_a_line_in_any_language(tmp_path: Path) -> None:
    lines = ["", ONE, CHAIN, "  " + BOTH, '(or (p "r" "a") (p- "r" "a"))', '"a"', f"(COUNT {BOTH})"]
    analysis = of(tmp_path, "\n".join(lines) + "\n\n")
    assert (analysis.questions, analysis.data_set, analysis.unreadable) == (6, "", 0)
    assert list(analysis.structures) == list(STRUCTURES)
    assert counts(analysis) == {"1p": 1, "2p": 1, "2i": 2, "2u": 1}
    assert analysis.shapes == {"(0)": 1}
    assert analysis.qualifiers == {"type": 2, "COUNT": 1, "FILTER": 1}


def test_webqsp_counts_the_first_parse(tmp_path: Path) -> None:
    first = {"ParseId": "P0", "Sparql": ONE}
    questions = [{"Parses": [first]}, {"Parses": [first, {"Sparql": CHAIN}]}, {"Parses": []}]
    analysis = of(tmp_path, {"Version": "1.0", "Questions": questions})
    assert (analysis.data_set, analysis.several_parses) == ("WebQSP", 1)
    assert counts(analysis) == {"1p": 2}
    assert analysis.problems == (
        "question 3: Sparql is missing; expected text in Parses, s_expression, query, sparql, "
        "sparql_query.",
    )


def test_cwq_and_grailqa(tmp_path: Path) -> None:
    cwq = [{"ID": "a", "compositionality_type": "composition", "sparql": "#MANUAL\n" + CHAIN}]
    assert counts(of(tmp_path, cwq)) == {"2p": 1}
    assert of(tmp_path, cwq).data_set == "CWQ"
    grail = [{"qid": 1, "s_expression": BOTH, "sparql_query": ONE}]
    text = "\n".join(json.dumps(record) for record in grail * 2)
    for analysis in (of(tmp_path, grail), of(tmp_path, text), of(tmp_path, grail[0])):
        assert analysis.data_set == "GrailQA"
        assert counts(analysis) == {"2i": analysis.questions}
    assert json.loads(analysis.to_json())["published_per_1000"]["1p"] == 784


def test_a_list_of_queries_and_records_of_other_sets(tmp_path: Path) -> None:
    assert counts(of(tmp_path, [ONE, CHAIN, {"sparql_query": ONE}])) == {"1p": 2, "2p": 1}


def test_declared_statements_of_one_fact_are_one_link(tmp_path: Path) -> None:
    (tmp_path / "set").write_text('{"query": "(or (p \\"r\\" \\"a\\") (p- \\"r\\" \\"a\\"))"}')
    assert counts(analyze(tmp_path / "set", Declarations.of(symmetric=["r"]))) == {"1p": 1}
    assert counts(analyze(tmp_path / "set")) == {"2u": 1}


def test_all_is_counted_once_and_shown(tmp_path: Path) -> None:
    cycle = f"{NS} {{ ns:m.a ns:r ?y . ?y ns:s ?x . ?y ns:t ?x }}"
    five = f"{NS} {{ ns:m.a ns:r/ns:r/ns:r/ns:r/ns:r ?x }}"
    bad = ["SELECT", '{"query": 3}', "{", *["(JOIN)"] * 9]
    analysis = of(tmp_path, "\n".join([ONE, cycle, five, five, BOTH, *bad]))
    assert counts(analysis) == {"1p": 1, "2i": 1}
    assert (analysis.shapes, analysis.no_tree) == ({"(5)": 2}, {"a cycle": 1})
    assert (analysis.questions, analysis.unreadable) == (17, 12)
    lines = analysis.to_table().splitlines()
    assert lines[:4] == [
        "17 questions",
        "",
        "structure    questions  per 1,000",
        "1p                   1      200.0",
    ]
    shown = "\n".join(lines[12:])
    for part in [
        "other                3      600.0",
        "other shapes\n        2  (5)",
        "no tree, because of\n        1  a cycle",
        "which are dropped\n        1  FILTER\n        1  type",
        "unreadable, and not in the table: 12",
        "line 6: column 7: no SPARQL",
        "line 7: query is 3; expected text",
        "line 8: it is not valid JSON",
        "line 9: JOIN has 0 operands",
        "  … and 2 more",
    ]:
        assert part in shown
    assert len(json.loads(analysis.to_json())["problems"]) == 12


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b" \n\n", "set: is empty; queries were expected"),
        (b"[" * 100_000, "is not valid JSON .it is nested too deeply"),
        (b'[{"sparql": "SEL', "is not valid JSON .*give one query a line"),
        (b"x\n" * 1_000_001, "holds 1,000,001 questions or lines; at most 1,000,000 are read"),
        (b"[" + b"1," * 1_000_000 + b"1]", "holds 1,000,001 questions"),
        (b"[]", "holds no list of questions"),
        (b'{"Questions": 3}', "holds no list of questions"),
        (b"\xff\xfe\x00\x00", "byte order mark"),
        (b"\xe9t\xe9", "line 1 is not UTF-8"),
        (b"hello\nworld\n", "set:\n  line 1: column 1: no SPARQL from here on: hello"),
        (b'["\\ud800", 3, null]', "question 1: .*\\?\n  question 2: its query is 3"),
        (b"x\n" * 3000, "line 10: .*\n  … and 2990 more\nOne query a line"),
    ],
)
def test_bad_files(tmp_path: Path, content: bytes, expected: str) -> None:
    (tmp_path / "set").write_bytes(content)
    with pytest.raises(InputError, match=expected):
        analyze(tmp_path / "set")
