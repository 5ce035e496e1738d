"""The arguments of every command: each function adds those of the command of its name.

Its docstring is the command's help. What a command does is in the module of its name in
`crawler.cli.commands`.
"""

from __future__ import annotations

from crawler.cli.parser import Parser, count, duration, path, rows, size
from crawler.models import Evidence
from crawler.models.enums import ExportFormat, IndexDesign, Written


def export(parser: Parser) -> None:
    """Write the pages of a crawl as a corpus: Parquet, JSON lines, CSV, text or Dolma.

    Write the pages that the crawl (or run of `dedup`) in DIR has stored into OUT/unique, what it
    found to be duplicates into OUT/duplicates, in files of bounded size. DIR is only read, also
    while a crawl runs or after it was killed. OUT appears when all is written.

    %(prog)s crawl-out --output corpus
    %(prog)s crawl-out --output corpus --format jsonl --where verdict=new --where 'chars>=200'
    %(prog)s crawl-out --output corpus --where 'host=*.example.org' --where 'date>=2026-01-01'
    """
    parser.directory()
    parser.path("--output", "OUT", "the directory to make", required=True)
    parser.add_argument(
        "--format",
        choices=[one.value for one in ExportFormat],
        default=ExportFormat.PARQUET.value,
        help="what is written (parquet)",
    )
    parser.repeated(
        "--where",
        "TEST",
        "only pages that pass: language, host, date, verdict, chars, language_score or similarity, "
        "then = != < <= > >=, then a value (values of = and != with commas between)",
    )
    parser.switch("--markdown", "the texts as Markdown, too")
    parser.switch(
        "--with-dropped-text",
        "the texts of pages that were dropped, as far as they are kept: no byte copies",
    )
    parser.flag("--dump", "NAME", "the column dump (default: the name of DIR)")
    parser.flag(
        "--part-size", "SIZE", "a file that reaches it is followed by the next (256MiB)", size
    )


def dedup(parser: Parser) -> None:
    """Find duplicates in existing documents.

    Find duplicates in existing documents, one after another, by the same rules as a crawl: JSON
    lines (also in gzip, Zstandard or xz), Parquet, HTML and text files, or directories of these.
    The same command in the same DIR continues where it was stopped.

    %(prog)s corpus.jsonl.gz
    %(prog)s dataset/data --output judged --write rows --id-field metadata.url
    %(prog)s 2024/ --output judged-2024 --against judged-2023 --against crawl-out
    %(prog)s --plan --documents 10000000 --memory 4GB
    """
    parser.files("a file, a directory, or - for standard input", "*")
    parser.output("dedup-out")
    parser.text_field()
    parser.flag(
        "--id-field",
        "NAME",
        "where JSON or Parquet keeps the id (default: id where there is one, else the number "
        "of the line or row); dots lead into nested fields, as in metadata.url",
    )
    parser.switch(
        "--skip-bad",
        "leave out and count documents that cannot be read, rather than stop at the first",
    )
    parser.config()
    parser.judging()
    parser.repeated(
        "--against",
        "DIR|INDEX",
        "judge against the pages of this earlier run or crawl, or of this portable index, too",
        type=path,
    )
    parser.add_argument(
        "--write",
        choices=[one.value for one in Written],
        help="when all is judged write, for each file that was read, one into DIR/rows and so on: "
        "its rows without the copies (rows), all with their verdicts (all), the ids that are kept "
        "(ids), or true or false for each row (flags)",
    )
    text = "most bits in which a fingerprint may differ to propose a candidate (3)"
    parser.key("--distance", "dedup.distance", text, int, metavar="K")
    text = "how near fingerprints are found; the verdicts are the same (blocks)"
    parser.key("--index", "dedup.index", text, IndexDesign)
    text = "what the sorted tables may take, as in 512MB or 4GiB (no limit)"
    parser.key("--memory", "dedup.index_memory_bytes", text, size, metavar="SIZE")
    parser.add_argument(
        "--engine",
        choices=["ray"],
        help="judge in parts on a Ray cluster, with the same result: a private one on this "
        "machine, of --processes, unless --ray-address is given",
    )
    parser.flag("--ray-address", "ADDRESS", "a cluster that is there; all of it must see FILE, DIR")
    parser.switch(
        "--plan", "judge nothing: show what sorted tables of N documents cost, and which are chosen"
    )
    parser.flag("--documents", "N", "documents to plan for", int)


def read(parser: Parser) -> None:
    """Read archives (WARC, WET) as if they were crawled.

    Read archives as a crawl reads pages, in their order and without a network: what a page says,
    whether it is new. Directories are searched for archives. The same command in the same DIR
    continues where it was stopped.

    %(prog)s crawl.warc.gz
    %(prog)s CC-MAIN-20240101-00000.warc.wet.gz --output read-out --near keep
    """
    parser.files("an archive, or a directory")
    parser.output("read-out")
    parser.config()
    parser.pdf()
    parser.judging(siblings="tag")


def reread(parser: Parser) -> None:
    """Read the archives of a crawl again, with other settings.

    Read the archives that lie below DIR again, with the job of the crawl that is kept there; flags
    and a job file change it. Sites are read by what the crawl has learned of them, if the engine is
    the same. The crawl itself stays as it is.

    %(prog)s crawl-out --output reread-out --config other-engine.yaml
    """
    parser.directory()
    parser.output("reread-out")
    parser.config()
    parser.pdf()
    parser.judging(begun=True, siblings="")


def extract(parser: Parser) -> None:
    """Print the main text of one page: a URL, a file or standard input.

    Read one page as a crawl reads it: its main text, title, links, language and what its markup
    declares. A URL is fetched as a crawl would, by robots.txt and within its guard of addresses.
    Exit code 0: the page was read; 1: it could not be fetched; 2: bad input.

    %(prog)s https://site.example/article
    %(prog)s saved.html --url https://site.example/article --format json
    %(prog)s - --url https://site.example/ --format markdown
    """
    parser.add_argument("page", metavar="URL|FILE", help="a page, or - for standard input")
    parser.flag("--url", "URL", "where a file is from: links are resolved against it")
    parser.add_argument(
        "--format",
        choices=["text", "markdown", "json"],
        default="text",
        help="what is printed: the text, the same as Markdown, or all that was read (text)",
    )
    parser.config("job file: how a page is fetched (user_agent, fetch) and read (extract)")
    parser.key("--contact", "user_agent.contact", "where site owners can reach you", metavar="URL")


def index(parser: Parser) -> None:
    """Keep what is known of crawls in one portable file.

    Write what is needed to judge against the pages of crawls, runs of `dedup` and CDXJ files
    (digests of payloads) into one file, for `--against` of `crawl` and `dedup`: build INDEX of
    sources, add some to it, remove some by their names, show it (info), or merge several. Each
    source is a segment of its own. No text and no secret of a crawl is in it.

    %(prog)s build crawl-2024 crawl-2025 captures.cdxj.gz --output earlier.index
    %(prog)s add earlier.index crawl-2026
    %(prog)s remove earlier.index crawl-2024
    %(prog)s info earlier.index
    %(prog)s merge one.index two.index --output both.index
    """
    parser.add_argument("action", choices=["build", "add", "remove", "info", "merge"])
    parser.add_argument("paths", nargs="+", type=path, metavar="PATH", help="as the examples show")
    parser.path("--output", "FILE", "the index to write (build, merge)")
    parser.switch(
        "--shingles",
        "keep all shingles, not their sketches alone (build, add): near duplicates are then "
        "compared exactly, for four times the bytes",
    )


def lexicon(parser: Parser) -> None:
    """Count the words of a sample of texts, for the I-Match and TF-IDF methods.

    Count in how many documents of a sample each word occurs, and write the file that
    `dedup.lexicon` of a job names. Input: JSON lines, as in a crawl's pages.jsonl, and text files.

    %(prog)s crawl-out/pages.jsonl --output lexicon.tsv
    """
    parser.files("a file or a directory")
    parser.path("--output", "FILE", "the lexicon to write", required=True)
    parser.text_field()


def crawl(parser: Parser) -> None:
    """Begin a crawl.

    Start at seeds and follow their links. Ctrl-C (or `kill`) is how it is stopped or paused, and
    `resume` goes on. `report` shows its status and lists what failed, also while it runs.

    %(prog)s https://site.example/ --pages 500
    %(prog)s --seeds seeds.txt --contact https://example.org/our-crawler
    %(prog)s --config job.yaml --pages 1000
    %(prog)s --config job.yaml --resume-if-begun
    """
    parser.seeds("where to begin")
    parser.config()
    parser.path("--output", "DIR", "output directory (default: crawl-out)")
    parser.job()
    parser.watched()
    parser.switch(
        "--resume-if-begun",
        "continue the crawl in the output directory, with the job given here, if one has "
        "begun there: the one command for a service",
    )


def cluster(parser: Parser) -> None:
    """Look at a crawl of several partitions, stop it, go on with it, or give it more seeds.

    Show what became of each partition of the crawl in DIR (status), have the run that crawls there
    now come to an end (stop), go on with it where no run does (resume), or add seeds, while it runs
    or not (add). `cluster start` begins one, with the flags of `crawl`.

    %(prog)s start --config job.yaml --partitions 8
    %(prog)s status crawl-out
    %(prog)s resume crawl-out
    %(prog)s add crawl-out https://site.example/new/
    """
    parser.add_argument("action", choices=["status", "stop", "resume", "add"])
    parser.directory()
    parser.seeds("a further seed (add)")
    parser.json("an object for each partition (status)")


def dry_run(parser: Parser) -> None:
    """Show what a crawl would fetch, and by which rule it would leave out the rest.

    Fetch a few pages as the crawl would, politely, and show what would become of all that they
    link to: fetched, or refused by scope, patterns or robots.txt; then which pauses hosts want, and
    how long they take. Nothing is kept. With --check only the URLs of a list are judged by the
    job's rules, without a network.

    %(prog)s https://site.example/
    %(prog)s --config job.yaml --sample 50
    %(prog)s --config job.yaml --check urls.txt
    """
    parser.seeds("where to begin")
    parser.config()
    parser.job()
    parser.flag("--sample", "N", "pages fetched at most (default: 10)", count, 10)
    parser.flag("--show", "N", "URLs of each fate shown (default: 5)", count, 5)
    parser.path("--check", "FILE", "judge these URLs, one on each line, - is standard input")
    parser.json("an object for each URL")


def resume(parser: Parser) -> None:
    """Continue a crawl that was stopped, killed or limited.

    Continue the crawl in DIR. Its job is stored there; flags and a job file change it for this and
    later runs.

    %(prog)s crawl-out
    %(prog)s crawl-out --pages 2000 --release all
    """
    parser.directory()
    parser.config("YAML job file that replaces the stored job")
    parser.job(begun=True)
    parser.watched()
    parser.repeated(
        "--release",
        "SUBTREE|RULE",
        "fetch a subtree that was cut as endless: its name in the report, the beginning of "
        "the name, or all; or what waits by a rule that `rules` lists, and use that no more",
    )


def recrawl(parser: Parser) -> None:
    """Visit the pages of a finished crawl again, and tell what has changed.

    Ask again for the pages of the crawl (or recrawl) in DIR, only if they have changed where the
    server can tell, and keep what is new in a directory of its own. DIR does not change. What
    became of each page is in changes.jsonl; `resume` goes on with a recrawl that was stopped.

    %(prog)s crawl-out --due
    %(prog)s crawl-out.r1 --due --known-only
    %(prog)s crawl-out --all --output crawl-out.new
    """
    parser.directory()
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--due",
        action="store_true",
        help="only pages whose time has come, by how often they changed (the default)",
    )
    which.add_argument("--all", action="store_true", help="every page")
    parser.switch("--known-only", "ask for no URL that is new (default: in scope)")
    parser.switch(
        "--pending",
        "also URLs that earlier directories left pending (default: `resume` them there)",
    )
    # Not the key of the job: DIR is where that is found.
    parser.add_argument(
        "--output",
        dest="into",
        type=path,
        metavar="DIR",
        help="new directory (default: DIR.r1, of DIR.r1 it is DIR.r2)",
    )
    parser.settings()
    parser.job(begun=True)
    parser.watched()


def demo(parser: Parser) -> None:
    """Crawl the bundled demo web and check the duplicates found.

    Serve the demo web on loopback, crawl it, and compare the duplicates found with those that are
    known to be in it. Needs no network.

    %(prog)s
    %(prog)s --articles 3000 --output demo-large
    """
    parser.path("--output", "DIR", "default: demo-out, or the next one free")
    parser.flag("--articles", "N", "size of the web (default: 300)", int, 300)
    parser.flag("--seed", "N", "another number, another web (2026)", int, 2026)
    parser.verbose()


def add(parser: Parser) -> None:
    """Add seeds to a crawl that has begun.

    Queue URLs as further seeds of the crawl in DIR, which must not be running unless it is one of
    several partitions: the next `resume` fetches them, and their hosts are in scope from then on.
    What the crawl knows already stays as it is; what its job excludes is named.

    %(prog)s crawl-out https://site.example/new/
    %(prog)s crawl-out --seeds more.txt
    """
    parser.directory()
    parser.seeds("where to go on from")


def retry(parser: Parser) -> None:
    """Put failed URLs of a crawl back, so that `resume` asks for them again.

    Put URLs of the crawl in DIR that failed back to pending: without --class those whose failure
    may pass by itself (timeouts, no connection, no such name, 429, 5xx, broken answers). Their
    lines stay in failures.jsonl. The next `resume` asks for them again.

    %(prog)s crawl-out
    %(prog)s crawl-out --class http-5xx --class timeout-body --host a.example --older-than 6h
    %(prog)s crawl-out --class robots-unreachable --dry-run
    """
    parser.directory()
    parser.repeated(
        "--class",
        "CLASS",
        "a class as in failures.jsonl, a reason as in skipped.jsonl, or all (every failure)",
        "classes",
    )
    parser.repeated("--host", "HOST", "only URLs of this host", "hosts")
    parser.flag("--older-than", "AGE", "only what failed so long ago: 90s, 30m, 6h", duration)
    parser.switch("--dry-run", "show what would be put back")


def purge(parser: Parser) -> None:
    """Remove everything of a host from a crawl.

    Remove the URLs, pages, texts and lines of a host from the crawl in DIR, which must not be
    running, and exclude the host from its job. Pages of other hosts that were dropped as copies of
    those are pending again: the next `resume` fetches them. Archives and exports stay as they are.

    %(prog)s crawl-out --host www.example.org --dry-run
    %(prog)s crawl-out --host www.example.org --yes
    """
    parser.directory()
    parser.repeated("--host", "HOST", "the host, as `report` names it", "hosts")
    parser.switch("--yes", "do it; it cannot be undone")
    parser.switch("--dry-run", "show what would be removed")
    parser.switch("--keep-archives", "do it although WARC files keep what they have of the host")


def restore(parser: Parser) -> None:
    """Store pages that a crawl dropped as duplicates or siblings.

    Undo drops: store pages that the crawl in DIR dropped, from what it kept of them; exact copies
    too, those to the byte from the page that they equal. Give their URLs, or the stored page that
    they were dropped for, or the evidence they were dropped on. The crawl must not be running.

    %(prog)s crawl-out https://a.example/2 https://a.example/3
    %(prog)s crawl-out --evidence same-text --dry-run
    %(prog)s crawl-out --cluster 12 --evidence same-text
    """
    parser.directory()
    parser.add_argument("urls", nargs="*", metavar="URL", help="a page that was dropped")
    parser.repeated(
        "--cluster",
        "ID",
        "all that was dropped for the stored page with this id, exact copies included",
        type=int,
    )
    parser.add_argument(
        "--evidence",
        choices=[code.value for code in Evidence],
        action="append",
        default=[],
        metavar="CODE",
        help="all near duplicates and siblings that were dropped on this evidence, with --cluster "
        f"only such for these pages; may be repeated: {', '.join(Evidence)}",
    )
    parser.switch("--dry-run", "list what would be restored, change nothing")


def reindex(parser: Parser) -> None:
    """Compute new fingerprints for the stored pages of a crawl, with other settings.

    Compute new fingerprints for every stored page of the crawl in DIR from its stored text, for
    settings that `resume` cannot change. Settings that are not given stay as they are. Verdicts and
    output lines do not change. If it is stopped or killed, nothing has changed.

    %(prog)s crawl-out --config new.yaml
    """
    parser.directory()
    parser.config("YAML job file that replaces the stored job")
    parser.judging(begun=True)


def backup(parser: Parser) -> None:
    """Copy a crawl's directory, also while it runs.

    Copy the crawl in DIR into the new directory COPY, in its state at one moment, even while it
    runs. `report` and `resume` work on the copy.

    %(prog)s crawl-out crawl-copy
    """
    parser.directory()
    parser.add_argument("target", type=path, metavar="COPY")


def check(parser: Parser) -> None:
    """Look for damage in the directory of a crawl, even while it runs.

    Verify the directory of a crawl or of a run of `dedup`: the state file, every line, all counts,
    what copies refer to, texts and what is kept of dropped pages. Changes nothing. Exit code 0: it
    is sound; 1: damage was found, each with its place and the way out; 2: no crawl is there.

    %(prog)s crawl-out
    %(prog)s crawl-out --all
    """
    parser.directory()
    parser.switch("--all", "compute the fingerprint of every stored page again, not of a sample")


def report(parser: Parser) -> None:
    """Print tables of a crawl, even while it runs, or write a page to look at.

    Print how every URL ended: verdicts by kind and host, largest clusters, failures, and whether
    the counts agree. --html writes one self-contained page with charts, the
    clusters with their texts side by side, and a list of all copies to search in.

    %(prog)s crawl-out --top 50
    %(prog)s crawl-out --html report.html
    """
    parser.directory()
    parser.flag("--top", "N", "hosts and clusters shown (default: 20)", rows, 20)
    parser.switch("--verbose", "costs and savings, too")
    parser.path("--html", "FILE", "write a page to look at instead of printing tables")
    parser.json("everything as JSON instead")


def inspect(parser: Parser) -> None:
    """Show all that a crawl knows of one URL, even while it runs.

    Show which pages led to URL, what robots.txt says of it, what became of it and why, and which
    pages are its copies or siblings; of one that was never queued, the rule that refuses it. URL
    may be the id of a stored page.

    %(prog)s crawl-out https://site.example/a
    %(prog)s crawl-out 42 --json
    """
    parser.directory()
    parser.add_argument("url", metavar="URL")
    parser.json("everything as JSON")


def query(parser: Parser) -> None:
    """Ask the state of a crawl by SQL, even while it runs.

    Run one SELECT of SQLite on the views of a crawl: urls, pages, duplicates, failures, skipped,
    hosts and others; without SQL they are listed with their columns. It reads these and nothing
    else. Texts and titles are in the line files.

    %(prog)s crawl-out
    %(prog)s crawl-out "SELECT host, failures FROM hosts ORDER BY failures DESC LIMIT 10"
    %(prog)s crawl-out "SELECT url FROM urls WHERE state = 'pending'" --csv
    """
    parser.directory()
    parser.add_argument("sql", nargs="?", metavar="SQL")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print an object a line")
    form.add_argument("--csv", action="store_true", help="print comma-separated values")


def templates(parser: Parser) -> None:
    """Show what was learned of each site's template.

    A crawl learns which zones of a site's pages are text and which are surroundings, and reads
    further pages by that. List the hosts of which a template was learned; or the zones of one host,
    kept and left out, each with an example; or write a page that paints them on pages of the host.
    Warnings below name hosts whose template was revoked, with the command that reads its pages
    again, or differs from the extractor in audits: precision and recall, to be looked at.

    %(prog)s crawl-out
    %(prog)s crawl-out www.example.org
    %(prog)s crawl-out www.example.org --html template.html
    %(prog)s crawl-out www.example.org --html template.html --page saved.html
    """
    parser.directory()
    parser.add_argument("host", nargs="?", metavar="HOST")
    parser.path("--html", "FILE", "write a page that paints zones on pages of HOST")
    parser.path("--page", "FILE", "paint this HTML file (default: stored pages)")
    parser.json("everything as JSON")


def rules(parser: Parser) -> None:
    """Show which URLs were found to bring nothing new, by rule.

    A crawl learns from its verdicts which URLs of a site bring little or nothing, and asks for them
    last. List the rules, what each rests on, how many URLs wait because of it, how many were asked
    for all the same, and how many of those it was wrong about. Then the places that show the same
    as others (mirrors and editions), and at how many of their paths.

    %(prog)s crawl-out
    %(prog)s crawl-out --json
    """
    parser.directory()
    parser.json("everything as JSON")


def search(parser: Parser) -> None:
    """Search in the texts of stored pages.

    Print the pages stored in DIR that have all of the words, the best first. An argument of several
    words is a phrase. An index of words is kept in DIR/search.sqlite, which may be deleted.

    %(prog)s crawl-out harbour bridge
    %(prog)s crawl-out "city council" 上海
    """
    parser.directory()
    parser.add_argument("words", nargs="+", metavar="WORD")
    parser.flag("--top", "N", "pages shown (20)", rows, 20)
    parser.json("everything as JSON")


def explain(parser: Parser) -> None:
    """Show why two documents are, or are not, duplicates.

    Compare two documents, each a page of the crawl in DIR (its URL, or its id in pages.jsonl), a
    document of the run of `dedup` in DIR (its id) or a file: the verdict and the rule behind it, in
    which passages the texts differ, and then the numbers: similarity by every method, fingerprints,
    features. Two files need no DIR.

    %(prog)s crawl-out 17 42
    %(prog)s crawl-out https://a.example/1 https://b.example/2
    %(prog)s one.html two.html
    """
    parser.add_argument("directory", nargs="?", type=path, metavar="DIR")
    parser.add_argument("documents", nargs=2, metavar="ID|URL|FILE")
    parser.path("--output", "DIR", "DIR as a flag")
    parser.config("job file to judge by (default: the crawl's)")
    parser.switch(
        "--fetch", "fetch a dropped page again whose text was not kept (dedup.keep_dropped: false)"
    )
    parser.json("everything as JSON")
    parser.path("--html", "FILE", "write a page instead")


def audit(parser: Parser) -> None:
    """Check a random sample of what was dropped by eye, and estimate the errors.

    Draw dropped near duplicates, pages dropped for the same text, and siblings of the crawl (or run
    of `dedup`) in DIR at random, and write a page that shows each beside the page that it is said
    to be like. Mark the pairs there; from the exported marks the share of wrong verdicts in the
    whole crawl is estimated.

    %(prog)s crawl-out
    %(prog)s crawl-out --marks marks.jsonl
    %(prog)s crawl-out --terminal --sample 20
    """
    parser.directory()
    parser.flag("--sample", "N", "number of pairs (50)", int)
    parser.flag("--siblings", "N", "how many of them are siblings (half)", int)
    parser.flag("--seed", "N", "another number, another sample (1)", int)
    parser.switch("--by-doubt", "the most doubtful pairs first: to find mistakes, not to estimate")
    parser.path("--output", "FILE", "the page to write (audit.html)")
    parser.switch(
        "--terminal",
        "show the pairs here instead, and ask; answers are kept in --marks (marks.jsonl)",
    )
    parser.path("--marks", "FILE", "estimate from these marks; no page is written")


def completion(parser: Parser) -> None:
    """Print a script by which a shell completes commands and flags.

    Print a script that completes commands, flags, choices and files of the program `crawler`. It is
    to lie where the shell looks: ~/.local/share/bash-completion/completions/crawler, _crawler in a
    directory of zsh's fpath, or ~/.config/fish/completions/crawler.fish.

    %(prog)s bash
    %(prog)s zsh
    %(prog)s fish
    """
    parser.add_argument("shell", choices=["bash", "zsh", "fish"])


GROUPS = {
    "begin and continue": (crawl, resume, cluster, dry_run, recrawl, add, demo),
    "look": (report, inspect, query, search, templates, rules, explain, audit),
    "repair": (retry, restore, purge, reindex, backup, check),
    "corpus": (export, dedup, extract, read, reread, index, lexicon),
    "this program": (completion,),
}
"""The commands as the help lists them."""
