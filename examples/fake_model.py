"""The "model" of the fake endpoint: no model, but sentences filled in with what stands in the prompt.

Guarantee: the same request gets the same answer, which has the form that was asked for.
"""

import json
import re
from typing import Any


class FakeModel:
    """Sentences out of a prompt; the same for the same request."""

    def answer(self, request: dict[str, Any]) -> str:
        """What the "model" says: JSON where the request asks for a schema, else plain text."""
        prompt = str(request["messages"][-1]["content"])
        structure = request.get("response_format")
        said = getattr(self, "_" + self.purpose(request, prompt))(prompt)
        if structure is not None:
            return json.dumps(said, ensure_ascii=False)
        if list(said) == ["question"]:
            return str(said["question"])
        return "\n".join(said["questions"]) if "questions" in said else json.dumps(said)

    @staticmethod
    def purpose(request: dict[str, Any], prompt: str) -> str:
        """What is asked for: by the name of the schema, else by the words of the prompt."""
        structure = request.get("response_format") or {}
        name = str(structure.get("json_schema", {}).get("name", ""))
        if name in ("question", "paraphrase", "audit", "round_trip", "gloss"):
            return name
        marks = {"round_trip": '"direction"', "audit": '"verdict"', "gloss": '"statement"'}
        for purpose, mark in {**marks, "paraphrase": '"questions"'}.items():
            if mark in prompt:
                return purpose
        return "question"

    @staticmethod
    def _line(prompt: str, name: str) -> str:
        found = re.search(rf"^{name}: (.*)$", prompt, re.MULTILINE)
        return found[1].strip() if found else ""

    def _question(self, prompt: str) -> dict[str, Any]:
        asked = self._line(prompt, "Asked For")
        again = "Rejected before" in prompt
        return {"question": f"{'Which ones' if again else 'Who or what'} are {asked}?"}

    def _paraphrase(self, prompt: str) -> dict[str, Any]:
        asked = self._line(prompt, "Asked For")
        count = int((re.search(r"^Write (\d+) more", prompt, re.MULTILINE) or [0, "1"])[1])
        starts = (
            "Can you name",
            "Could you list",
            "Do you know",
            "Can anyone tell me",
            "Would you name",
        )
        ends = ("", " one by one", " without leaving any out", " in full")
        texts = [f"{start} {asked}{end}?" for end in ends for start in starts]
        return {"questions": [text for text in texts if text not in prompt][:count]}

    def _audit(self, prompt: str) -> dict[str, Any]:
        return {"verdict": "PASS", "reason": ""}

    def _round_trip(self, prompt: str) -> dict[str, Any]:
        """The relation whose clause stands in the question, with X for what is asked for."""
        question = self._line(prompt, "Question")
        clauses = re.findall(r"^(.+?): (.*\bS\b.*\bO\b.*|.*\bO\b.*\bS\b.*)$", prompt, re.MULTILINE)
        for relation, clause in clauses:
            for asked, other, direction in (("S", "O", "subject"), ("O", "S", "object")):
                words = re.sub(rf"\b{asked}\b", "\0", re.sub(rf"\b{other}\b", "\1", clause))
                pattern = re.escape(words).replace("\0", "X").replace("\1", ".+")
                if re.search(pattern, question):
                    return {"relation": relation, "direction": direction}
        return {"relation": clauses[0][0] if clauses else "none", "direction": "subject"}

    def _gloss(self, prompt: str) -> dict[str, Any]:
        words = (
            re.sub(r"[\W_]+", " ", self._line(prompt, "Relation").rpartition("/")[2]).strip()
            or "relative"
        )
        return {
            "statement": f"{{subject}} is the {words} of {{object}}",
            "subjects": f"those that are the {words} of {{topic}}",
            "objects": f"those whose {words} is {{topic}}",
        }
