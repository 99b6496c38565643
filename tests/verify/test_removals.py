from pathlib import Path

import pytest

from rulemine.verify import verify
from rulemine.verify.graph import Priors
from tests.verify.tampering import edited, put
from tests.verify.tiny import seal, write_release


@pytest.mark.parametrize(("prior", "core"), [(0.05, True), (0.06, False)])
def test_a_triple_is_of_the_core_where_both_its_answers_are_rare(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prior: float, core: bool
) -> None:
    folder = write_release(tmp_path)
    edited("removed.jsonl", 1, put("core", to=True))(folder)
    seal(folder)
    monkeypatch.setattr(Priors, "of", lambda *_: {"subject": prior, "object": 0.01})
    found = {(p.file, p.line, p.invariant) for p in verify(folder).problems}
    assert (("removed.jsonl", 1, "core") in found) != core
