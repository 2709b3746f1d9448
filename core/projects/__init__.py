"""Where projects come from: project files (YAML) and seed JSONL, read, checked and written."""
