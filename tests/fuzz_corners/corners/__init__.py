"""One file for each corner: shapes, found by name (`kit.shapes`)."""
