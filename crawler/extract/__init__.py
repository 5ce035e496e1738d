"""Reading one page: bytes to characters, characters to links, hints and text.

::

    bytes -> charset -> bounds -> page (parsed once) -> links, hints, layout, metadata
                                                     -> lines -> readings or templates -> the text
                                        lines -> features -> learned (trees) -> readings

`charset` finds the characters of a page, `bounds` cuts down what would take quadratic time, `page`
parses and reads what markup says; `pdf` writes a PDF as such a page. `lines` are all that a reader
sees, each with its place in the page, and which of them are chrome; `apart` is what else the page
shows or holds. Which lines are its text: `readings` say it for a page of no known template, and
which text speaks for it, by default from what a model has `learned` of the `features` of lines;
`templates` say it for one whose site is known. `rendering` writes it as plain text and Markdown;
`text` tells its language; `listing` reads sitemaps and feeds, and `scripts` tells what a page
leaves to its own. `directives` are what header fields say as well; `installed` says whether what
all of it needs is there.

Each is imported by itself: the crawl's own process reads no page, and loads no parser.
"""
