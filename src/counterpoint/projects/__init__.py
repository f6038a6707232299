"""A project as its build knows it: which programs it has, and what a check finds out about each."""
