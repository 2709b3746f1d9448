"""What rollstep costs, measured on the real program in a real pseudo-terminal: `make bench`."""
