"""Two releases of one data package as a graph and what was missing from it: MDN's browser compatibility data.

    npm pack @mdn/browser-compat-data@3.3.0 @mdn/browser-compat-data@7.0.0
    python examples/two_releases.py mdn-browser-compat-data-3.3.0.tgz mdn-browser-compat-data-7.0.0.tgz
    rulemine build old.tsv --removed added.tsv -o out/browsers

The first release is the graph (old.tsv), what the second one adds is what was missing (added.tsv): since when
a feature of the Web is in a browser, and the engine of each version.
"""

import json
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Triple = tuple[str, str, str]


def features(node: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Yields features, such as ``css.properties.gap``, with what is known of their support."""
    for key, value in node.items():
        if key == "__compat":
            yield ".".join(path), value["support"]
        elif isinstance(value, dict) and key not in ("browsers", "__meta"):
            yield from features(value, (*path, key))


def read(package: str) -> set[Triple]:
    """The triples of a release."""
    with tarfile.open(package) as files:
        data = json.load(files.extractfile("package/data.json"))  # type: ignore[arg-type]
    triples = set[Triple]()
    for feature, support in features(data):
        for browser, said in support.items():
            first = said[0] if isinstance(said, list) else said
            version = first.get("version_added")
            partly = first.keys() & {
                "flags",
                "prefix",
                "alternative_name",
                "partial_implementation",
            }
            if isinstance(version, str) and version[0].isdigit() and not partly:
                triples.add((feature, f"first_{browser}_version", f"{browser} {version}"))
    for browser, about in data["browsers"].items():
        for version, release in about["releases"].items():
            if number := release.get("engine_version"):
                engine = f"{release['engine']} {number}"
                triples.add((f"{browser} {version}", f"{browser}_engine", engine))
    return triples


if __name__ == "__main__":
    old, new = map(read, sys.argv[1:])
    for path, triples in (("old.tsv", old), ("added.tsv", new - old)):
        text = "".join("\t".join(triple) + "\n" for triple in sorted(triples))
        Path(path).write_text(text, "utf-8")
