"""Random C programs that aim at the corners of the language, each with the answer known by construction.

Every file in `corners/` holds *shapes*: small pieces of C in which one fault can be planted or left out. `programs`
puts them together, `host` runs them under gcc's and clang's sanitizers, `verdicts` asks Counterpoint, `campaign` does
so for many seeds: `make fuzz-corners N=1000`, `make fuzz-pairs N=50`.
"""
