"""A user's own code, as a project file would name it. Loaded by child processes with this folder
first on their module path; never imported by the tests themselves."""
