"""What ``rollstep doctor`` looks at, each kind of thing in a file of its own. Loads no Textual."""
