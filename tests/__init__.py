"""Tests mirror the packages; what several of them use lies here."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
