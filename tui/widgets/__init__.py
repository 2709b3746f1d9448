"""Widgets that render what the presenter prepared; no rules here."""
