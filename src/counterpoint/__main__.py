"""`python -m counterpoint` is the command."""

from counterpoint.cli import main

main()
