"""Parts of `benchmarks.made_pages`: words and forms, sites that dress texts, families of pages."""
