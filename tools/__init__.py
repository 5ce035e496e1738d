"""What is done to the project and is no part of it.

`packages` checks what is built of it, `keys` fills in the table of docs/configuration.md, and
`settings` looks up the names of other programs in docs/coming-from.md.
"""
