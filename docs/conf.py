"""How Sphinx builds the site of these pages (`make docs`)."""

project = "inline-crawler"
author = "the authors of inline-crawler"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4
"""Links name headings as GitHub does, so that they lead somewhere there as well."""
html_theme = "furo"
html_title = "inline-crawler"
smartquotes = False  # `--flag` and code in quotes stay as they are typed
html_static_path = ["site"]
html_css_files = ["wide.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
