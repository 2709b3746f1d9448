"""Project files written by a model: from goals, from seed rows, or from runs that failed."""
