"""Messages: where, what, what was expected, what to do."""

import inspect

from rulemine import errors
from rulemine.errors import MOST_PROBLEMS_SHOWN, did_you_mean, list_problems
from tests import each


@each(
    ("problems", "expected"),
    [
        (["line 1 is bad"], "f: line 1 is bad. Fix it."),
        (["line 1 is bad."], "f: line 1 is bad. Fix it."),
        (["no 'x'; did you mean 'y'?"], "f: no 'x'; did you mean 'y'? Fix it."),
        (["one", "two"], "f:\n  one\n  two\nFix it."),
    ],
)
def test_problems_make_one_paragraph(problems, expected):
    assert list_problems("f", problems, "Fix it.") == expected


def test_the_rest_of_many_problems_is_counted():
    problems = [f"line {n}" for n in range(MOST_PROBLEMS_SHOWN + 7)]
    shown = list_problems("f", problems, "Fix it.").splitlines()
    assert shown[-3:] == [f"  line {MOST_PROBLEMS_SHOWN - 1}", "  … and 7 more", "Fix it."]


def test_a_misspelled_name_gets_the_closest_or_all():
    assert did_you_mean("famly", ["umls", "family"]) == "did you mean 'family'?"
    assert did_you_mean("usml", ["umls", "family"]) == "did you mean 'umls'?"
    assert did_you_mean("zzz", ["b", "a"]) == "known: a, b"


def test_there_is_one_tree_of_errors():
    kinds = [
        k for _, k in inspect.getmembers(errors, inspect.isclass) if k.__module__ == errors.__name__
    ]
    assert len(kinds) > 8
    assert all(issubclass(kind, errors.RulemineError) for kind in kinds)
    others = {kind for kind in kinds if not issubclass(kind, errors.UserError)}
    assert others == {errors.RulemineError, errors.NoReplyError}
