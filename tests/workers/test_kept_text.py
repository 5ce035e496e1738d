"""The text that the analyser keeps of a page, plain and, where a job asks for it, as Markdown."""

from __future__ import annotations

from support.documents import text
from support.site_pages import article
from support.teaching import ENOUGH, lesson, read

from crawler.config import Engine, Extract, Job
from crawler.extract.lines import visible_lines
from crawler.extract.page import parse
from crawler.extract.templates import Learner, Plan, Standing, Template, blocks_of, pack_template
from crawler.extract.templates.template import Known
from crawler.models import TEMPLATE, Document, JudgedOn
from crawler.workers.analyser import Analyser
from crawler.workers.messages import AnalysisRequest, AnalysisSettings

PAGE = b"""<base href=/docs/><h1>Lights<a href=#l>#</a></h1>
<ul><li>The <a href=harbour>harbour</a></ul>
<pre><code class=language-sh>if on; then
  shine</code></pre>"""


def analysed(
    media_type: str = "text/html", *, markdown: bool = False, links: bool = False
) -> Document:
    """Return the document of the page, all its visible lines kept."""
    extract = Extract(engine=Engine.VISIBLE, markdown=markdown, links=links)
    settings = AnalysisSettings.of(Job(extract=extract))
    return Analyser(settings).analyse(AnalysisRequest("http://a/b", PAGE, media_type, None))


def test_plain_text_is_kept_and_no_markdown_unless_it_is_asked_for() -> None:
    """By default a document has its text with lists and code as they stand, and nothing else."""
    document = analysed(links=True)
    assert document.text == "Lights\n- The harbour\nif on; then\n  shine"
    assert document.markdown is None


def test_markdown_is_kept_beside_it() -> None:
    """Markdown is of the same lines; links are in it by option, resolved by the page's base."""
    code = "```sh\nif on; then\n  shine\n```"
    document = analysed(markdown=True)
    assert document.markdown == f"# Lights\n\n- The harbour\n\n{code}"
    assert document.text == analysed().text
    linked = analysed(markdown=True, links=True)
    assert linked.markdown == f"# Lights\n\n- The [harbour](http://a/docs/harbour)\n\n{code}"
    assert linked.signature.text_digest == document.signature.text_digest


def test_plain_text_is_its_own_markdown() -> None:
    """A page without markup has nothing to mark up."""
    document = analysed("text/plain", markdown=True)
    assert document.markdown == document.text


def test_a_page_that_loses_too_much_says_that_it_was_doubted() -> None:
    """Read again from what its line says it has the same texts: kept as alone, judged as a whole.

    Alone, its extractor would be trusted.
    """
    learner = Learner()
    for number in range(ENOUGH):
        learner.hear(learner.plan(), lesson(number).lesson, served=False)
    page = article(99, sidebar=f"<p>{text(7, 60)}</p>")
    found, alone = read(page, learner.plan()), read(page, Plan(None, False))
    assert (found.doubted, found.judged_on, found.template) == (True, JudgedOn.VISIBLE, None)
    assert (alone.doubted, alone.judged_on) == (False, JudgedOn.MAIN)
    assert (found.text, found.read_by) == (alone.text, alone.read_by)
    again = read(page, Plan(None, False), doubted=found.doubted)
    assert again.signature.fingerprint == found.signature.fingerprint
    assert again.signature.fingerprint != alone.signature.fingerprint


def test_boxes_that_a_template_keeps_go_by_sure_names() -> None:
    """A template that knows of no surroundings is helped by the names of boxes, but only so."""
    prose = "<p>" + "The harbour master spoke about the new lighthouse. " * 3
    for name, is_kept in (("newsletter", False), ("news", True), ("sidebar", True)):
        html = f"<main>{prose}</main><div class={name}><p>Join us every week</div>"
        zones = {block.zone for block in blocks_of(visible_lines(parse(html, "text/html")))}
        template = Template(dict.fromkeys(zones, Known(Standing.SEEN)), {}, 0)
        request = AnalysisRequest(
            "http://a/", html.encode(), "text/html", None, pack_template(template, 1)
        )
        document = Analyser(AnalysisSettings.of(Job())).analyse(request)
        assert (document.read_by, document.template) == (TEMPLATE, 1)
        assert "harbour" in document.text
        assert ("Join us" in document.text) is is_kept


HIDING = f"""<nav><a href=/>Home</a></nav><article><h1>Lighthouses</h1>
<p>{text(1, 90)}.</p><p>{text(2, 90)}.</p><p>{text(3, 90)}.</p>
<section><h2>Who keeps them?</h2><div hidden><p>{{}} of the <b>harbour</b>.</p></div></section>
<p>{text(4, 90)}.</p><div role=dialog hidden>We use cookies</div></article>"""


def test_what_a_kept_line_opens_is_kept_and_not_judged() -> None:
    """Where lines were chosen: a page's text has it, and its verdict rests on what is visible."""
    for engine, is_kept in ((Engine.LEARNED, True), (Engine.VISIBLE, False)):
        extract = Extract(engine=engine, markdown=True)
        analyser = Analyser(AnalysisSettings.of(Job(extract=extract)))
        one, other = (
            analyser.analyse(
                AnalysisRequest("http://a/b", HIDING.format(who).encode(), "text/html", None)
            )
            for who in ("The keepers", "Nobody")
        )
        assert ("The keepers of the harbour." in one.text) is is_kept
        assert ("## Who keeps them?\n\nThe keepers of" in (one.markdown or "")) is is_kept
        assert "cookies" not in one.text
        assert (one.signature.text_digest != other.signature.text_digest) is is_kept
        assert one.signature.visible_digest == other.signature.visible_digest
        assert one.signature.fingerprint == other.signature.fingerprint
        assert one.appearance != other.appearance
