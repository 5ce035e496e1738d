"""The visible lines of a page, each with its place in the page.

`walk` goes over the tree once. It goes by the `kinds` of nodes, leaves out what is hidden
(`hiding`), takes code that is only coloured as a whole (`listings`), knows the `paths` where a text
stands and its place in the page's `structure`, with the `languages` of code, and hands texts to
`gathering`, which makes lines of them with what is `chrome` and not text, and to `formulas`.
`visible` is what others call.
"""
