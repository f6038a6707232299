"""Work on other machines, by Ray (extra `cluster`)."""
