"""Sampling that gives up sooner: these graphs are small."""

import pytest


@pytest.fixture(autouse=True, scope="package")
def impatient() -> None:
    patch = pytest.MonkeyPatch()
    patch.setattr("rulemine.kinds.structures.sampling.PATIENCE", 60)
    yield
    patch.undo()
