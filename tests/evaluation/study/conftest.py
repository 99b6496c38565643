import pytest

from rulemine.evaluation.study.plan import StudyPlan
from rulemine.evaluation.study.run import StudyFolder
from rulemine.release.writer import write_release
from tests import structures


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """A whole release, with the world of the nine structures; its removal has two levels."""
    folder = tmp_path_factory.mktemp("study") / "release"
    folder.mkdir()
    write_release(folder, structures.world(), "private")
    return folder


@pytest.fixture(scope="module")
def shared(built, tmp_path_factory):
    """A study that is answered."""
    plan = StudyPlan(
        release=str(built), systems=("lookup", "reasoner"), levels=(0, 50, 100), split="all",
        resamples=20, namings=("private", "text"),
    )  # fmt: skip
    study = StudyFolder(plan, tmp_path_factory.mktemp("shared"))
    study.answer()
    return study


@pytest.fixture
def open_study(built, tmp_path):
    """Opens a study of that release."""

    def call(*systems: str, folder: str = "out", note=lambda text: None, **keys) -> StudyFolder:
        keys = {"levels": (0, 50, 100), "split": "all", "resamples": 20} | keys
        plan = StudyPlan(release=str(built), systems=systems or ("lookup", "reasoner"), **keys)
        return StudyFolder(plan, tmp_path / folder, note=note)

    return call
