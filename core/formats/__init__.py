"""What trajectories are written as: one file for each format, and a table of them. Pure."""
