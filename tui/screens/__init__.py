"""Screens, each with its style sheet beside it."""
