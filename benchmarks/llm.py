"""What a session with a model costs, against a fake endpoint in a process of its own, over real HTTP.

    python benchmarks/llm.py [--calls 10000] [--concurrency 64] [--latency-ms 50] [--failures 0.1] [--kills 3]

Prints wall seconds, CPU seconds and peak memory of the process that asks, the calls that were lost and those
that were asked again after a good answer. With --kills that process is killed so often on its way: what was
in flight then may be asked again, nothing else.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from scale import measure

from rulemine.llm import Call, EndpointOptions, Reply, Session
from rulemine.llm.call import Ask

FAKE = Path(__file__).parents[1] / "examples" / "fake_endpoint.py"
PADDING = "Write one question that asks for all entities that fit. Keep the direction. " * 15
"""So that prompts are as long as real ones."""


async def converse(ask: Ask, number: int) -> bool:
    """Asks until the reply names the entity."""
    prompt = f"Question Entity: e{number:05}\nAsked For: the aunts of e{number:05}\n{PADDING}"
    call = Call("fake", [{"role": "user", "content": prompt}], max_tokens=300)
    answer = await ask(call)
    return isinstance(answer, Reply) and f"e{number:05}" in answer.text


def ask_all(url: str, calls: int, concurrency: int, journal: Path) -> None:
    """What the measured process does."""
    options = EndpointOptions(base_url=url, concurrency=concurrency, timeout=10)
    with Session(options, journal, print) as session:
        works = [lambda ask, n=n: converse(ask, n) for n in range(calls)]
        print(f"lost {session.run(works).count(False)}, {session.usage}")


def counts(url: str) -> dict[str, int]:
    """What the endpoint was asked."""
    with urllib.request.urlopen(url.removesuffix("/v1") + "/counts") as answer:
        found: dict[str, int] = json.load(answer)
        return found


def main() -> None:
    """Runs it and prints the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--latency-ms", type=float, default=50)
    parser.add_argument("--failures", type=float, default=0)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--asks", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.asks:
        url, journal = given.asks.split(",")
        return ask_all(url, given.calls, given.concurrency, Path(journal))
    fake = [sys.executable, str(FAKE), "--port", "0", "--latency-ms", str(given.latency_ms)]
    fake += ["--failures", str(given.failures)]
    with (
        subprocess.Popen(fake, stdout=subprocess.PIPE, text=True) as server,
        tempfile.TemporaryDirectory() as folder,
    ):
        assert server.stdout is not None
        try:
            url = server.stdout.readline().split()[0]
            asks = [sys.executable, __file__, "--asks", f"{url},{folder}/journal.sqlite"]
            asks += ["--calls", str(given.calls), "--concurrency", str(given.concurrency)]
            for kill in range(given.kills):
                with subprocess.Popen(asks) as process:
                    while counts(url)["answered"] < given.calls * (kill + 1) / (given.kills + 1):
                        time.sleep(0.05)
                    process.kill()
                print(f"killed; {counts(url)}")
            cost = measure(asks, {})
            print(
                f"wall {cost.wall:.1f} s, CPU {cost.cpu:.1f} s, peak {cost.peak:.0f} MiB; {counts(url)}"
            )
        finally:
            server.terminate()
    return None


if __name__ == "__main__":
    main()
