"""What a session with a model costs, against a fake endpoint in a process of its own, over real HTTP.

    python benchmarks/llm.py [--calls 10000] [--concurrency 64] [--latency-ms 50] [--failures 0.1] [--kills 3]

    python benchmarks/llm.py --batch [--calls 100000]

Prints wall seconds, CPU seconds and peak memory of the process that asks, the calls that were lost and those
that were asked again after a good answer. With --kills that process is killed so often on its way: what was
in flight then may be asked again, nothing else.

With --batch the calls go through files of a Batch API, with made-up replies: half are about replies to the
others, and a tenth fails at first. Each process that writes a round or reads one is measured.
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

from rulemine.errors import AwaitedError
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


async def converse_twice(ask: Ask, number: int) -> bool:
    """Asks, and asks about the reply."""
    prompt = f"Asked For: the aunts of e{number:06}\n{PADDING}"
    first = await ask(Call("fake", [{"role": "user", "content": prompt}], max_tokens=300))
    assert isinstance(first, Reply)
    again = [{"role": "user", "content": f"Is this one question? {first.text}\n{PADDING}"}]
    return isinstance(await ask(Call("fake", again, purpose="judge", max_tokens=300)), Reply)


def ask_in_rounds(folder: Path, calls: int) -> None:
    """What the measured process of a round does."""
    options = EndpointOptions(batch=str(folder / "batches"))
    with Session(options, folder / "journal.sqlite", print) as session:
        works = [lambda ask, n=n: converse_twice(ask, n) for n in range(calls // 2)]
        try:
            print(f"done: {session.run(works).count(True):,} of {calls // 2:,}")
        except AwaitedError as found:
            print(found)


def reply_to(requests: Path) -> None:
    """Writes the results of a round: a tenth of the first round fails."""
    failing = requests.name.startswith("round-0001")
    results = requests.with_name(requests.name.replace("requests", "results"))
    with requests.open() as lines, results.open("w") as file:
        for number, line in enumerate(lines):
            request = json.loads(line)
            text = f"Who are the aunts of {request['custom_id'][:8]}?"
            choices = [{"index": 0, "message": {"content": text}, "finish_reason": "stop"}]
            usage = {"prompt_tokens": 300, "completion_tokens": 12}
            response = {"status_code": 200, "body": {"choices": choices, "usage": usage}}
            if failing and number % 10 == 0:
                response = {"status_code": 429, "body": {"error": {"message": "busy"}}}
            row = {"custom_id": request["custom_id"], "response": response, "error": None}
            file.write(json.dumps(row) + "\n")


def measure_rounds(calls: int) -> None:
    """Runs rounds until all calls are answered, and prints what each process took."""
    with tempfile.TemporaryDirectory() as name:
        folder, total = Path(name), 0.0
        while True:
            answered = set(folder.glob("batches/*.requests.jsonl"))
            cost = measure([sys.executable, __file__, "--calls", str(calls), "--round", name], {})
            total += cost.cpu
            new = sorted(set(folder.glob("batches/*.requests.jsonl")) - answered)
            written = sum(file.open().read().count("\n") for file in new)
            print(
                f"CPU {cost.cpu:.1f} s, wall {cost.wall:.1f} s, peak {cost.peak:.0f} MiB, "
                f"{written:,} calls written"
            )
            if not new:
                break
            for file in new:
                reply_to(file)
        print(f"CPU {total:.1f} s, {1000 * total / calls:.2f} ms a call")


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
    parser.add_argument("--calls", type=int, help="default 10,000, in batches 100,000")
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--latency-ms", type=float, default=50)
    parser.add_argument("--failures", type=float, default=0)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--batch", action="store_true")
    parser.add_argument("--asks", help=argparse.SUPPRESS)
    parser.add_argument("--round", help=argparse.SUPPRESS)
    given = parser.parse_args()
    given.calls = given.calls or (100_000 if given.batch else 10_000)
    if given.round:
        return ask_in_rounds(Path(given.round), given.calls)
    if given.batch:
        return measure_rounds(given.calls)
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
            asks += [
                "--calls",
                str(given.calls),
                "--set",
                f"endpoint.concurrency={given.concurrency}",
            ]
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
