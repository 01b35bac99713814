"""The review: see, decide, search. Use cases of the page and of the API, without any HTTP."""
