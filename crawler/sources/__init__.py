"""Sources beside the web that feed the same judge: archives (WARC, WET) and corpora."""
