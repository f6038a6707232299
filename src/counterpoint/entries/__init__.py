"""Functions checked by themselves, from an arbitrary caller: what they require, and what fails whatever they get."""
