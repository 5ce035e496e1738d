"""What more than one file of tests needs; one that needs no more than its own keeps it to itself.

Places: `paths` (project, docs), `corpora` (real sites and conformance tables beside the project),
`loading` (programs that belong to no package).

Whole runs: `crawling` (the demo web crawled, here or as a program), `documents` (`dedup` over small
corpora), `explaining` (`explain` on two texts), `output` (what a run has written), `analysing` (no
processes where a test is not about them), `killing` and `replaying` (crawls killed, and judged
again by a judge that was not).

Servers: `servers` (exact bytes on loopback), `fetching` (one fetch from them), `trap_web` (endless
sites), `hostile_web` with one `hostile_case` for each behaviour: `hostile_talk` before a body,
`hostile_bodies`, `hostile_pages` in good HTTP, and `hostile_replies` to make them of.

Simulation and material: `worlds` and `trap_worlds` (a frontier without network and clock),
`judging` (fingerprints and rows), `store_material` and `store_versions` (what a store holds).

Victims run in processes of their own and come to harm: `batch_victims`, `pool_victims`,
`store_victim`.
"""
