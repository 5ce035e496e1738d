"""What a crawl has learned of its sites' templates, told and shown.

::

    a crawl's directory -> opening -> hosts: figures of each          -> terminal, data
                                   -> one host: its zones (`zones`)   -> terminal, data, page
                                               pages painted (`painting`) ->         page
"""
