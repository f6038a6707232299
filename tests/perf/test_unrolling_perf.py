"""Region summary and unrolling: instructions per second (the rate is in extra_info)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from c_programs import program
from counterpoint.core.budget import Budget
from counterpoint.regions.summary import RegionSummary
from counterpoint.regions.walk import BackEdge, Ends, unroll
from counterpoint.semantics.objects import World

STATE_MACHINE = """
int state, seen[8];
int main() {
  for (;;) {
    int event = any();
    switch (state) {
      case 0: if (event == 1) state = 1; else if (event == 2) state = 2; break;
      case 1: if (event > 5) { seen[1]++; state = 3; } else state = 0; break;
      case 2: seen[2] += event & 3; state = event < 0 ? 4 : 1; break;
      case 3: if (seen[1] > 2 && seen[2] == 7) reach_error(); state = 2; break;
      default: state = 0;
    }
  }
}
"""
COUNTING = """
int a[512];
int main() { int s = 0; for (int r = 0; r < 40; r++) for (int i = 0; i < 512; i++) { a[i] += r; s += a[i]; }
  check(s != 1); return 0; }
"""


class _Until(Ends):
    def __init__(self, bound: int) -> None:
        self.bound = bound

    def follow(self, edge: BackEdge, so_far: RegionSummary) -> bool:
        return edge.undecided <= self.bound


@pytest.mark.parametrize(
    ("name", "text", "bound"),
    [("region summary", STATE_MACHINE, 0), ("symbolic unrolling", STATE_MACHINE, 24), ("concrete unrolling", COUNTING, 1)],
)
def test_unrolling(benchmark: BenchmarkFixture, name: str, text: str, bound: int) -> None:
    prepared = program(text)
    steps = 0

    def run() -> None:
        nonlocal steps
        steps = unroll(World(prepared), _Until(bound), Budget(60)).steps

    benchmark.pedantic(run, rounds=5, warmup_rounds=1)
    benchmark.extra_info["instructions"] = steps
    benchmark.extra_info["instructions_per_second"] = round(steps / benchmark.stats.stats.median)
