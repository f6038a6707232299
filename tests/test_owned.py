"""Pointers without their owners; how much is said of where blocks lie."""

from __future__ import annotations

from c_programs import subject
from counterpoint.core.budget import Budget
from counterpoint.execute.subject import FLAT
from counterpoint.regions.cut_graph import cut_graph
from counterpoint.semantics.summary import FEW_APART, MANY_BLOCKS, MAX_APART
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Op, address, variable
from counterpoint.term.walk import reachable

WORD = BitVec(64)


def test_a_value_loses_its_owners_wherever_they_stand():
    x, y, c = variable("x", WORD), variable("y", WORD), variable("c", BOOL)
    mine = build.owned(x, address(3, 64), 0, 64)
    value = build.ite(c, build.add(mine, y, 64), build.owned(build.owned(y, None, 1, 64), mine, 0, 64), WORD)
    assert value.owns and any(term.op is Op.OWNED for term in reachable((value,)))
    assert build.plain(value) is build.ite(c, build.add(x, y, 64), y, WORD)
    assert not build.plain(value).owns


def test_a_value_without_owners_is_itself():
    value = build.add(variable("x", WORD), address(3, 64), 64)
    assert build.plain(value) is value and not value.owns and build.plain(7) == 7


TEXT = """
struct n { struct n *next; int d; };
static struct n *head, *other, *third;
int main(void) {
    while (any()) {
        struct n *fresh = malloc(sizeof *fresh);
        fresh->next = any() ? head : other;
        if (any()) third = fresh; else head = fresh;
    }
    while (any()) { STEPS }
}
"""


def test_what_is_said_of_many_blocks_grows_with_their_number_alone():
    """Two by two apart are the first ones; of further ones as much is said as of each other."""
    text = TEXT.replace("STEPS", "head->next->d = any(); head = head->next; other->next = head; " * 60)
    graph = cut_graph(subject(text).program(FLAT), Budget(100))
    worlds = [region.world for region in graph.regions if region.world.past is not None]
    world = max(worlds, key=lambda one: len(one.past.blocks))
    blocks = len(world.past.blocks)
    assert blocks > MANY_BLOCKS
    per_block = 6  # where it lies, how large it is
    assert len(world.axioms) < MANY_BLOCKS * 2 * MAX_APART + blocks * (2 * FEW_APART + per_block)
