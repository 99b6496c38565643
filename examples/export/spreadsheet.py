"""An export format of another package: the questions as a table that spreadsheets open."""

from dataclasses import dataclass

from rulemine.exports import RowExport


@dataclass(frozen=True)
class Spreadsheet(RowExport):
    """Named in ``pyproject.toml``, so that ``rulemine export --to spreadsheet:most=5`` finds it."""

    file = "questions.csv"
    most: int = 100  # answers of a question

    def fields(self, given):
        """A field is an attribute of the question, or what is made of the question."""
        answers = {"answers": lambda question: "; ".join(question.answers)}
        return {"id": "id", "question": "question", **given.unless_secret(answers)}

    def refusal(self, given, question):
        """Why a question is left out; "" if it is not."""
        return "" if len(question.answers) <= self.most else f"it has more than {self.most} answers"
