"""A system to start from: put your retriever and your model in the place of `retrieve` and `answer`.

rulemine answer out/demo --with command -o predictions.jsonl -- python examples/my_rag.py
python examples/my_rag.py out/demo/kg/incomplete.tsv.gz < questions.jsonl > predictions.jsonl
"""

import gzip
import json
import os
import sys


def retrieve(question, topics, triples, k=10):
    """The k triples about the topic entities whose relation has most words of the question."""
    words = {word.strip("?,.").lower() for word in question.split()}
    near = [t for t in triples if t[0] in topics or t[2] in topics]
    return sorted(near, key=lambda t: -len(words & set(t[1].replace("_", " ").split())))[:k]


def answer(question, topics, facts):
    """Where your model reads the question and the facts; this one names the other end of the first fact."""
    return [end for s, _, o in facts[:1] for end in (s, o) if end not in topics]


path = os.environ.get("RULEMINE_KG") or sys.argv[1]
with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
    triples = [tuple(line.rstrip("\n").split("\t")) for line in file]
for line in sys.stdin:
    asked = json.loads(line)
    facts = retrieve(asked["question"], asked["topic_entities"], triples)
    said = answer(asked["question"], asked["topic_entities"], facts)
    print(json.dumps({"id": asked["id"], "answers": said, "retrieved": facts}))
