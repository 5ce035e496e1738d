"""What more than one file of tests needs.

Places:
- `paths`: the project and its docs; `corpora`: real sites and tables beside the project
- `loading`: programs that belong to no package

Whole runs:
- `crawling`: the demo web crawled, in this process or as a program; `asking`: it without a network
- `documents`: `dedup` over small corpora; `explaining`: `explain` on two texts
- `output`: what a run has written; `replaying`: its verdicts, judged again
- `killing`: crawls that are killed in every phase
- `analysing`: no processes, for tests that are not about them

Servers on loopback:
- `servers`: exact bytes out, exact requests in; `fetching`: one fetch from them
- `trap_web`: endless sites and their finite neighbours
- `hostile_web`: all hostile hosts at once, each a `hostile_case` of `hostile_talk` (before a body),
  `hostile_bodies` or `hostile_pages` (in good HTTP), made with `hostile_replies`

Simulation and material:
- `worlds`, `trap_worlds`: a frontier with simulated store, clock and network
- `judging`: fingerprints and rows; `store_material`, `store_versions`: what a store holds
- `batch_victims`, `pool_victims`, `store_victim`: what comes to harm in a process of its own
"""
