"""What the command line's commands do. Each module is loaded only for its own command."""
