"""Telling people outside of Paperless and the page that duplicates have come."""
