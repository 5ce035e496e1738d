"""The document frequencies of a sample of texts, as a small file for a job.

JSON lines are read by their text field, a crawl's or dedup run's `pages.jsonl` among them, and
plain text files whole. HTML is not read here: crawl it first, and give this its `pages.jsonl`.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence

from crawler import units
from crawler.console import counted, safe, say
from crawler.dedup.methods import rivals
from crawler.dedup.signing import load_segmenter, take_apart
from crawler.errors import InputError
from crawler.sources.documents import Bad, Fields, batches, real_trouble
from crawler.sources.inputs import InputFile, expand
from crawler.sources.reader import read_text


def lexicon(args: Namespace) -> int:
    """Write the lexicon of some files.

    Raises InputError, naming file and line, for what cannot be read, and ConfigError where `output`
    cannot be written.
    """
    output = args.output
    files = expand(args.files)
    if any(file.path and output.exists() and file.path.samefile(output) for file in files):
        raise InputError(f"{output} is one of the files to be read: choose another --output")
    segment = load_segmenter()
    texts = _texts(files, args.text_field)
    frequencies = rivals.fit(
        take_apart(text, segment).counts for text in counted(texts, "documents read", say)
    )
    if not frequencies.counts:
        raise InputError(
            f"no word occurs in two of the {frequencies.documents:,} documents: use a larger sample"
        )
    rivals.save(frequencies, output)
    words, of = len(frequencies.counts), frequencies.documents
    told = f"{units.counted(words, 'word')} of {units.counted(of, 'document')}"
    print(f"{safe(str(output))}: {told}")
    return 0


def _texts(files: Sequence[InputFile], text_field: str) -> Iterator[str]:
    for file in files:
        if file.media_type not in (None, "text/plain"):
            raise InputError(
                f"{file.name}: `lexicon` reads JSON lines or plain text only. Run `dedup` on this "
                "file first, and give the resulting pages.jsonl"
            )
    read = batches(files, 0, Fields(text_field))
    for document in (document for batch in read for document in batch.documents):
        text = read_text(document, text_field)
        if isinstance(text, Bad):
            raise InputError(f"{document.place}: {real_trouble(document, text).detail}")
        yield text
