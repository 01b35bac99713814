"""The query language: text → tree (language), overlap and probability → what to ask (plan)."""
