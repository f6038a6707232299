"""Copies of a program's files with something written into them: where statements stand, and what may stand there."""
