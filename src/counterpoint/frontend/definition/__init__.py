"""The rewriting after which nothing is undefined and every check is a call, before any LLVM pass runs."""
