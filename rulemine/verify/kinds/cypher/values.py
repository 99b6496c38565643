"""The removed values: each can still be read from the incomplete graph, by the rule of its certificate.

Checks that each is removed once and is that of the complete graph; that no rule speaks of a name; that the
path of its certificate follows the steps of its rule from its node, along edges of the incomplete graph;
that the value at its end, or its year, is the removed one; and that the rule says no other value there. Of
the rules: that their text is what they say, with its id; that certificates name them; how often they are
right, counted on the complete graph, and that they are sure enough for the recipe. And that each level has
its share.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from rulemine.verify.contents import Row
from rulemine.verify.folder import Folder
from rulemine.verify.graphs import as_triple
from rulemine.verify.kinds.cypher.graphs import LabeledGraph, NodeProperty
from rulemine.verify.kinds.cypher.records import REMOVED_VALUE, VALUE_RULE
from rulemine.verify.report import Findings, shown

__all__ = ["REMOVED_VALUES", "VALUE_RULES", "check_values", "read_values"]

REMOVED_VALUES, VALUE_RULES = "removed_values.jsonl", "value_rules.jsonl"

CLOSE = 1e-9
"""Relative difference of two quotients of the same numbers."""

Values = dict[NodeProperty, tuple[int, Row]]
"""Node and property → line, and the record of a removed value."""


_Ends = dict[tuple[int, str, str], list[tuple[Any, list[str]]]]
"""Graph, rule, the last node but one → the values at the ends of the last step, each with two of them."""


def read_values(folder: Folder, findings: Findings) -> Values:
    """Reads the removed values."""
    found: Values = {}
    rows = folder.records(REMOVED_VALUES, REMOVED_VALUE) if folder.has(REMOVED_VALUES) else ()
    for line, row in rows:
        key = row["node"], row["property"]
        if key in found:
            expected = "each value once"
            findings.add(REMOVED_VALUES, line, "values unique", shown(key), expected)
        found[key] = line, row
    if [*found] != sorted(found):
        findings.add(REMOVED_VALUES, None, "values sorted", "another order", "by node, property")
    findings.count("removed values", len(found))
    return found


def check_values(
    folder: Folder,
    values: Values,
    complete: LabeledGraph,
    incomplete: LabeledGraph,
    findings: Findings,
) -> None:
    """Checks removed values, their rules, and the sizes of the levels."""
    rules: dict[str, Row] = {}
    ends: _Ends = {}
    lines = folder.records(VALUE_RULES, VALUE_RULE) if folder.has(VALUE_RULES) else ()
    named = {row["certificate"]["rule"] for _, row in values.values()}
    for line, row in lines:
        rules[row["id"]] = row
        for problem in _rule_problems(row, complete, folder):
            findings.add(VALUE_RULES, line, *problem)
        if row["id"] not in named:
            found = shown(row["text"])
            findings.add(VALUE_RULES, line, "rule used", found, "a rule of some certificate")
    for key, (line, row) in values.items():
        for problem in _problems(key, row, rules, complete, incomplete, ends):
            findings.add(REMOVED_VALUES, line, *problem)
    findings.count("value rules", len(rules))
    for level in folder.levels:
        gone = sum(row["level"] <= level for _, row in values.values())
        exact = len(values) * level / 100
        if values and abs(gone - max(1.0, exact)) > 1:
            found = f"{gone} of {len(values)} values removed at level {level}"
            findings.add(REMOVED_VALUES, None, "level size", found, f"{exact:.1f}, within 1")


def _problems(
    key: NodeProperty,
    row: Row,
    rules: dict[str, Row],
    complete: LabeledGraph,
    incomplete: LabeledGraph,
    ends: _Ends,
) -> Iterator[tuple[str, str, str]]:
    """What is wrong with a removed value: invariant, found, expected."""
    node, name = key
    proof, value = row["certificate"], row["value"]
    held = complete.values.get(node, {}).get(name)
    if held is None or held != value or type(held) is not type(value):
        yield "removed ⊆ complete", shown(value), f"{shown(held)}, its value"
    rule = rules.get(proof["rule"])
    if rule is None:
        yield "certificate rule", shown(proof["rule"]), f"the id of a rule in {VALUE_RULES}"
        return
    if (complete.types.get(node), name) != (rule["type"], rule["property"]):
        found = f"{complete.types.get(node)}.{name}"
        yield "certificate rule", found, f"what the rule speaks of: {shown(rule['text'])}"
    at, seen = node, [node]
    path = list(map(as_triple, proof["path"]))
    for triple, step in zip(path, rule["path"], strict=False):
        if triple not in incomplete.triples:
            yield "certificate survives", shown(triple), "a triple of the incomplete graph"
        here, there = (triple[0], triple[2]) if step["outward"] else (triple[2], triple[0])
        follows = here == at and triple[1] == step["relation"] and there not in seen
        if not follows or complete.types.get(there) != step["type"]:
            yield "instance of its rule", shown(triple), f"a step of {shown(rule['text'])}"
        at = there
        seen.append(there)
    source = proof["property"]
    if len(path) != len(rule["path"]) or at != proof["node"] or source != rule["source"]:
        found = f"{len(path)} steps to {shown(at)}, {proof['node']}.{source}"
        yield "instance of its rule", found, shown(rule["text"])
    given = _value(incomplete, proof["node"], source, rule["function"])
    if given is None or given != value:
        yield "certificate gives the value", shown(given), shown(value)
    inferred = _said(incomplete, rule, node, ends)
    if inferred != [value]:
        yield "the rule says one value", shown(inferred), shown([value])


def _value(graph: LabeledGraph, node: str, name: str, function: str) -> Any:
    """A value as a rule takes it; None: there is none."""
    value = node if name == "name" else graph.values.get(node, {}).get(name)
    if function != "year" or value is None:
        return value
    try:
        return int(value[:4])
    except (TypeError, ValueError):
        return None  # no date


def _said(graph: LabeledGraph, rule: Row, node: str, known: _Ends) -> list[Any]:
    """The different values at the ends of the paths of a rule from a node; no node is twice in a path."""
    path = rule["path"]
    if not path:
        value = _value(graph, node, rule["source"], rule["function"])
        return [] if value is None else [value]
    before = [node] if len(path) == 1 else [n for n in _reached(graph, path[0], node) if n != node]
    found: list[Any] = []
    for middle in before:
        key = id(graph), rule["id"], middle
        if key not in known:
            known[key] = _at_ends(graph, rule, middle)
        for value, ends in known[key]:
            if value not in found and any(end != node for end in ends):
                found.append(value)
    return found


def _reached(graph: LabeledGraph, step: Row, node: str) -> list[str]:
    near, far = ("subject", "object") if step["outward"] else ("object", "subject")
    ends = (str(getattr(e, far)) for e in graph.leading.get((step["relation"], near, node), ()))
    return [end for end in ends if graph.types[end] == step["type"]]


def _at_ends(graph: LabeledGraph, rule: Row, middle: str) -> list[tuple[Any, list[str]]]:
    found: dict[str, tuple[Any, list[str]]] = {}
    for end in _reached(graph, rule["path"][-1], middle):
        value = _value(graph, end, rule["source"], rule["function"])
        if end != middle and value is not None:
            ends = found.setdefault(json.dumps(value), (value, []))[1]
            if len(ends) < 2 and end not in ends:
                ends.append(end)
    return list(found.values())


def _rule_problems(
    rule: Row, complete: LabeledGraph, folder: Folder
) -> Iterator[tuple[str, str, str]]:
    ends = [rule["type"], *(step["type"] for step in rule["path"])]
    source = f"{ends[-1]}.{rule['source']}"
    text = f"{rule['type']}.{rule['property']} = "
    text += source if rule["function"] == "same" else f"{rule['function']}({source})"
    if rule["path"]:
        text += f" over ({rule['type']})"
    for step in rule["path"]:
        arrow = f"-[:{step['relation']}]-"
        text += f"{arrow}>({step['type']})" if step["outward"] else f"<{arrow}({step['type']})"
    if rule["text"] != text:
        yield "rule", shown(rule["text"]), shown(text)
    if not hashlib.sha256(rule["text"].encode()).hexdigest().startswith(rule["id"]):
        yield "rule id", shown(rule["id"]), "the first digits of the SHA-256 of its text"
    if rule["property"] == "name":
        yield "rule", shown(rule["text"]), "names stay"
    values: list[Any] = []
    right = 0
    seen: _Ends = {}
    for node in complete.of_type.get(rule["type"], ()):
        own, inferred = (
            complete.values[node].get(rule["property"]),
            _said(complete, rule, node, seen),
        )
        if own is not None and len(inferred) == 1:
            values.append(str(own))
            right += own == inferred[0]
    known = len(values)
    commonest = max(Counter(values).values(), default=0)
    counted = {"support": right, "known": known}
    shares = {"confidence": right, "prior": commonest}
    for key, number in counted.items():
        if rule[key] != number:
            yield key, shown(rule[key]), f"{number}, counted on the complete graph"
    for key, number in shares.items():
        share = number / known if known else 0.0
        if abs(rule[key] - share) > CLOSE:
            yield key, shown(rule[key]), f"{share}, counted on the complete graph"
    for key, option in (("confidence", "value_confidence"), ("support", "value_support")):
        least = folder.option(folder.kind, option)
        if type(least) in (int, float) and rule[key] < least:
            yield (
                "thresholds",
                f"{key} {rule[key]}",
                f"{least} or more (manifest, config.{folder.kind})",
            )
