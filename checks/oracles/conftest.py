"""The shared data sets, as the tests of mining find them."""

from tests.mining.conftest import shared

__all__ = ["shared"]
