"""Mined rules keep to the options of the build, as far as the manifest states them."""

from pathlib import Path
from typing import Any

import pytest

from rulemine.verify import verify
from tests.verify.tampering import change_manifest
from tests.verify.tiny import MANIFEST, write_release

# The rules: parent ∧ parent ⇒ grandparent (standard confidence 0.5), wife ⇒ husband.


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        ({"max_atoms": 3, "max_recursion": 2, "min_std_confidence": 0.5, "constants": False}, []),
        ({"head_relations": [], "body_relations": ["wife", "parent"], "injective": True}, []),
        ({"max_atoms": 2}, [1]),
        ({"max_recursion": 1}, [1]),
        ({"min_std_confidence": 0.6}, [1]),
        ({"min_pca_confidence": 1.0}, []),
        ({"head_relations": ["grandparent"]}, [2]),
        ({"body_relations": ["parent"]}, [2]),
        ({"exclude_relations": ["wife"]}, [2]),
        ({"exclude_relations": ["grandparent", "husband"]}, [1, 2]),
    ],
)
def test_mined_rules_keep_to_the_options(
    tmp_path: Path, options: dict[str, Any], lines: list[int]
) -> None:
    folder = write_release(tmp_path)
    change_manifest(folder, config=MANIFEST["config"] | {"mining": options})
    problems = verify(folder).problems
    assert [(p.invariant, p.line) for p in problems] == [("mining", line) for line in lines]
    change_manifest(folder, config=MANIFEST["config"] | {"mining": options, "rules": "mine.txt"})
    assert not verify(folder).problems, "rules that were given are what they are"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"max_atms": 3}, "no such option"),
        ({"max_atoms": True}, "a number"),
        ({"skyline": 1}, "true or false"),
        ({"head_relations": [["mother"]]}, "a list of names"),
        (3, "an object, in config"),
    ],
)
def test_options_that_cannot_be_are_named(tmp_path: Path, options: Any, expected: str) -> None:
    folder = write_release(tmp_path)
    change_manifest(folder, config=MANIFEST["config"] | {"mining": options})
    assert [(p.file, p.expected) for p in verify(folder).problems] == [("manifest.json", expected)]
