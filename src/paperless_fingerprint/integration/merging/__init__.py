"""Of documents that are the same, some are kept: the first of those gets what people gave to the
others, and the others go to Paperless's trash. One concept for the page, the API, the command line
and the policies.

`plan.py` says what would happen, from what Paperless holds and what was chosen, and touches nothing.
`read.py` fetches what the plan is made from; `carry_out.py` does what a plan says, goes on where it
was stopped, and takes it back; `words.py` tells it to people,
and `why.py` what was not done.
"""
