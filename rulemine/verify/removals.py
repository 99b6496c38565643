"""The certificates: every removed triple can still be proved from the incomplete KG.

Checks for each certificate that its rule exists, that body and head are an instance of that rule under
one substitution, that the whole body is in the incomplete KG (so no removed triple is in any body) and
that the head is not in its own body; that certificates are unique; and that no rule has more certificates
than the per-rule cap of the build.
"""

from collections import Counter

from rulemine.verify.graphs import INCOMPLETE, REMOVED, Removed, as_triple
from rulemine.verify.proofs import Bindings, match
from rulemine.verify.question_set import Located
from rulemine.verify.report import Findings, shown
from rulemine.verify.rules import RULES, HornRule
from rulemine.verify.triples import Graph, Triple

__all__ = ["check_asked", "check_certificates"]


def check_certificates(
    removed: dict[Triple, Removed],
    rules: dict[str, HornRule],
    incomplete: Graph | None,
    cap: int | None,
    findings: Findings,
) -> None:
    """Checks all certificates of ``removed.jsonl``.

    Args:
        removed: The removed triples.
        rules: Rules by id.
        incomplete: The incomplete KG; None if it cannot be read.
        cap: Most certificates per rule; None if unknown.
        findings: Collects the problems.
    """
    used: Counter[str] = Counter()
    for head, record in removed.items():
        if len(set(record.certificates)) != len(record.certificates):
            found = "a duplicate certificate"
            findings.add(REMOVED, record.line, "certificates unique", found, "unique certificates")
        for place, (rule, body) in enumerate(record.certificates, start=1):
            used[rule] += 1
            where = f"certificate {place}: "
            for invariant, found, expected in certificate_problems(head, rule, body, rules):
                findings.add(REMOVED, record.line, invariant, where + found, expected)
            if incomplete is None:
                continue
            for triple in body:
                if triple not in incomplete:
                    why = "which is removed" if triple in removed else "which is not in the KG"
                    found = f"{where}{shown(triple)}, {why}"
                    expected = f"triples of {INCOMPLETE} only"
                    findings.add(REMOVED, record.line, "body survives", found, expected)
    findings.count("certificates", used.total())
    for rule, number in sorted(used.items()):
        if cap is not None and number > cap:
            line = rules[rule].line if rule in rules else None
            found = f"{number} certificates of rule {rule}"
            findings.add(RULES, line, "per-rule cap", found, f"at most {cap} (manifest, config)")


def certificate_problems(
    head: Triple, rule_id: str, body: tuple[Triple, ...], rules: dict[str, HornRule]
) -> list[tuple[str, str, str]]:
    """The problems of a proof, as (invariant, found, expected); empty if it is one."""
    rule = rules.get(rule_id)
    if rule is None:
        return [("certificate rule", shown(rule_id), f"the id of a rule in {RULES}")]
    problems = []
    if head in body:
        problems.append(("head not in body", shown(head), "a body without the head"))
    bindings: Bindings = {}
    if len(body) != len(rule.body):
        found, expected = f"{len(body)} triple(s)", f"{len(rule.body)}, as the body of the rule"
        problems.append(("instance of its rule", found, expected))
    elif not match(rule.head, head, bindings):
        expected = f"an instance of the head of rule {rule_id}"
        problems.append(("instance of its rule", shown(head), expected))
    else:
        for number, (atom, triple) in enumerate(zip(rule.body, body, strict=True), start=1):
            if not match(atom, triple, bindings):
                expected = f"an instance of body atom {number} of rule {rule_id}, same substitution"
                problems.append(("instance of its rule", shown(triple), expected))
                break
    return problems


def check_asked(
    removed: dict[Triple, Removed],
    questions: list[Located],
    rejections: list[Located],
    findings: Findings,
) -> None:
    """Checks that certificates match questions and rejections one to one."""
    made: Counter[tuple[Triple, str]] = Counter()
    for here in (*questions, *rejections):
        made[as_triple(here.row["removed"]), here.row["rule"]] += 1
    held = Counter(
        (triple, rule) for triple, record in removed.items() for rule, _ in record.certificates
    )
    invariant = "a question or a rejection for each certificate"
    for (triple, rule), number in sorted((held - made).items()):
        found = f"{number} certificate(s) of rule {rule} without a question or rejection"
        findings.add(REMOVED, removed[triple].line, invariant, found, "one for each")
    for here in rejections:
        if not held[as_triple(here.row["removed"]), here.row["rule"]]:
            found = f"{shown(here.row['removed'])} by rule {here.row['rule']}"
            findings.add(here.file, here.line, "certificate", found, f"a certificate of {REMOVED}")
    for triple, rule in sorted(made - held):
        if (triple, rule) in held:
            found = f"{made[triple, rule]} questions and rejections of rule {rule}"
            expected = f"{held[triple, rule]}, one for each certificate"
            findings.add(REMOVED, removed[triple].line, invariant, found, expected)
