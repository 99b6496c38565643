"""Questions of a release for Inspect, and a tool that shows the graph; see docs/frameworks.md."""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, tool
from rulemine_lm_eval import opened, process_results


@task
def graph_questions(release: str, split: str = "test") -> Task:
    """The questions of a split of a release."""
    asked = [q for q, _, _ in opened(release)[1].values() if q.split == split]
    told = "\nThe tool shows a graph. End with a line 'Answer:', each answer on a line of its own."
    samples = [Sample(id=q.id, input=q.question + told, target=list(q.answers)) for q in asked]
    return Task(samples, solver=explorer(release), scorer=answers(release), message_limit=40)


@solver
def explorer(release: str) -> Solver:
    """Lets a model look around; without one (``none``), all that is next to a topic is the answer."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.model.api != "none":
            state.tools = [triples(release)]
            return await generate(state)
        topics = {*opened(release)[1][state.sample_id][0].anchors}
        near = {name for s, _, o in opened(release)[2] if {s, o} & topics for name in (s, o)}
        state.output = ModelOutput.from_content("none", "\n".join(sorted(near)))
        return state

    return solve


@tool
def triples(release: str) -> Tool:
    """Shows triples."""

    async def execute(entity: str) -> str:
        """List triples about an entity.

        Args:
            entity: Its name, exactly as in the graph.
        """
        return "\n".join([" | ".join(t) for t in opened(release)[2] if entity in t][:50])

    return execute


@scorer(metrics=[{"*": [mean()]}])
def answers(release: str) -> Scorer:
    """Scores as ``rulemine evaluate`` does."""

    async def judge(state: TaskState, target: Target) -> Score:
        doc = {"release": release, "id": state.sample_id}
        return Score(value=process_results(doc, [state.output.completion]))

    return judge
