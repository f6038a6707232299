"""Search problems: questions whose unknowns have few values each are given to a SAT solver value by value.

Puzzles, schedules, designs and permutations are about which of a few values each unknown has. Bits hide that: that two
numbers differ says nothing about any one bit of them. Here each unknown has a literal for each of its values, so that
what is excluded is excluded at once.

Read `values` (which values each term can have), `clauses` (what they have to do with one another), `question`.

Source: the direct encoding of finite domains [Walsh, SAT v CSP, CP 2000], with supports for equalities [Gent, Arc
consistency in SAT, ECAI 2002]. The all-different constraint is found as a clique of disequalities.
"""
