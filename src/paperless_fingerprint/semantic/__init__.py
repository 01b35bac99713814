"""The same content in other words or in another language, found by embeddings.

Nothing here is imported before somebody has switched `[semantic] enabled` on.
"""
