"""C files through clang: bitcode, what clang remarks on, and what only its syntax tree tells."""
