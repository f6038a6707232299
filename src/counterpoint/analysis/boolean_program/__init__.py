"""Boolean programs, SLAM's form of predicate abstraction: `c2bp` makes them, `bebop` explores them.

Sources: Ball, Majumdar, Millstein, Rajamani, "Automatic predicate abstraction of C programs" (PLDI 2001); Ball,
Rajamani, "Bebop: a symbolic model checker for Boolean programs" (SPIN 2000).
"""
