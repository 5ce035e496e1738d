"""Signatures: made of their parts' values, the same in any process, for any text."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

from crawler import config
from crawler.dedup import Signer
from crawler.dedup.signing import text_digest
from crawler.models import Signature

pytestmark = pytest.mark.usefixtures("either_way")

TEXT = "在 asyncio 里抓取网页 while pages are judged, 每一页都有结论。" * 3


def same(one: Signature, two: Signature) -> bool:
    """Compare two signatures, arrays included."""
    return pickle.dumps(one) == pickle.dumps(two)


def test_signature_says_all_of_a_text() -> None:
    """Each field is what its owner computes."""
    signature = Signer(config.Dedup())(TEXT, "shown " + TEXT)
    assert signature.text_digest == text_digest(TEXT)
    assert signature.visible_digest == text_digest("shown " + TEXT)
    assert signature.shingle_kind == "char4"
    assert signature.tokens == 3 * len("asyncio 抓取 网页 pages judged 一页 结论".split())
    assert int.from_bytes(signature.sketch[-4:], "little") == len(signature.shingles) > 0
    assert signature.shingles.dtype == np.uint32


def test_signer_travels_to_another_process() -> None:
    """A signer that has not been used can be pickled and signs the same there."""
    signer = Signer(config.Dedup())
    assert same(pickle.loads(pickle.dumps(signer))(TEXT, TEXT), signer(TEXT, TEXT))


@pytest.fixture(scope="module")
def signed_elsewhere() -> list[str]:
    """Return the fingerprint and the sketch that another interpreter computes."""
    program = (
        "import sys; from crawler import config; from crawler.dedup import Signer\n"
        "s = Signer(config.Dedup())(sys.argv[1], ''); print(s.fingerprint, s.sketch.hex())"
    )
    return subprocess.run(
        [sys.executable, "-c", program, TEXT],
        env={"PYTHONHASHSEED": "123"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()


def test_signatures_do_not_depend_on_the_process(signed_elsewhere: list[str]) -> None:
    """Another interpreter with another hash seed computes the same fingerprint and sketch."""
    signature = Signer(config.Dedup())(TEXT, "")
    assert signed_elsewhere == [str(signature.fingerprint), signature.sketch.hex()]


@pytest.mark.parametrize(
    "text", ["", " ", "。", "a", "\ud800", "\x00", "ﷺ" * 50, "ｶﾞ" * 9, "İ" * 40]
)
def test_no_text_breaks_the_signer(text: str) -> None:
    """Odd texts have signatures too, and the same ones twice."""
    signer = Signer(config.Dedup())
    assert same(signer(text, text), signer(text, text))


def test_a_giant_text_has_a_bounded_signature() -> None:
    """Ten thousand times the text is not ten thousand times the memory."""
    rng = np.random.default_rng(1)
    giant = " ".join(f"w{n}" for n in rng.integers(0, 10_000, 150_000))
    signature = Signer(config.Dedup())(giant, giant)
    assert len(signature.shingles) == 65_536
    assert int.from_bytes(signature.sketch[-4:], "little") > 140_000
