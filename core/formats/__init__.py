"""Record formats: one file each, and a table of them."""
