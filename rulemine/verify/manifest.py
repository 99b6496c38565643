"""What the manifest says twice, and of the graph: its options, and the digest of the complete KG.

Its counts are made from the records, and so are compared with what the writer makes of them, see
`rulemine.builder.regenerated`.
"""

import hashlib

import numpy as np

from rulemine.verify.contents import Contents
from rulemine.verify.folder import MANIFEST_NAME, Folder
from rulemine.verify.report import Findings, shown

__all__ = ["check_options", "check_source"]


def check_options(folder: Folder, findings: Findings) -> None:
    """Checks that values the manifest states twice agree."""
    manifest, config = folder.manifest, folder.manifest["config"]
    if "endpoint" in config:
        expected = "no options of the endpoint in a release"
        findings.add(MANIFEST_NAME, None, "options", "config.endpoint", expected)
    levels = folder.option("selection", "levels") or [100]
    for key, stated in {**{k: config.get(k) for k in ("naming", "name")}, "levels": levels}.items():
        if manifest[key] != stated:
            found, said = f"{key} = {shown(manifest[key])}", f"{shown(stated)}, as in config"
            findings.add(MANIFEST_NAME, None, "options", found, said)


def check_source(contents: Contents, findings: Findings) -> None:
    """Checks the digest of the complete KG: SHA-256 of its sorted triples under their source names."""
    names, complete = contents.names, contents.complete
    source = [
        names.entities[name].source if name in names.entities else name
        for name in complete.terms.entities
    ]
    relations = complete.terms.relations.names
    texts = {name: place for place, name in enumerate(sorted({*source, *relations}))}
    ends = np.array([texts[name] for name in source], np.int32)
    middle = np.array([texts[name] for name in relations], np.int32)
    s, r, o = complete.columns.T
    rows = np.column_stack((ends[s], middle[r], ends[o]))
    rows = rows[np.lexsort((rows[:, 2], rows[:, 1], rows[:, 0]))]
    digest, by_place = hashlib.sha256(), list(texts)
    for start in range(0, len(rows), 1 << 16):
        some = rows[start : start + (1 << 16)].ravel().tolist()
        fields = iter(map(by_place.__getitem__, some))
        lines = map("\t".join, zip(fields, fields, fields, strict=True))
        digest.update(("\n".join(lines) + "\n").encode())
    stated = contents.folder.manifest["kg"]["digest"]
    if stated != digest.hexdigest():
        expected = f"{digest.hexdigest()} (sorted triples, source names)"
        findings.add(MANIFEST_NAME, None, "digest of the KG", shown(stated), expected)
