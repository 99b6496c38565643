"""What a build by a model takes is told before: here beside what it takes of one that does as it is told."""

import re
from typing import Any

import pytest

from tests.chat_server import KEY, ChatServer, FakeModel, completion
from tests.evaluation.world import write_release

SMALL = {
    "rules": ("kg.tsv", "--rules", "rules.txt", "--set", "selection.share=0.05",
              "--set", "verbalizer.judge_model=j", "--set", "verbalizer.paraphrases=2"),
    "structures": ("structures-demo", "--set", "selection.share=0", "--set", "structures.per_structure=2"),
    "cypher": ("cypher-demo", "--set", "selection.share=0", "--set", "cypher.per_template=1"),
    "subgraphs": ("subgraphs-demo", "--set", "selection.share=0", "--set", "subgraphs.questions=12",
                  "--set", "verbalizer.judge_model=j", "--set", "verbalizer.rewriter_model=r"),
    "variants": ("variants-demo", "--set", "selection.share=0", "--set", "variants.questions=12",
                 "--set", 'variants.judges=["j"]'),
}  # fmt: skip
REASON = (
    "It reads as a person would ask it, and nothing in it names or describes what is asked for."
)


class Model(FakeModel):
    """The fake model, with reasons as long as those of a capable one."""

    @staticmethod
    def _decided(flags: dict[str, Any]) -> dict[str, Any]:
        return {**FakeModel._decided(flags), **{f"{name}_reasoning": REASON for name in flags}}


def numbers(dry: str) -> list[list[int]]:
    """Calls, tokens sent and tokens received of an estimate: each typical, and at most."""
    found = []
    for name in ("calls", "tokens sent", "tokens received"):
        line = re.search(rf"^{name} +([\d,]+).*?, at most ([\d,]+)", dry, re.MULTILINE)
        assert line is not None, dry
        found.append([int(number.replace(",", "")) for number in line.groups()])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*SMALL, "judge"])
def test_typical_is_within_twice_and_the_worst_is_never_less(kind, here, command, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    took = [0, 0, 0]

    def says(request: dict[str, Any], times: int) -> dict[str, Any]:
        body = completion(request, Model().answer(request))
        usage = body["usage"]
        for place, more in enumerate((1, usage["prompt_tokens"], usage["completion_tokens"])):
            took[place] += more
        return body

    with ChatServer(says) as server:
        model = ("--set", f"endpoint.base_url={server.url}")
        if kind == "judge":
            release = write_release(here / "small").path
            to = ("-o", "judged.jsonl", "--judge", "m", *model)
            words = ("evaluate", str(release), "--split", "all", *to)
        else:
            more = ("--model", "m", "--naming", "text", "--set", "questions.split=random")
            words = ("build", *SMALL[kind], "-o", "out/x", *model, *more)
        dry = command(*words, "--dry-run")
        assert dry.status == 0, dry.err
        assert not server.bodies
        ended = command(*words)
        assert ended.status == 0, ended.err
    for (typical, most), actual in zip(numbers(dry.out), took, strict=True):
        assert actual <= most
        assert actual / 2 <= typical <= 2 * actual, (dry.out, took)
