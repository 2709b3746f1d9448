"""SQLite: the library of rollouts, its schema and migrations, search; and bundles."""
