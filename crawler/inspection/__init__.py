"""What a job's rules say of URLs, before they are asked for and after.

- `rules` names the rule that refuses a URL: scope, patterns, hosts, traps, robots.txt.
- `history` puts together what a crawl knows of one URL; `terminal` shows it, `data` is the same for
  JSON.
- `rehearsal` crawls a few pages into a directory that is thrown away, and sorts all that they link
  to by what would become of it.
"""
