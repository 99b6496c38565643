"""What a session with a model costs, against a fake endpoint in a process of its own, over real HTTP.

    python benchmarks/llm.py [--calls 10000] [--concurrency 64] [--latency-ms 50] [--failures 0.1] [--plain]

Prints wall seconds, CPU seconds of this process (user + system, the import of the client included), peak
resident memory, requests, calls lost and calls asked again after a good answer. The throughput is compared
with what latency and concurrency allow, in two ways: ``ideal`` is a server that never fails,
calls × latency / concurrency; ``allowed`` counts every request, failed ones too, as if none took longer.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from rulemine.llm.call import Ask, Call, Message, Reply
from rulemine.llm.options import EndpointOptions
from rulemine.llm.session import open_session

FAKE = Path(__file__).parents[1] / "examples" / "fake_endpoint.py"
SCHEMA = {
    "type": "object",
    "properties": {"question": {"type": "string"}},
    "required": ["question"],
    "additionalProperties": False,
}
PADDING = "Write one question that asks for all entities that fit. Keep the direction. " * 15
"""So that prompts are as long as real ones."""


def call_of(number: int, attempt: int = 0) -> Call:
    """A call as the verbalizer makes it."""
    entity = f"e{number:05}"
    prompt = (
        f"Question Entity: {entity}\nAsked For: the aunts of {entity}\n{PADDING}\nAttempt {attempt}"
    )
    system = "You turn facts of a knowledge graph into questions."
    return Call(
        "question", entity, "fake", "question/1", "0" * 64,
        (Message("system", system), Message("user", prompt)), 300, schema=SCHEMA,
    )  # fmt: skip


def main() -> int:
    """Runs it and prints the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--latency-ms", type=float, default=50)
    parser.add_argument("--failures", type=float, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--plain", action="store_true")
    given = parser.parse_args()
    flags = [
        "--port",
        "0",
        "--latency-ms",
        str(given.latency_ms),
        "--failures",
        str(given.failures),
    ]
    flags += ["--seed", str(given.seed), *(["--plain"] if given.plain else [])]
    command = [sys.executable, str(FAKE), *flags]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = server.stdout.readline().split()[0]
        try:
            measure(given, url)
        finally:
            server.terminate()
    return 0


def measure(given: argparse.Namespace, url: str) -> None:
    """Asks all calls and prints what it took."""

    async def converse(ask: Ask, number: int) -> bool:
        for attempt in range(5):
            answer = await ask(call_of(number, attempt))
            if not isinstance(answer, Reply):
                return False
            if answer.finish_reason == "stop" and f"e{number:05}" in answer.text:
                return True
        return False

    options = EndpointOptions(
        base_url=url, concurrency=given.concurrency, timeout=given.timeout, structured="auto"
    )
    works = [lambda ask, n=n: converse(ask, n) for n in range(given.calls)]
    with tempfile.TemporaryDirectory() as folder:
        start, cpu = time.monotonic(), os.times()
        with open_session(options, Path(folder) / "journal.jsonl", status=print) as session:
            done = session.run(works)
            tally = session.tally
        wall = time.monotonic() - start
        end = os.times()
    usage = resource.getrusage(resource.RUSAGE_SELF)
    with urllib.request.urlopen(url.removesuffix("/v1") + "/counts") as answer:
        counts = json.load(answer)
    latency = given.latency_ms / 1000
    faults = counts["faults"]
    ideal = given.calls * latency / given.concurrency
    allowed = counts["requests"] * latency / given.concurrency
    print(f"wall {wall:.2f} s, CPU {end.user - cpu.user + end.system - cpu.system:.2f} s "
          f"(user {usage.ru_utime:.2f}, system {usage.ru_stime:.2f} with start-up), "
          f"peak {usage.ru_maxrss / 1024:.0f} MB")  # fmt: skip
    print(f"calls {given.calls}, lost {done.count(False)}, requests {counts['requests']}, asked again "
          f"after a good answer {counts['asked_again_after_a_good_answer']}, "
          f"failures {sum(faults.values())}, most at once {counts['most_at_once']}")  # fmt: skip
    print(f"throughput {given.calls / wall:.0f} calls/s: {100 * ideal / wall:.0f} % of ideal, "
          f"{100 * allowed / wall:.0f} % of allowed; {tally}")  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
