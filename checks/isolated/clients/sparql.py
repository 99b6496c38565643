"""Asks the endpoint with SPARQLWrapper, rdflib and curl, and reads the export `rdf` with rdflib."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from rdflib import Graph, Literal, Namespace, URIRef
from rdflib.plugins.stores.sparqlstore import SPARQLStore
from SPARQLWrapper import CSV, JSON, POST, POSTDIRECTLY, TURTLE, XML, SPARQLWrapper
from SPARQLWrapper.SPARQLExceptions import QueryBadFormed

NS = Namespace("http://rdf.freebase.com/ns/")
LABEL = URIRef("http://www.w3.org/2000/01/rdf-schema#label")


@contextlib.contextmanager
def endpoint(release: Path, options: str) -> Iterator[str]:
    """The address of an endpoint; it ends by SIGTERM, as a job in the background ignores Ctrl-C."""
    command = [os.environ["RULEMINE"], "show", str(release), "--serve", f"sparql:port=0:{options}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield server.stdout.readline().split()[0]
        finally:
            server.terminate()


def with_wrapper(url: str, query: str, form: str = JSON, method: str = "GET") -> object:
    wrapper = SPARQLWrapper(url)
    wrapper.setQuery(query)
    wrapper.setReturnFormat(form)
    wrapper.setMethod(method)
    return wrapper.query().convert()


def values(found: dict, name: str) -> list[str]:
    return sorted(row[name]["value"] for row in found["results"]["bindings"])


def check_freebase(url: str, exported: Graph) -> int:
    """Every triple and name of the export is found, in either direction, by each client."""
    store = Graph(SPARQLStore(url))
    named = dict(exported.subject_objects(NS["type.object.name"]))
    asked = 0
    for entity in sorted(named)[::10]:
        mid = entity.removeprefix(NS)
        query = f"PREFIX ns: <{NS}>\nSELECT ?relation WHERE {{ ns:{mid} ?relation ?x . }}"
        expected = sorted(map(str, exported.predicates(entity, None)))
        assert values(with_wrapper(url, query), "relation") == expected
        assert values(with_wrapper(url, query, method=POST), "relation") == expected
        assert set(store.predicate_objects(entity)) == set(exported.predicate_objects(entity))
        assert set(store.subject_predicates(entity)) == set(exported.subject_predicates(entity))
        name = store.value(entity, NS["type.object.name"])
        assert name == named[entity] == Literal(str(name), lang="en")
        lookup = f"SELECT ?e {{ ?e ns:type.object.name {name.n3()} . FILTER regex(?e, '{NS}m') }}"
        assert [str(row[0]) for row in store.query(lookup, initNs={"ns": NS})] == [str(entity)]
        asked += 1
    return asked


def check_forms(url: str) -> None:
    query = "SELECT ?n { ?e ns:type.object.name ?n } ORDER BY ?n LIMIT 2"
    first = values(with_wrapper(url, query), "n")
    xml = with_wrapper(url, query, XML)
    found = [node.firstChild.data for node in xml.getElementsByTagName("literal")]
    assert found == first
    assert len(with_wrapper(url, query, CSV, POST).splitlines()) == 3
    triples = with_wrapper(url, "CONSTRUCT WHERE { ?e ns:type.object.name ?n }", TURTLE)
    assert len(Graph().parse(data=triples, format="turtle")) > 100
    direct = SPARQLWrapper(url)
    direct.setMethod(POST)
    direct.setRequestMethod(POSTDIRECTLY)
    direct.setReturnFormat(JSON)
    direct.setQuery("ASK { ?e ns:type.object.name ?n }")
    assert direct.queryAndConvert()["boolean"] is True
    with contextlib.suppress(QueryBadFormed):
        with_wrapper(url, "SELECT * { ?e ns:type.object.name ")
        raise AssertionError("an unreadable query was answered")
    direct.setQuery("INSERT DATA { <http://x/a> <http://x/b> <http://x/c> }")
    with contextlib.suppress(OSError):
        direct.query()
        raise AssertionError("an update was accepted")
    if curl := shutil.which("curl"):
        command = [curl, "-s", "-G", url, "-H", "Accept: text/csv", "--data-urlencode"]
        said = subprocess.run([*command, f"query={query}"], capture_output=True, text=True)
        assert sorted(said.stdout.splitlines()[1:3]) == first


def check_questions(url: str, folder: Path) -> int:
    """The queries of questions give the answers, at the endpoint and on the file."""
    graph = Graph().parse(folder / "graph.nt", format="nt")
    names = {str(entity): str(label) for entity, label in graph.subject_objects(LABEL)}
    rows = [json.loads(line) for line in (folder / "questions.jsonl").read_text().splitlines()]
    for number, row in enumerate(rows):
        found = values(with_wrapper(url, row["sparql"]), "answer")
        assert set(row["answers"]) >= {names[iri] for iri in found}, row
        assert len(found) >= 1
        if number % 20 == 0:
            local = sorted(str(answer) for (answer,) in graph.query(row["sparql"]))
            assert local == found, row
    return len(rows)


if __name__ == "__main__":
    exports = Path(sys.argv[1])
    release = exports / "releases" / "demo"
    with endpoint(release, "iris=freebase") as where:
        command = [os.environ["RULEMINE"], "export", str(release), "--to", "rdf:iris=freebase"]
        subprocess.run([*command, "-o", exports / "dump"], check=True, capture_output=True)
        dump = Graph().parse(exports / "dump" / "graph.nt", format="nt")
        entities = check_freebase(where, dump)
        check_forms(where)
    print(f"names of Freebase: {entities} entities in every direction, {len(dump)} triples")
    for recipe in ("demo", "structures-demo"):
        with endpoint(exports / "releases" / recipe, "iris=release:kg=complete") as where:
            asked = check_questions(where, exports / f"{recipe}-complete" / "rdf")
        print(f"{recipe}: the queries of {asked} questions give answers")
