"""Ways to group questions, and what there is of a kind that is not installed."""

from dataclasses import replace

from rulemine.evaluation.breakdown import breakdowns, group_titles
from rulemine.kinds.group import Group
from rulemine.kinds.registry import KINDS, form_of
from rulemine.release.groups import groups_of
from tests import each
from tests.written_releases import variants


@each(
    ("least", "labels", "shown"),
    [
        (2, ["b", "10", "9", "a", "", "z"], ["z", "a", "9", "10", "b"]),
        (1, ["y"], ["y"]),
        (0, ["b"], ["z", "y", "a", "b"]),
    ],
)
def test_named_groups_come_first_then_numbers_then_texts(least, labels, shown):
    group = Group("key", "title", lambda q, _: "", ("z", "y", "a"), least)
    assert group.ordered(labels) == shown


def test_a_kind_that_is_not_installed_has_the_groups_of_all() -> None:
    parts = variants()
    known, unknown = parts.questions, [replace(q, kind="riddles") for q in parts.questions]
    of_all, of_variants = (
        [found.name for found in breakdowns(asked, parts.removals, parts.levels)]
        for asked in (unknown, known)
    )
    own = [group.key for group in KINDS["variants"].groups[1:]]
    assert of_all == [name for name in of_variants if name not in own] != of_variants
    assert set(of_all) <= set(group_titles("riddles"))
    assert [form_of(q) for q in unknown] == [q.structure for q in unknown]
    assert sorted(i for group in groups_of(unknown) for i in group) == [*range(len(unknown))]


@each("kind", KINDS)
def test_no_kind_has_two_groups_of_a_key_or_a_title(kind: str) -> None:
    titles = group_titles(kind)
    assert len(set(titles.values())) == len(titles)
    assert KINDS[kind].groups[0].key in titles
    assert {group.key for group in KINDS[kind].groups} & {*group_titles("riddles")} <= {"structure"}
