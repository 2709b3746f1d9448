"""What things are: frozen types, pure. Imports nothing above it."""
