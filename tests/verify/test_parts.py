"""Parts of a verification, checked as other processes would: the same report."""

import json
import pickle
from pathlib import Path

from rulemine.verify import verifier, verify
from tests.verify.tiny import write_release


def elsewhere(function, items):
    """Calls a function that was pickled, the last item first."""
    sent = pickle.dumps(function)
    found = [pickle.loads(sent)(item) for item in reversed(items)]
    return reversed([pickle.loads(pickle.dumps(one)) for one in found])


def spoiled(folder: Path, name: str, key: str) -> None:
    """Changes a field of every other line of a file."""
    lines = (folder / name).read_text().splitlines()
    for at in range(0, len(lines), 2):
        row = json.loads(lines[at])
        row[key] = row[key][:-1] if isinstance(row[key], list) else row[key] + 1
        lines[at] = json.dumps(row)
    (folder / name).write_text("".join(f"{line}\n" for line in lines))


def test_parts_elsewhere_find_the_same_faults(tmp_path, monkeypatch):
    folder = write_release(tmp_path)
    assert verify(folder, run=elsewhere).ok
    spoiled(folder, "rules.jsonl", "support")
    spoiled(folder, "removed.jsonl", "directions")
    spoiled(folder, "questions/test.jsonl", "answers")
    expected = verify(folder)
    assert {p.file for p in expected.problems} >= {
        "rules.jsonl", "removed.jsonl", "questions/test.jsonl",
    }  # fmt: skip
    monkeypatch.setattr(verifier, "AT_ONCE", {"rules": 1, "removed": 3, "questions": 2})
    assert verify(folder, run=elsewhere) == expected
    assert verify(folder).to_text(1000) == expected.to_text(1000)
