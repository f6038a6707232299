"""Facts at cut points: where candidates come from, what runs refute, what Houdini keeps, and the pool."""
