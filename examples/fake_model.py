"""The "model" of the fake endpoint: no model, but sentences filled in with what stands in the prompt.

Guarantee: the same request gets the same answer, which has the form that was asked for.
"""

import json
import re
from itertools import pairwise
from typing import Any

STARTS = ("Can you name", "Could you list", "Do you know", "Can anyone tell me", "Would you name")
ENDS = ("", " one by one", " without leaving any out", " in full")


class FakeModel:
    """Sentences out of a prompt; the same for the same request."""

    def answer(self, request: dict[str, Any]) -> str:
        """What the "model" says: an object of the schema, or the bare question where none is given."""
        prompt = str(request["messages"][-1]["content"])
        schema = request.get("response_format", {}).get("json_schema", {})
        said = getattr(self, f"_{schema.get('name', 'question')}")(prompt)
        return json.dumps(said, ensure_ascii=False) if schema else str(said["question"])

    @staticmethod
    def _line(prompt: str, name: str) -> str:
        found = re.search(rf"^{name}: (.*)$", prompt, re.MULTILINE)
        return found[1].strip() if found else ""

    def _question(self, prompt: str) -> dict[str, Any]:
        again = "Rejected before" in prompt
        start = "Which ones" if again else "Who or what"
        return {"question": f"{start} are {self._line(prompt, 'Asked For')}?"}

    def _paraphrase(self, prompt: str) -> dict[str, Any]:
        asked = self._line(prompt, "Asked For")
        count = int((re.search(r"^Write (\d+) more", prompt, re.MULTILINE) or [0, "1"])[1])
        texts = [f"{start} {asked}{end}?" for end in ENDS for start in STARTS]
        return {"questions": [text for text in texts if text not in prompt][:count]}

    def _audit(self, prompt: str) -> dict[str, Any]:
        return {"verdict": "PASS", "reason": ""}

    def _structure_question(self, prompt: str) -> dict[str, Any]:
        return {"question": self._line(prompt, "Draft")}

    def _structure_audit(self, prompt: str) -> dict[str, Any]:
        return {"status": "PASS", "reason": "", "refined_question": ""}

    def _cypher_question(self, prompt: str) -> dict[str, Any]:
        """The draft as one question."""
        first, _, last = self._line(prompt, "Draft").rstrip(".?").rpartition(". ")
        return {"question": f"Can you say: {first}{': ' * bool(first)}{last}?"}

    def _cypher_audit(self, prompt: str) -> dict[str, Any]:
        return {"verdict": "PASS", "reason": "", "refined_question": ""}

    def _pairs(self, prompt: str) -> dict[str, Any]:
        """For two triples in a row that join three entities: what is beyond the middle one."""
        triples = [json.loads(line) for line in re.findall(r'^\[".*"\]$', prompt, re.MULTILINE)]
        most = int((re.search(r"up to (\d+)", prompt) or [0, "5"])[1])
        pairs = []
        for one, other in pairwise(triples):
            middle = {one[0], one[2]} & {other[0], other[2]}
            ends = [
                end
                for triple in (one, other)
                for end in (triple[0], triple[2])
                if end not in middle
            ]
            if len(middle) != 1 or len(set(ends)) != 2:
                continue
            words = [re.sub(r"[\W_]+", " ", triple[1]).strip() for triple in (one, other)]
            text = f"What is joined to {ends[0]} by the words {words[0]}, and then {words[1]}?"
            path = [
                dict(zip(("subject", "predicate", "object"), t, strict=True)) for t in (one, other)
            ]
            pairs.append({"question": text, "answer": ends[1], "supporting_path": path})
        pairs = pairs[:most]
        return {"valid_qa_pairs": bool(pairs), "number_of_qa_pairs": len(pairs), "qa_pairs": pairs}

    def _candidate(self, prompt: str, form: str = "plain") -> dict[str, Any]:
        """The first triples that form a tree; the answer is an end of the first."""
        shown, _, rest = prompt.partition("\nRelations, ")
        lines = re.findall(r"^(.+) — (.+) — (.+)$", shown, re.MULTILINE)[1:]
        labels: dict[str, str] = {}
        triples = []
        for subject, relation, object_ in lines:
            ends = [re.fullmatch(r"(?:(.+) \()?(\w+)\)?", end) for end in (subject, object_)]
            labels |= {end[2]: end[1] or end[2] for end in ends if end}
            triples.append((ends[0][2], relation, ends[1][2]))
        used, nodes = triples[:1], {*triples[0][::2]}
        for s, r, o in triples:
            if len(used) < int((re.search(r"exactly (\d)", rest) or [0, "1"])[1]) and (
                (s in nodes) != (o in nodes)
            ):
                used.append((s, r, o))
                nodes |= {s, o}
        answer = used[0][2]
        ends = [end for s, _, o in used for end in (s, o)]
        seeds = [end for end in dict.fromkeys(ends) if ends.count(end) == 1 and end != answer]
        term = {end: f"e:{end}" if end in seeds else f"?v{end}" for end in ends}
        term[answer] = "?answer"
        lines = [f"{term[s]} r:{r} {term[o]} ." for s, r, o in used]
        words = [re.sub(r"[\W_]+", " ", r).strip() for _, r, _ in used]
        text = f"is joined to {' and '.join(labels[end] for end in seeds)} by {', '.join(words)}"
        if form == "without":
            s, r, o = next(t for t in triples if t[0] != answer and t[2] not in nodes)
            seeds.append(o)
            lines.append(f"FILTER NOT EXISTS {{ ?answer r:{r} e:{o} }}")
            text += f", but not to {labels[o]}"
        select = "(COUNT(DISTINCT ?answer) AS ?value)" if form == "count" else "?answer"
        return {
            "question": f"{'How many are there, each of which' if form == 'count' else 'What'} {text}?",
            "nodes": [f"{labels[end]} ({end})" if labels[end] != end else end for end in seeds],
            "answer": f"{labels[answer]} ({answer})" if labels[answer] != answer else answer,
            "triples": [f"{s} — {r} — {o}" for s, r, o in used],
            "sparql": f"SELECT {select} WHERE {{ {' '.join(lines)} }}",
        }

    _candidate_plain = _candidate

    def _candidate_count(self, prompt: str) -> dict[str, Any]:
        return self._candidate(prompt, "count")

    def _candidate_without(self, prompt: str) -> dict[str, Any]:
        return self._candidate(prompt, "without")

    def _reword(self, prompt: str) -> dict[str, Any]:
        text = self._line(prompt, "Question")
        return {"question": f"Can you tell me {text[0].lower()}{text[1:]}"}

    def _reword_audit(self, prompt: str) -> dict[str, Any]:
        return {"verdict": "PASS", "reason": ""}

    def _check(self, prompt: str) -> dict[str, Any]:
        """The subject of the first fact, which is wrong as often as not."""
        return {"answer": (re.search(r"^(.+) \| .+ \| ", prompt, re.MULTILINE) or [0, ""])[1]}

    def _judge_wording(self, prompt: str) -> dict[str, Any]:
        """A text with its answer in it would not have come this far; a quoted relation reads stiffly."""
        fluent = "relation" not in self._line(prompt, "Question").lower()
        flags = {"logical_structure": fluent, "redundancy": False, "ambiguity": False}
        return self._decided(flags)

    def _judge_support(self, prompt: str) -> dict[str, Any]:
        """The answer has to be among the facts."""
        named = prompt.count(self._line(prompt, "Answer")) > 1
        return self._decided({"answer_support": named, "answer_adequacy": True})

    def _judge_proof(self, prompt: str) -> dict[str, Any]:
        """Two facts or more are a chain, which is good enough here."""
        facts = prompt.partition("Conclusion:")[0].count("\n- (")
        return self._decided({"proof": "plausible" if facts > 1 else "sound"})

    @staticmethod
    def _decided(flags: dict[str, Any]) -> dict[str, Any]:
        reasons = {f"{name}_reasoning": "as it looks" for name in flags}
        return {**reasons, **{f"{name}_flag": value for name, value in flags.items()}}

    def _gloss(self, prompt: str) -> dict[str, Any]:
        name = self._line(prompt, "Relation").rpartition("/")[2]
        words = re.sub(r"[\W_]+", " ", name).strip() or "relative"
        return {
            "statement": f"{{subject}} is the {words} of {{object}}",
            "subjects": f"those that are the {words} of {{topic}}",
            "objects": f"those whose {words} is {{topic}}",
        }


def completion(request: dict[str, Any], text: str, reason: str = "stop") -> dict[str, Any]:
    """The body of an answer."""
    sent = sum(len(message["content"]) for message in request["messages"]) // 4
    message = {"role": "assistant", "content": text}
    return {
        "object": "chat.completion",
        "model": request["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": sent, "completion_tokens": len(text) // 4 + 1},
    }
