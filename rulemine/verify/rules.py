"""The rules: what each line of ``rules.jsonl`` says, worked out again from its atoms alone.

Checks that every rule is closed, connected and safe; that its measures fit together and reach the thresholds
of the selection and the standards of proof; that rules are unique, name known relations, no entities, and no
relation that is kept out of bodies. `measures` counts them on the graph. Type and readable form are written
again.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from rulemine.verify.facts import sure_fraction
from rulemine.verify.folder import Folder
from rulemine.verify.names import Names
from rulemine.verify.report import Findings, shown
from rulemine.verify.shapes import RULE

__all__ = ["Atom", "HornRule", "check_rules", "check_thresholds"]

RULES = "rules.jsonl"

Atom = tuple[int, str, int]
"""A relation between two variables, each its index in the alphabet."""

MOST_BODY_ATOMS = 7
"""The longest body: no miner here writes longer ones, and to look for their idle atoms would take forever."""

_MEASURES = ("head_coverage", "std_confidence", "pca_confidence")

MOST_VARIABLES = 14


@dataclass(frozen=True, slots=True)
class HornRule:
    """A rule that is well formed.

    Attributes:
        line: Its line in ``rules.jsonl``.
        head: The head.
        body: The body atoms as written there.
        row: The line itself.
    """

    line: int
    head: Atom
    body: tuple[Atom, ...]
    row: dict[str, Any]

    @property
    def confidence(self) -> float:
        """The standard confidence."""
        return float(self.row["std_confidence"])

    @property
    def measures(self) -> dict[str, float]:
        """Head coverage, standard and PCA confidence."""
        return {key: self.row[key] for key in _MEASURES}


def check_rules(folder: Folder, names: Names | None, findings: Findings) -> dict[str, HornRule]:
    """Checks the file.

    Returns:
        Rule id → rule, of those whose form is right.
    """
    rules: dict[str, HornRule] = {}
    for number, row in folder.records(RULES, RULE):
        head, *body = [_atom(value) for value in (row["head"], *row["body"])]
        if problem := _form_problem(head, body):
            findings.add(RULES, number, "rule form", problem, "a closed, connected, safe rule")
            continue
        if names is not None and (lost := names.unknown((), [r for _, r, _ in (head, *body)])):
            findings.add(RULES, number, "names", shown(lost), "names of relations.tsv")
        _check_measures(row, number, findings)
        if row["id"] in rules:
            found = f"{row['id']} of line {rules[row['id']].line}"
            findings.add(RULES, number, "rules unique", found, "each rule once")
        rules[row["id"]] = HornRule(number, head, tuple(body), row)
    removes = folder.option("selection", "mode") != "none"
    if removes != bool(rules):
        found, expected = ("none", "at least one") if removes else (f"{len(rules)}", "none")
        findings.add(
            RULES, None, "rules", found, f"{expected}: config.selection.mode of the manifest"
        )
    findings.count("rules", len(rules))
    return rules


def check_thresholds(folder: Folder, rules: dict[str, HornRule], findings: Findings) -> None:
    """Checks that the rules reach the confidences and the standards, and what may be in bodies."""
    least = folder.option("selection", "min_sure_confidence")
    least = least if type(least) in (int, float) else 0.0
    floors = folder.option("selection", "min_std_confidence")
    floors = floors if isinstance(floors, list) and floors else [floors]
    good = all(type(floor) in (int, float) for floor in floors)
    barred = set(folder.manifest["kg"].get("dropped", {}))
    for rule in rules.values():
        floor = floors[min(len(rule.body), len(floors)) - 1]
        if good and rule.confidence < floor:
            expected = f"at least {floor} (manifest, config.selection.min_std_confidence)"
            found = f"std_confidence {rule.confidence}"
            findings.add(RULES, rule.line, "thresholds", found, expected)
        support, size = rule.row["support"], rule.row["body_size"]
        # What is more than all was found above. Roots differ in their last bits.
        if support <= size and sure_fraction(support, size) < least - 1e-9:
            expected = f"at least {least} (manifest, config.selection.min_sure_confidence)"
            found = f"{sure_fraction(support, size):.4f}, which {support} of {size} bear out"
            findings.add(RULES, rule.line, "thresholds", found, expected)
        if kept_out := sorted(barred & {r for _, r, _ in rule.body}):
            expected = "no excluded relation in a body (manifest, kg.dropped)"
            findings.add(RULES, rule.line, "thresholds", shown(kept_out), expected)
        for standard in folder.manifest["kg"].get("standards", ()):
            if rule.confidence < standard["min_std_confidence"] and _holds_for(standard, rule):
                expected = f"at least {standard['min_std_confidence']} (manifest, kg.standards)"
                found = f"std_confidence {rule.confidence}"
                findings.add(RULES, rule.line, "thresholds", found, expected)


def _holds_for(standard: dict[str, Any], rule: HornRule) -> bool:
    """Whether a standard of proof is about rules with these relations."""
    bodies = [relation for _, relation, _ in rule.body]
    only, some = standard["body_only"], standard["body_any"]
    if rule.head[1] in standard["head_not"] or rule.head[1] not in (
        standard["head"] or [rule.head[1]]
    ):
        return False
    outside = [relation for relation in bodies if relation not in only]
    return not (only and outside) and (not some or any(relation in some for relation in bodies))


def _check_measures(row: dict[str, Any], number: int, findings: Findings) -> None:
    support, body, pca = row["support"], row["body_size"], row["pca_body_size"]
    if not (support <= pca <= body and support <= row["head_size"]):
        found = f"{support}, {pca}, {body}, head size {row['head_size']}"
        expected = "support ≤ PCA body size ≤ body size, support ≤ head size"
        findings.add(RULES, number, "measures", found, expected)
    for name, size in zip(_MEASURES, (row["head_size"], body, pca), strict=True):
        if row[name] != support / size:
            found, expected = f"{name} {row[name]}", f"{support} / {size} = {support / size}"
            findings.add(RULES, number, "measures", found, expected)


def _atom(value: list[Any]) -> Atom:
    subject, target = (ord(variable[1]) - ord("a") for variable in value[::2])
    return (subject, value[1], target)


def _variables(atom: Atom) -> set[int]:
    return {atom[0], atom[2]}


def _form_problem(head: Atom, body: list[Atom]) -> str | None:
    if len(body) > MOST_BODY_ATOMS:
        return f"{len(body)} body atoms"
    if head[::2] not in ((0, 1), (0, 0)):
        return "a head whose variables are not ?a (subject) and ?b (object)"
    if head in body:
        return "the head among the body atoms"
    times = Counter(v for atom in (head, *body) for v in _variables(atom))
    if loose := sorted(v for v, n in times.items() if n < 2):
        return f"variable(s) {', '.join('?' + chr(97 + v) for v in loose)} in one atom only"
    if max(times) >= MOST_VARIABLES:
        return f"more than {MOST_VARIABLES} variables"
    reached, grown = _variables(head), True
    while grown:
        grown = False
        for atom in body:
            if (found := _variables(atom)) & reached and not found <= reached:
                reached |= found
                grown = True
    if any(_variables(atom) - reached for atom in body):
        return "a body that is not connected with the head"
    return None
