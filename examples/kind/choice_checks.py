"""What is special to multiple choice, checked by code of its own."""

from string import ascii_uppercase

from rulemine.verify.kinds import KindChecks


def check_question(here):
    """Checks that the hard answer is the only one of the choices that anything speaks for."""
    row, choices, types = here.row, here.block["choices"], here.contents.types
    here.equal("number of choices", len({*choices}), here.option("choices"))
    for letter, one in zip(ascii_uppercase, choices, strict=False):
        if f"{letter}) {one}" not in row["question"]:
            here.wrong("choices", row["question"], f"a text with {letter}) {one}")
    if row["answers"] != [row["hard_answer"]] or row["hard_answer"] not in choices:
        here.wrong("choices", choices, "the only answer, which is missing, and others")
    for one in sorted({*choices} - {row["hard_answer"]}):
        if one in row["anchors"] or here.derivable(one):
            here.wrong("choices", one, "what no graph states and no rule proves")
        if not types.get(row["hard_answer"], set()) <= types.get(one, set()):
            here.wrong("choices", one, "an entity of the types of the answer")


def named(row):
    """A text names its choices, the answer too."""
    return row["block"]["choices"]


CHECKS = KindChecks(question=check_question, named=named)
