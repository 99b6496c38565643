"""Sampling that gives up sooner: these graphs are small."""

import pytest


@pytest.fixture(autouse=True, scope="package")
def impatient() -> None:
    patch = pytest.MonkeyPatch()
    patch.setattr("rulemine.kinds.structures.ask.PATIENCE", 60)
    yield
    patch.undo()
