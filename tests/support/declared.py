"""A head that declares all that pages say of their text, but for its language."""

DECLARED = (
    '<meta property="article:published_time" content="2020-01-02">'
    '<meta property="article:modified_time" content="2020-02-03">'
    '<meta name="author" content="Ann"><meta name="description" content="A day">'
    '<meta property="og:site_name" content="The Site">'
)
