"""What follows from a path: pure rules, no I/O, no clock."""
