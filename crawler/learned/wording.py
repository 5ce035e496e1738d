"""What is said of templates, the same in a terminal and on a page."""

from __future__ import annotations

from crawler.learned.opening import HostLearned, HostTemplate


def sentence(about: HostLearned) -> str:
    """Return what came of a host's template."""
    figures = about.figures
    said = [
        f"{figures.served:,} pages were read by what was learned from {figures.taught:,}",
        f"in {figures.versions:,} versions",
    ]
    if figures.audits:
        said.append(
            f"{figures.audits:,} of them were audited, agreement with the extractor "
            f"{figures.agreement:.0%}"
        )
    if figures.revoked:
        said.append(f"{figures.revoked:,} templates were revoked")
    return "; ".join(said) + "."


def state(shown: HostTemplate) -> str:
    """Return whether a template reads the host's pages now."""
    if shown.version is None:
        return "No template reads its pages now: they are read one by one, and learned from."
    return f"Version {shown.version:,} reads its pages now ({shown.about.template_bytes:,} bytes)."
