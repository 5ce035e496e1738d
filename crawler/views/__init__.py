"""What a crawl found, for people and machines: reports, explanations, audits, exports, checks."""
