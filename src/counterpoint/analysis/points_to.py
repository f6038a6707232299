"""Points-to sets, as the proof checker needs them as well: see program/points_to.py."""

from counterpoint.program.points_to import EXTERNAL, AbstractObject, PointsTo, members, points_to

__all__ = ["EXTERNAL", "AbstractObject", "PointsTo", "members", "points_to"]
