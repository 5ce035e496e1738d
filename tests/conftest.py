"""What any test may ask for by name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from analysing import no_processes

from crawler.dedup import native


@pytest.fixture(scope="module", params=["kernels", "numpy"])
def with_and_without_kernels(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run a module's tests twice: with the compiled kernels, and as if they had not been built."""
    if request.param == "kernels" and native.kernels is None:
        pytest.skip("installed without a C compiler: there are no kernels")
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "numpy":
            patch.setattr(native, "kernels", None)
        yield


@pytest.fixture
def no_analysis_processes(request: pytest.FixtureRequest) -> Iterator[None]:
    """Have pages read in the test's own process, but where a test is marked `processes`."""
    if request.node.get_closest_marker("processes"):
        yield
        return
    with no_processes():
        yield
