"""Verification witnesses as the field exchanges them: written from our evidence, and those of others validated.

`document` is what a witness says, `reading` and `writing` its files (YAML 2.0 and 2.1, GraphML 1.0 for violations);
`source` and `syntax` are the program's text, by which locations are meant; `invariants` and `inputs` say our evidence
in it; `checked_copy` and `monitor` write a witness into a copy of the program, and `validation` judges what that does.
"""
