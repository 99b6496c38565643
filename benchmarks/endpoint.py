"""How many queries a second the endpoint answers: ``python benchmarks/endpoint.py DIR``.

The four shapes that Think-on-Graph sends (relations out and in, tails, heads), in turn, about entities
drawn uniformly; clients keep their connections.
"""

import argparse
import http.client
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from statistics import median, quantiles
from urllib.parse import quote, urlparse

from rulemine.exports.protocol import ExportInput
from rulemine.query.oxigraph.rewriting import FREEBASE
from rulemine.release.reader import Release
from rulemine.seeds import stream

PREFIX = f"PREFIX ns: <{FREEBASE}>\n"
SHAPES = {
    "relations out": "SELECT ?relation WHERE {{ ns:{entity} ?relation ?x . }}",
    "relations in": "SELECT ?relation WHERE {{ ?x ?relation ns:{entity} . }}",
    "tails": "SELECT ?tailEntity WHERE {{ ns:{entity} ns:{relation} ?tailEntity . }}",
    "heads": "SELECT ?tailEntity WHERE {{ ?tailEntity ns:{relation} ns:{entity} . }}",
}


def drawn(release: Release, number: int) -> Iterator[tuple[str, str]]:
    """Shapes and queries: entities drawn uniformly, then one of their relations."""
    given = ExportInput(release, "private")
    relations: dict[str, dict[str, list[str]]] = {"tails": {}, "heads": {}}
    for s, r, o in given.kg.labeled():
        relations["tails"].setdefault(s, []).append(r)
        relations["heads"].setdefault(o, []).append(r)
    draw, entities = stream(0, "endpoint"), given.client.entities
    for shape in (list(SHAPES) * number)[:number]:
        entity = entities[draw.below(len(entities))]
        known = relations.get(shape, {}).get(entity.name) or list(given.client.relation)
        relation = given.client.relation[known[draw.below(len(known))]]
        yield shape, PREFIX + SHAPES[shape].format(entity=entity.id, relation=relation)


def serving(release: str, most_rows: int) -> list[str]:
    """The command that serves a release."""
    words = ["show", release, "--serve", f"sparql:port=0:max_rows={most_rows}"]
    return [sys.executable, "-m", "rulemine", *words]


def main() -> None:
    """Starts the endpoint, asks, and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("release")
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--queries", type=int, default=4000)
    parser.add_argument("--max-rows", type=int, default=1000)
    given = parser.parse_args()
    asked = list(drawn(Release.open(given.release), given.queries))
    start = time.perf_counter()
    command = serving(given.release, given.max_rows)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        where = urlparse(server.stdout.readline().split()[0])
        print(f"{server.stdout.readline().strip()}; up in {time.perf_counter() - start:.1f} s")
        times: list[tuple[str, float]] = []
        rows: list[int] = []

        def ask(mine: list[tuple[str, str]]) -> None:
            connection = http.client.HTTPConnection(where.netloc)
            for shape, query in mine:
                begun = time.perf_counter()
                connection.request("GET", f"{where.path}?query={quote(query)}")
                found = json.load(connection.getresponse())
                times.append((shape, time.perf_counter() - begun))
                rows.append(len(found["results"]["bindings"]))

        threads = [
            threading.Thread(target=ask, args=(asked[i :: given.clients],))
            for i in range(given.clients)
        ]
        start = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seconds = time.perf_counter() - start
        server.terminate()
    print(f"{len(times):,} queries by {given.clients} clients in {seconds:.1f} s:", end=" ")
    print(f"{len(times) / seconds:,.0f} a second; {sum(rows) / len(rows):.1f} rows each")
    for shape in SHAPES:
        mine = [1000 * took for name, took in times if name == shape]
        print(
            f"  {shape}: median {median(mine):.1f} ms, 99 % within {quantiles(mine, n=100)[98]:.1f} ms"
        )


if __name__ == "__main__":
    main()
