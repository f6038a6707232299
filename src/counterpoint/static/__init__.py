"""What the program's text tells of all its runs: points-to, alignment, mod/ref. Assumed by encodings, and checked."""
