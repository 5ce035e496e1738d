"""Which visible lines are the text of a page, where no template says so.

`main_text` finds the article, unless `tables` speaks against asking it, or another of the
`engines` does; `alignment` finds the lines in its text. `judged` decides whether they speak for the
page, `combined` which lines are kept, by the names of `surroundings` and the box of the `article`;
`parts` says what lies beside the judged text, `places` where a line stands.
"""
