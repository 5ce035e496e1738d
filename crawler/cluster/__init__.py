"""A crawl over several machines: partitions that crawl, and one judge for all, in parts.

::

    partition p ── asks ──▶ sequencer ── looks, keeps ──▶ shard 0 .. K-1
                ◀─ answers ─

Each role is an object with a directory of its own, which alone is true; whoever places roles,
restarts them and carries their calls keeps nothing. A page is judged by the sequencer, in the order
in which it numbers them, over what the shards tell of stored pages: its verdicts are those of one
`crawler.dedup.Judge` that is shown the pages in that order. A page that is kept lies at the shard
of its number modulo K.

What is durable, in order: the partition has its ask; each shard what it keeps of a batch; the
sequencer's log has the verdicts, which is what decides; then it answers. Whoever is killed in
between is opened again from its directory and asked again: a shard is told how far the log has come
and forgets what lies beyond, and the sequencer answers what it has decided from its log. Each
opening of a directory has a higher epoch, and who knows one refuses calls of a lower.

- `protocol` is what the roles say to each other, and who carries it.
- `state` is the directory of a role of the judge: who holds it, its tables, its epochs.
- `resting` is the judge while no crawl runs, and pages restored with it; `purging` changes it with
  the partitions, `backup` copies all, `accounts` holds all against each other.
- `sequencer` forms batches, decides them and keeps the log; `shard` looks, compares ahead and
  keeps. `gathered` is the judge in both, over what was gathered for a batch.
"""
