"""Harnesses as a user would write them: a `main` that calls one function with everything that its types allow.

    the file's declarations  ->  what leads where (lengths, uses)  ->  lines of C (making)  ->  a file (writing)

Not the arbitrary caller of `check --entry-each` (entries/environment.py), which is no text to be read: here each thing
that is taken for granted is a line of its own that a user may strike.
"""
