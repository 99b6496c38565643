"""An export format of another package: the questions as a table that spreadsheets open."""


class Spreadsheet:
    """Named in ``pyproject.toml``, so that ``rulemine export --to spreadsheet:most=5`` finds it.

    Its keyword parameters are its options.
    """

    def __init__(self, most: int = 100):
        self.most = most

    def __call__(self, given, folder):
        """A row for each question with few enough answers."""
        rows = [("id", "question", "answers")]
        for question in given.questions():
            if len(question.answers) > self.most:
                folder.leave_out(question.id, f"it has more than {self.most} answers")
                continue
            answers = [] if given.without_answers else question.answers
            rows.append((question.id, question.question, "; ".join(answers)))
        folder.csv("questions.csv", rows)
