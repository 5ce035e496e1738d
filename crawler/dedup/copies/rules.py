"""What tells copies from siblings: whether a stored page shows everything that a page shows.

In this order: of one site, is anything left over on the page? If so, is the stored page an edition
of it, by what this site's pages have proven, and nothing contradicts that? Of two sites, is one the
reprint of the other? In doubt a page is another page: a copy that is stored costs bytes, a page
that is dropped is gone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple
from unicodedata import category
from urllib.parse import SplitResult, parse_qsl, urlsplit

from crawler.dedup.copies import naming, renditions
from crawler.dedup.copies.agreement import (
    Agreement,
    Line,
    Page,
    Passage,
    numbers,
    tokens,
    without_numbers,
)
from crawler.dedup.copies.appearance import CUT, Appearance, judged_text, lines_of
from crawler.dedup.copies.volatile import (
    counters,
    has_only_dates,
    is_dateline,
    lasting,
    without_stamps,
)
from crawler.dedup.kinds import SAME_LAYOUT
from crawler.dedup.signing import layout_similarity
from crawler.models import (
    BESIDE_LINE,
    DATA_LINE,
    DRAWN_LINE,
    EMBED_LINE,
    FRAME_LINE,
    HIDDEN_LINE,
    LINK_LINE,
    PICTURE_LINE,
    VALUE_LINE,
    Evidence,
)
from crawler.urls import registrable_domain
from crawler.urls.editions import Claim, Editions, Support, address

BESIDE_ELSEWHERE = 1.0
"""How much may differ beside one text on two sites, links left out, as a multiple of the text:
another template has other surroundings."""
SHOWN = 0.4
"""What two pages must show alike of all that is visible on them, whatever their addresses say. A
judged text may be a small part of a page, or content that was moved may have been left out of it.
Of true copies on whole sites and of made ones the least alike show .44 (`benchmarks.copies`)."""
FILLED = 2
"""Times that one word stands for another in two dresses of a page, or words beside its text for
others, or lines of it that are other ones, before a form was filled in: an editor changes one."""
AMOUNTS = 2
"""Amounts that stand for others before an edition is taken for a form that was filled in."""
MOSTLY, FEWEST = 0.5, 2
"""Share and number of a host's other pages that show what belongs to the site, not to a page."""
VERSION = 0.8
"""Share of the lines of a text from which another page is a version of it, or of its form."""
EDGES = 0.1
"""How much of a text may be left over, as a share of it, where the same page stands in another
dress (for printing, for phones): an extraction takes in what stands around a text."""
MOST_EDITED = 60
"""Passages of either page that are looked at for what was edited: of each with each."""
HEADLINE = 4
"""Words of the shortest link that is the title of another page, and no place, price or name."""
FEW = 8
"""Words of the longest line that tells a value by a number, such as a price."""
_STOPS = (".", "!", "?", "。", "！", "？")
"""What ends a sentence."""


class Site:
    """What a site's pages have proven of addresses, and others of them; notes what it was asked."""

    def __init__(
        self, editions: Editions, others: Callable[[str], Sequence[Page]] = lambda url: ()
    ) -> None:
        self._editions = editions
        self._others = others
        self.earned: tuple[bool, bool] | None = None
        """Whether a claim was earned, and proven."""
        self.languages: bool | None = None
        """Whether it holds languages apart."""
        self.of_host = False
        """Whether it was asked for others."""

    def support(self, claim: Claim) -> Support:
        """See Editions."""
        found = self._editions.support(claim)
        self.earned = found.is_earned, found.is_proven
        return found

    def holds_languages(self, claim: Claim) -> bool:
        """See Editions."""
        self.languages = self._editions.holds_languages(claim)
        return self.languages

    def others(self, url: str) -> Sequence[Page]:
        """Return some other stored pages of a URL's host."""
        self.of_host = True
        return self._others(url)


class Weighed(NamedTuple):
    """What two pages say of each other, and of their addresses."""

    evidence: Evidence
    agrees: bool | None = None
    """Whether they speak for it that such addresses are editions of each other: they show the same,
    or the same in two languages; False where names or numbers contradict, None for neither."""


def weigh(
    page: Page | None,
    stored: Page | None,
    site: Site,
    *,
    short: bool = False,
    alike: bool = True,
    claim: Claim | None = None,
) -> Weighed:
    """Return what tells whether a page is a copy of a stored one that it is like.

    Where nothing speaks for a copy, the answer is one of a sibling. Of `short` texts punctuation
    counts as well: many of a site are one sentence, the same for two things. Texts that are not
    `alike` are copies only where all is shown. `claim` is what the two, if they are one page, say
    of their addresses.
    Takes time linear in the texts of both pages, and of a few others of the site where something is
    left over.
    """
    if page is None or stored is None:
        return Weighed(Evidence.UNKNOWN)
    pair = _Pair(page, stored, site, claim)
    weighed = _weighed(pair, short=short, alike=alike, claim=claim)
    if weighed.evidence.is_copy and (pair.counts_another or pair.is_of_another_day):
        # As of any other text, with a parameter that contradicts.
        is_of_parameter = claim is not None and claim.is_of_parameter
        return Weighed(Evidence.OTHER_NUMBERS, agrees=False if is_of_parameter else None)
    return weighed


def _weighed(pair: _Pair, *, short: bool, alike: bool, claim: Claim | None) -> Weighed:
    """Do so, counters left out."""
    if not alike and pair.is_rewritten:
        return Weighed(Evidence.OTHER_TEXT)
    if not pair.of_one_site:
        return Weighed(_reprint(pair) if alike else Evidence.OTHER_TEXT)
    if pair.page.appearance.is_pdf is not pair.other.appearance.is_pdf:
        if not alike or (short and not pair.as_written):
            return Weighed(Evidence.OTHER_TEXT)
        if pair.holds_other_things and not pair.page.appearance.is_pdf:
            return Weighed(Evidence.OTHER_SURROUNDINGS)
        return Weighed(renditions.missing(pair.page, pair.other) or Evidence.RENDITION)
    why = pair.left_over
    if why is None and (not short or pair.as_written):
        return Weighed(Evidence.SAME_TEXT, agrees=True)
    why = why or Evidence.OTHER_TEXT
    if alike and pair.is_view and (not short or pair.as_written):
        return Weighed(Evidence.SAME_TEXT)
    if pair.is_in_other_dress:
        is_unchanged = not any(one.judged for one in pair.left)
        return Weighed(Evidence.SAME_TEXT, agrees=pair.translated or is_unchanged or None)
    if pair.declared and pair.shows_alike and pair.left_over_but_for_dress is None:
        return Weighed(Evidence.CANONICAL, agrees=True)
    if claim is None or not alike:
        return Weighed(why)
    support = pair.site.support(claim)
    contradiction = _contradiction(pair, proven=support.is_proven)
    agrees = None
    if contradiction is None and (pair.translated or pair.is_same_but_for_editions):
        agrees = True
    elif contradiction is not None or claim.is_of_parameter:
        agrees = False
    if contradiction is None and support.is_earned and pair.shows_alike:
        return Weighed(Evidence.SAME_ADDRESS, agrees)
    return Weighed(contradiction if support.is_earned and contradiction else why, agrees)


def show_alike(page: Page | None, stored: Page | None) -> bool:
    """Whether enough of what is visible on two pages is the same, if their judged texts are.

    True where that is not known of one of them.
    """
    if page is None or stored is None:
        return True
    return _Pair(page, stored, Site(Editions()), None).shows_alike


def only_stamps_differ(page: Appearance, stored: Appearance) -> bool:
    """Whether the judged texts of one address differ in nothing but stamps and counters.

    Not where a title or heading speaks of what was counted. False where a text is not whole.
    """
    if CUT in (page.order, stored.order):
        return False
    ours, theirs = (lines_of(judged_text(of, "\n".join(of.text))) for of in (page, stored))
    lasting_, its_lasting = (
        [kept for line in lines if (kept := without_stamps(line).strip())]
        for lines in (ours, theirs)
    )
    if lasting_ != its_lasting:
        return False
    counted = {form for line in {*ours} ^ {*theirs} for _, form in counters(line)}
    return not any(naming.speaks_of(of, counted) for of in (page, stored))


def _contradiction(pair: _Pair, *, proven: bool) -> Evidence | None:
    """Return why a page is no edition of another although its address says so.

    A translation has other words in its title; no edition has other amounts in the same places, nor
    is it told apart by one thing alone.
    """
    if not pair.translated and naming.have_another_name(
        pair.page.appearance, pair.other.appearance
    ):
        return Evidence.OTHER_TITLE
    if not pair.translated and pair.name_replaced:
        return Evidence.OTHER_NAME
    if pair.form_filled_in:
        return Evidence.OTHER_NUMBERS
    if pair.holds_other_things:
        return Evidence.OTHER_SURROUNDINGS
    if not proven and (pair.number_replaced or pair.has_other_values):
        return Evidence.OTHER_NUMBERS
    if not pair.translated and pair.differs_in_one_thing:
        return pair.left_over or Evidence.OTHER_TEXT
    return None


def _reprint(pair: _Pair) -> Evidence:
    """Decide on pages of two sites that have nothing to do with each other.

    Another publisher leaves out sentences of a text and adds some. Where he changed one, nothing on
    the two sites tells his hand from a form that was filled in for another thing: what a page is
    about may stand in it once, as an ordinary word or in letters that know no capitals.
    """
    page, other = pair.page.appearance, pair.other.appearance
    if naming.have_another_heading(page, other) or pair.heading_is_another:
        return Evidence.OTHER_TITLE
    if not all(map(naming.is_number, pair.replaced)):
        return Evidence.OTHER_NAME
    if pair.replaced or any(map(_is_value, pair.left)):
        return Evidence.OTHER_NUMBERS
    # A bare number between two lines of both is no byline, nor are several in the place of others:
    # they were drawn, scored or paid. Nor is a line there that is another one but for some words.
    filled, its_filled = (
        [one for one in left if one.fills and not one.dated and not one.of_dates]
        for left in pair.left_of_each
    )
    if any(map(_is_bare_number, filled)) or all(
        sum(one.replaces and one.part == BESIDE_LINE and _is_bare_number(one) for one in left)
        >= AMOUNTS
        for left in pair.left_of_each
    ):
        return Evidence.OTHER_NUMBERS
    if any(one.in_text and not one.dated for one in pair.left):
        return Evidence.OTHER_TEXT
    if pair.text_is_altered or pair.has_other_order or pair.has_other_notation:
        return Evidence.OTHER_TEXT
    if naming.are_alike(filled, its_filled) or all(
        any(one.judged and _is_sentence(one) for one in some) for some in (filled, its_filled)
    ):
        return Evidence.OTHER_TEXT
    if pair.is_reordered(lambda line: line.judged and not is_dateline(line.text)):
        return Evidence.OTHER_TEXT
    sides = (pair.page, pair.left), (pair.other, pair.left_of_other)
    for of, left in sides:
        beside = (one for one in left if not one.judged and one.is_visible)
        length = sum(len(one.words) for one in beside if one.part != LINK_LINE)
        if length > BESIDE_ELSEWHERE * of.text_length:
            return Evidence.OTHER_SURROUNDINGS
    held = [any(one.part in (EMBED_LINE, VALUE_LINE) for one in left) for _, left in sides]
    if all(held) or pair.has_other_drawings:
        return Evidence.OTHER_SURROUNDINGS
    return Evidence.REPRINT


class _Pair(Agreement):
    """Two pages compared, by what their site knows; `claim` is what their addresses say."""

    def __init__(self, page: Page, other: Page, site: Site, claim: Claim | None) -> None:
        super().__init__(page, other)
        self._both = page, other
        self.site, self._claim = site, claim

    @cached_property
    def elsewhere(self) -> bool:
        """Whether they are on two hosts."""
        return self._hosts[0] != self._hosts[1]

    @cached_property
    def _urls(self) -> Sequence[SplitResult]:
        return [urlsplit(of.url, allow_fragments=False) for of in self._both]

    @property
    def _hosts(self) -> tuple[str, str]:
        return self._urls[0].netloc, self._urls[1].netloc

    @property
    def _parameters(self) -> Sequence[dict[str, str]]:
        return [dict(parse_qsl(of.query)) for of in self._urls]

    @cached_property
    def of_one_site(self) -> bool:
        """Whether they are of one host or domain, or of one template at addresses of one site.

        A template alone says nothing: many sites have it from one maker.
        """
        if not self.elsewhere or len(set(map(registrable_domain, self._hosts))) == 1:
            return True
        one, other = (address(of.url).folder for of in self._both)
        return self.of_one_template and (self._claim is not None or one == other != "")

    @cached_property
    def of_one_template(self) -> bool:
        """Whether their layouts are the same: what differs may have been filled into a form."""
        return _are_of_one_form(self.page, self.other)

    @cached_property
    def are_of_one_form(self) -> bool:
        """Whether one site made both by one template, in one language: any sign may be a value."""
        return self.of_one_template and self.of_one_site and not self.translated

    @cached_property
    def declared(self) -> bool:
        """Whether one page says that the other is the same page, or both name one third page."""
        page, other = self.page.appearance, self.other.appearance
        url, of = self.page.url, self.other.url
        wanted = (page.canonical_url, *page.alternates)
        if of != url and (of in wanted or url in (other.canonical_url, *other.alternates)):
            return True
        shared = page.canonical_url
        if shared is None or shared != other.canonical_url:
            return False
        # A root is nobody's canonical page but its own.
        parts = urlsplit(shared, allow_fragments=False)
        return parts.path not in ("", "/") or bool(parts.query)

    @cached_property
    def translated(self) -> bool:
        """Whether the two are in two languages, as they or their addresses say.

        Addresses are believed where the site's other pages prove that they tell languages apart.
        """
        spoken = [of.appearance.language for of in self._both]
        if not all(spoken):
            spoken = [address(of.url).language for of in self._both]
            claim = self._claim
            if not all(spoken) or claim is None or not self.site.holds_languages(claim):
                return False
        return len({(one or "").replace("_", "-").partition("-")[0].lower() for one in spoken}) > 1

    @cached_property
    def shows_alike(self) -> bool:
        """Whether enough of all that is visible is the same; on two hosts, links are not asked."""
        links = not self.elsewhere
        alike = self.shown_alike(lambda one: one.is_visible and (links or one.part != LINK_LINE))
        return alike >= SHOWN

    @cached_property
    def replaced(self) -> Counter[naming.Replaced]:
        """The words that stand for others."""
        found = Counter[naming.Replaced]()
        for ours, theirs in self._facing:
            found |= naming.replaced_words(ours, theirs)
        return found

    @property
    def heading_is_another(self) -> bool:
        """Whether pages of one title are headed by two names, each shown by one of them alone."""
        if not naming.title_parts(self.page.appearance) & naming.title_parts(self.other.appearance):
            return False
        ours, theirs = (lasting(of.appearance.heading or "") for of in self._both)
        are_names = all(0 < len(tokens(one)) < HEADLINE for one in (ours, theirs))
        return are_names and (
            ours not in self.other.shown_of_itself and theirs not in self.page.shown_of_itself
        )

    @property
    def text_is_altered(self) -> bool:
        """Whether a sentence of the text is another one on the other page, but for some words.

        Also where words were only put in or left out (`not`), and where a few words alone, such as
        a name, stand in the place of others, but for headlines; in doubt where more is left over
        than is looked at.
        """
        told = [[one for one in left if one.judged and not one.dated] for left in self.left_of_each]
        return (
            any(len(some) > naming.MOST_SENTENCES for some in told)
            or any(naming.are_alike(ours, theirs) for ours, theirs in self._facing)
            or all(
                any(one.replaces and _is_name(one, of.appearance.heading) for one in some)
                for of, some in zip(self._both, told, strict=True)
            )
        )

    @cached_property
    def _facing(self) -> Sequence[tuple[Sequence[Passage], Sequence[Passage]]]:
        """What is left over on the two, as passages of which one may stand for another."""
        ours, theirs = ([one for one in left if one.is_visible] for left in self.left_of_each)
        if self.of_one_site:
            return ((ours, theirs),)
        # Another site has other surroundings, under other dates: one of the two lines is its text.
        of_text, in_text = (
            [one for one in some if one.judged and not one.dated] for some in (ours, theirs)
        )
        # The text first, as not all are looked at: a menu stands before it.
        for some in (ours, theirs):
            some.sort(key=lambda one: not one.judged)
        return (of_text, theirs), (ours, in_text)

    @property
    def number_replaced(self) -> bool:
        """Whether a number stands for another that is not the edition's."""
        ours, theirs = map(tokens, self._editions)
        digits = (" ".join(filter(str.isdigit, of)) for of in (ours, theirs))
        editions = {*zip(ours, theirs, strict=False), tuple(digits)}
        return any(naming.is_number(words) and words not in editions for words in self.replaced)

    @property
    def has_other_values(self) -> bool:
        """Whether a line that tells a value, such as a price, is left over with another number."""
        ours, theirs = (
            [one for one in left if _is_value(one) and not self._is_of_edition(one.words, of)]
            for of, left in enumerate(self.left_of_each)
        )
        return bool(_told(ours) - _told(theirs))

    @property
    def holds_other_things(self) -> bool:
        """Whether it embeds, states or hides what the stored page does not have.

        A translation hides and draws what it says in other words.
        """
        held = _HELD - {HIDDEN_LINE, VALUE_LINE} if self.translated else _HELD
        left = (one for one in self.left if one.part in held)
        return any(
            not self._belongs_to_the_site(one) and not self._is_of_edition(one.words)
            for one in left
        )

    @cached_property
    def counts_another(self) -> bool:
        """Whether a counter shows what none of the stored page shows, and that is a fact.

        `Visitors: 1037` may be all that a page is there to tell. A counter moves by itself at one
        address, and belongs to the site on another one, at an address that has earned to be an
        edition, or where pages with other texts have one of its form. What title or heading speak
        of is the page's own wherever it stands.
        """
        counted = {form for _, form in self.page.counters - self.other.counters}
        counted &= self.other.counter_forms
        if not counted or self._are_at_one_address:
            return False
        if any(naming.speaks_of(of.appearance, counted) for of in self._both):
            return True
        if not self.of_one_site or (
            self._claim is not None and self.site.support(self._claim).is_earned
        ):
            return False
        text = [one for one in self.page.longest if not counters(one)]
        told_apart = [of for of in self._others if not all(one in of.raw for one in text)]
        return not all(any(form in of.counter_forms for of in told_apart) for form in counted)

    @property
    def is_of_another_day(self) -> bool:
        """Whether each says that it was published on a day of its own: two notices of one text.

        In another way of writing, or beside a time of day, a day is the same. At one address, and
        in editions that have earned it, a page was published anew; elsewhere by another publisher.
        """
        ours, theirs = self.page.published, self.other.published
        if not (ours - theirs and theirs - ours) or not self.of_one_site:
            return False
        return not self._are_at_one_address and not (
            self._claim is not None and self.site.support(self._claim).is_earned
        )

    @property
    def _are_at_one_address(self) -> bool:
        """Whether the addresses name one page: but for host, edition, letter case, index file."""
        one, other = (address(of.url.lower()) for of in self._both)
        return (one.segments, one.query) == (other.segments, other.query)

    @property
    def form_filled_in(self) -> bool:
        """Whether a telephone number stands for another, or amounts do, each of them once.

        The number of an edition stands in many places of it.
        """
        amounts = [words for words, times in self.replaced.items() if times == 1]
        return (
            any(map(naming.is_identifier, self.replaced))
            or sum(map(naming.is_amount, amounts)) >= AMOUNTS
        )

    @property
    def name_replaced(self) -> bool:
        """Whether the words by which titles or hosts differ stand for each other in the text."""
        page, other = self.page.appearance, self.other.appearance
        named = {*naming.other_names(page, other), *naming.other_labels(*self._hosts)}
        return any(
            own and its and f" {own} " in f" {words[0]} " and f" {its} " in f" {words[1]} "
            for words in self.replaced
            if not naming.is_number(words)
            for own, its in named
        )

    @property
    def differs_in_one_thing(self) -> bool:
        """Whether one sentence, picture or sign tells the two apart, or a word wherever it stands.

        Who edits a text changes it here and there. Who fills in a form changes what it is about: a
        town, a `not`, a tick in a table.
        """
        if self.is_same_but_for_editions:
            return False
        ours, theirs = (
            [
                one
                for one in left
                if not (self._belongs_to_the_site(one) or self._is_of_edition(one.words, of))
            ]
            for of, left in enumerate(self.left_of_each)
        )
        most = max(len(ours), len(theirs))
        if most <= 1:
            return True
        replaced = naming.replaced_words(ours, theirs)
        return len(replaced) <= FILLED and replaced.total() >= most

    @cached_property
    def left_over(self) -> Evidence | None:
        """Why the stored page does not show all that the page shows, as a text; None if it does."""
        if (why := self._shows_its_own) is not None:
            return why
        # What a text of one form does not have is a fact too: a table with fewer rows. So is the
        # order of what both have: of the stops of a bus.
        missing = self._first([one for one in self.left_of_other if one.judged])
        if missing is None and self._is_arranged_otherwise:
            return Evidence.OTHER_SURROUNDINGS
        return missing

    @cached_property
    def _shows_its_own(self) -> Evidence | None:
        """The same, whatever the stored page has beyond it."""
        if not self._titles_agree or self._is_linked_to:
            return Evidence.OTHER_TITLE
        if (why := self._first(self.left)) is not None:
            return why
        if self.has_other_case or self.has_other_notation:
            return Evidence.OTHER_TEXT
        if self.are_of_one_form and self.has_other_punctuation:
            return Evidence.OTHER_TEXT
        return None

    @cached_property
    def is_view(self) -> bool:
        """Whether it is the stored page with a parameter more, and nothing but a shorter one.

        All that it shows is there, and its text as a whole: only before and behind that is more,
        such as a byline or links, and no number but of dates. Where other pages with that parameter
        show such a line, it is a fact that this one does not.
        """
        asked, its = self._parameters
        if self._urls[0][:3] != self._urls[1][:3] or not asked.items() > its.items():
            return False
        missing = [one for one in self.left_of_other if one.judged]
        if self._shows_its_own is not None or any(
            one.in_text or (_has_number(one.words) and not (one.dated or one.of_dates))
            for one in missing
        ):
            return False
        if sum(len(one.words) for one in missing) > EDGES * self.page.text_length:
            return False
        views = [
            of
            for of in self.site.others(self.page.url)
            if not dict(parse_qsl(urlsplit(of.url).query)).keys().isdisjoint(asked.keys() - its)
        ]
        return not self._is_arranged_otherwise and not any(
            of.has_line(one.line) for of in views for one in missing
        )

    @cached_property
    def _is_arranged_otherwise(self) -> bool:
        """Whether the same words say something else: in another order, or by other markup.

        A template marks up by classes or scripts what is sold out. Two paths, or numbers, may name
        two things; other parameters sort what is the same, or are a visit's.
        """
        one, other = self._urls
        return (one.path != other.path or self._are_numbered_apart) and (
            self._is_in_another_order or (self.are_of_one_form and self.has_other_markup)
        )

    @property
    def _is_in_another_order(self) -> bool:
        """Whether lines have another order: in two templates only of things numbered apart."""
        if self.of_one_template:
            return self.is_reordered(lambda line: True)
        are_apart = self._are_numbered_apart and not self.translated
        return are_apart and self.is_reordered(
            lambda line: line.judged or line.part != LINK_LINE  # menus may have another order
        )

    @cached_property
    def is_same_but_for_editions(self) -> bool:
        """Whether nothing is left over but what names each page's own edition: 1.0 and 2.0."""
        titles = all(map(self._is_of_edition, self._titles_left)) or self._titles_agree
        left = [one for one in self.left if not self._is_of_edition(one.words)]
        missing = [
            one
            for one in self.left_of_other
            if one.judged and not self._is_of_edition(one.words, of=1)
        ]
        return (
            titles
            and self._first(left) is None
            and self._first(missing) is None
            and not self._is_arranged_otherwise
        )

    @cached_property
    def as_written(self) -> bool:
        """Whether each line of the text stands on the other page as it is written.

        But for stamps and counters.
        """
        page, other = self.page.appearance, self.other.appearance
        known = {*other.text, *other.beside, *other.links}
        own = {line for line in {*page.text} - known if not self._says_where_it_is(line)}
        return not own or set(map(without_stamps, own)) <= set(map(without_stamps, known))

    @cached_property
    def left_over_but_for_dress(self) -> Evidence | None:
        """The same, but for links, pictures, header and footer: of pages that declare to be one."""
        if naming.have_another_name(self.page.appearance, self.other.appearance):
            return Evidence.OTHER_TITLE
        return self._first([one for one in self.left if one.part not in _DRESS])

    def _first(self, left: Sequence[Passage]) -> Evidence | None:
        for one in left:
            if not self._belongs_to_the_site(one):
                return Evidence.OTHER_TEXT if one.judged else Evidence.OTHER_SURROUNDINGS
        return None

    def _belongs_to_the_site(self, passage: Passage) -> bool:
        """Whether what is left over is shown on other pages of the site too, and says nothing here.

        What was filled in, a place, a price, a colour, other pages may well have in common, or what
        a line beside a text says: sold out. Only what most pages of the host show is not that, or
        beside the text what all others of its folder show. A link, a header or a headline of
        another page in the place of nothing is furniture where any other page has it.
        """
        if self._says_where_it_is(passage.sentence):
            return True
        is_link = passage.part == LINK_LINE and not passage.judged
        if is_link and (
            (not passage.replaces and (_is_headline(passage) or not self._other_links))
            or self.other.links.issuperset(tokens(passage.words))
        ):
            return True  # it names other pages, where the stored one names none, or names them too
        showing = sum(other.has_line(passage.line) for other in self._others)
        is_told = passage.judged or passage.part == BESIDE_LINE
        if _is_headline(passage) or not (passage.replaces or is_told):
            return showing > 0
        if passage.judged and self._is_missed(passage.line):
            return False
        if passage.part == VALUE_LINE:
            return False  # of a few answers, one may be that of most pages
        beside = self._beside_it
        is_known = len(beside) >= FEWEST or (
            not passage.judged and any(not of.has_text_of(self.page, VERSION) for of in beside)
        )
        if is_known and all(other.has_line(passage.line) for other in beside):
            return True
        return showing >= max(FEWEST, MOSTLY * len(self._others))

    def _is_missed(self, line: Line) -> bool:
        """Whether the page of the two that lacks a line is of a form in which others show it.

        Then that it does not is a fact, where a form that never shows it says nothing.
        """
        return any(
            not lacking.has_line(line) and any(of.has_line(line) for of in form)
            for lacking, form in zip(self._both, self._forms, strict=True)
        )

    @cached_property
    def _forms(self) -> Sequence[Sequence[Page]]:
        """Other pages of the page's host of the form of each of the two."""
        others = self.site.others(self.page.url)
        return [[one for one in others if _are_of_one_form(one, of)] for of in self._both]

    def _says_where_it_is(self, sentence: str) -> bool:
        """Whether a sentence is the address of one of the two pages, and a few words about that."""
        for url in (self.page.url, self.other.url):
            host_and_path = url.partition("://")[2]
            if "/" not in host_and_path:
                continue  # a document of a file
            path = host_and_path[host_and_path.find("/") :]
            # A path alone may be what a page is about, such as that of a request.
            for written in (url, host_and_path, *((path,) if "?" in path else ())):
                before, found, after = sentence.partition(written)
                if found and len(path) > 1:
                    rest = lasting(f"{before} {after}")
                    return not _has_number(rest) and len(tokens(rest)) <= FEW
        return False

    @cached_property
    def _other_links(self) -> bool:
        """Whether the stored page names, beside its text, pages that this one does not name."""
        return any(one.part == LINK_LINE and not one.judged for one in self.left_of_other)

    @cached_property
    def _others(self) -> Sequence[Page]:
        """Other pages of the page's own host.

        None that is called what the page is called, or has its text: a version of it shows all of
        it, and so may other pages of its form.
        """
        found = self.site.others(self.page.url)
        called = [naming.names(page.appearance) for page in found]
        counted = Counter(name for names in called for name in names)
        of_site = {name for name, times in counted.items() if times > MOSTLY * len(found)}
        own, text = naming.names(self.page.appearance) - of_site, {*self.page.appearance.text}
        return [
            page
            for page, names in zip(found, called, strict=True)
            if own.isdisjoint(names) and len(text & page.lines) <= VERSION * len(text)
        ]

    @cached_property
    def _beside_it(self) -> Sequence[Page]:
        """Those in the page's own folder."""
        folder = _folder(self.page.url)
        return [page for page in self._others if _folder(page.url) == folder]

    @cached_property
    def _is_linked_to(self) -> bool:
        """Whether the stored page says the page's heading of another page: in links alone.

        Or anywhere, where one template has another heading in its place: some menus are no links.
        """
        other = self.other
        ours, theirs = (lasting(of.appearance.heading or "") for of in self._both)
        if not ours or ours == theirs or ours in naming.title_parts(other.appearance):
            return False
        if theirs and self.of_one_template and not self.translated and ours in other.shown:
            return True
        return ours in other.shown and ours not in other.shown_of_itself

    @cached_property
    def _titles_left(self) -> Sequence[str]:
        """The parts of the title that the stored page does not show."""
        if self.page.appearance.title == self.other.appearance.title:
            return ()
        heading = lasting(self.other.appearance.heading or "")
        left = naming.title_parts(self.page.appearance) - naming.title_parts(self.other.appearance)
        return [part for part in left if part != heading and part not in self.other.shown_of_itself]

    @cached_property
    def _titles_agree(self) -> bool:
        """Whether the stored page has the title, but for what titles of the site have in common."""
        if not self._titles_left:
            return True
        theirs = naming.title_parts(self.other.appearance)
        replaces = bool(theirs - naming.title_parts(self.page.appearance) - self.page.shown)
        return all(self._is_of_titles(part, replaces) for part in self._titles_left)

    def _is_of_edition(self, words: str, of: int = 0) -> bool:
        """Whether words name their own edition where the other page names its own: 1.0 and 2.0.

        They are `of` the page, 0, or the stored one, 1.
        """
        own, its, known = self._editions[of], self._editions[1 - of], self._both[1 - of]
        if f" {own} " not in f" {words} ":
            return False
        theirs = f" {words} ".replace(f" {own} ", f" {its} ").strip()
        return theirs in naming.title_parts(known.appearance) or theirs in known.shown

    @cached_property
    def _editions(self) -> tuple[str, str]:
        """What the two addresses have in one place, as words; nothing where that is no number."""
        if self._claim is not None:
            one, other = (lasting(value) for value in self._claim[1:])
            if _has_number(one) and _has_number(other):
                is_ordered = self._claim.is_ordered(self.page.url, self.other.url)
                return (one, other) if is_ordered else (other, one)
        return "\0", "\0"

    def _is_of_titles(self, part: str, replaces: bool) -> bool:
        titles = [naming.title_parts(page.appearance) for page in self._others]
        showing = sum(part in title for title in titles)
        if not replaces:
            return showing > 0
        # The name of a section stands beside that of a page. What is all of a title names a thing,
        # such as a day, of which the folder may hold several pages.
        is_whole = naming.title_parts(self.page.appearance) == {part}
        beside = [naming.title_parts(page.appearance) for page in self._beside_it]
        if beside and not is_whole and all(part in title for title in beside):
            told = (lasting(line.text) for line in self.page.in_order if line.judged)
            if not any(f" {part} " in f" {one} " for one in told):
                return True
        return showing >= max(FEWEST, MOSTLY * len(titles))

    @cached_property
    def is_in_other_dress(self) -> bool:
        """Whether it is the same page in another template or with another language around it.

        For printing, for phones, under a menu that was translated: heading and text are the same,
        and what is left over has no number of its own.
        """
        layouts = self.page.layout, self.other.layout
        if None in layouts or (self.of_one_template and not self.translated):
            return False
        if self._are_numbered_apart and not self.translated:
            return False  # what is the same on two things may be all but a word of them
        # An editor changes a word, a menu in another language one of the text that it stands
        # within; where the addresses name two things it was filled in.
        is_edition = self.translated and self._are_at_one_address
        most = FILLED - 1 if is_edition or self._is_at_its_address else 0
        drawn = _DRAWN if self.of_one_template else _DRESS
        left = [
            one
            for one in self.left
            if (one.part not in drawn or (one.judged and self._has_links_of_its_own))
            and not self._says_where_it_is(one.sentence)
        ]
        ours = [one for one in left if one.judged]
        if not self.translated and all(
            len({one.line for one in some if one.in_text and not one.of_dates}) > most
            for some in (ours, self.left_of_other)
        ):
            return False  # lines of the text are other ones
        theirs = self.left_of_other[:MOST_EDITED]
        if not self._is_hardly_edited(ours, theirs):
            return False
        heading = lasting(self.page.appearance.heading or "")
        titles = naming.title_parts(self.page.appearance)
        is_named = heading in self.other.shown or is_edition
        if (heading and not is_named) or self._is_linked_to:
            return False
        if len(self._titles_left) == len(titles) > 0 and not self.translated:
            return False
        if self.holds_other_things or self._show_two_pictures:
            return False
        if self._is_filled_in or self.has_other_case:
            return False
        known = self.other.numbers
        if any(not known.issuperset(numbers(part)) for part in self._titles_left):
            return False
        days = [line.text for line in self.other.in_order if has_only_dates(line.text)]
        told = (one for one in left if not known.issuperset(numbers(one.words)))
        for one in told:  # it is a date there too, which agrees as far as both go: in two numbers
            on = numbers(one.words)
            if not one.of_dates or all(len(on & numbers(lasting(day))) < 2 for day in days):
                return False
        ours = ours[:MOST_EDITED]
        if not self.translated and any(map(self._is_own_value, ours)):
            return False
        if _told(one for one in ours if not one.of_dates) - _told(theirs):
            return False
        return max(naming.replaced_words(ours, theirs).values(), default=0) <= most

    @property
    def _is_filled_in(self) -> bool:
        """Whether a form was filled in with other things, whatever template is around it.

        A value stands between two lines of both pages, where the other page has another one: also
        one that many pages have, as `yes` and `no`. Where the addresses name two things, so may a
        sentence of the text be, to which a word was added (`not`), or the order of the lines.
        """
        if self.translated:
            return False
        if self.has_other_order or self.has_other_cells or self.has_other_notation:
            return True
        if self.has_other_drawings:
            return True
        own = self.left
        told = (
            one
            for one in own
            if one.part == DRAWN_LINE or (one.is_visible and one.part != LINK_LINE)
        )
        if any(self._is_missed(one.line) for one in told if not (one.dated or one.of_dates)):
            return True
        if any(self._is_own_value(one) for one in own if one.fills and not one.dated):
            return True
        if not self._are_named_apart:
            return False
        ours, theirs = (
            [one for one in left if one.judged and not (one.dated or one.of_dates)]
            for left in self.left_of_each
        )
        return naming.are_alike(ours, theirs) or self._is_in_another_order

    @cached_property
    def is_rewritten(self) -> bool:
        """Whether more of the text than an editor's tenth is in words the other page does not have.

        Then no evidence can make it a copy. Told by words and lines alone: of a translation it
        takes a tenth of the time of finding out what is left over.
        """
        page, other = self.page, self.other
        own = [
            line
            for line in page.in_order
            if line.judged
            and line.part != LINK_LINE
            and line.text not in other.lines
            and line.text not in other.raw
        ]
        left = EDGES * page.text_length
        if sum(len(line.text) for line in own) <= left:
            return False
        its = (lasting(line.text) for line in other.in_order if line.text not in page.lines)
        known = frozenset(word for words in its for word in tokens(words))
        for line in own:
            left -= sum(len(word) for word in tokens(lasting(line.text)) if word not in known)
            if left < 0:
                return not all(any(of.has_line(line) for of in self._others) for line in own)
        return False

    @property
    def _ends(self) -> Iterator[set[str]]:
        """The words and numbers at the ends of the two addresses."""
        for parts in self._urls:
            end = f"{parts.path.rstrip('/').rpartition('/')[2]} {parts.query}"
            yield {word for word in tokens(end.lower()) if len(word) > 1}

    @property
    def _are_named_apart(self) -> bool:
        """Whether the ends of the addresses have no word and no number in common.

        `/print/41` and `/harbour-fire-41` have; `/programme/friday` and `/programme/sunday` not.
        """
        one, other = self._ends
        return one.isdisjoint(other) and bool(one and other)

    @property
    def _is_at_its_address(self) -> bool:
        """Whether one address is the other with more in it, or has only a number in common with it.

        `/print/fire` and `/fire.amp.html` are at `/fire.html`, `/wire/41` is at `/news?id=41`;
        where names are alike and not the same (`/fire` and `/fire-2`) they may be of two things.
        """
        one, other = (
            {*of.path.lower().replace(".", "/").split("/"), *asked.values()}
            for of, asked in zip(self._urls, self._parameters, strict=True)
        )
        if one <= other or other <= one:
            return True
        ours, theirs = (numbers(f"{of.path} {of.query}") for of in self._urls)
        return bool(ours & theirs) and all(not name or name.isdigit() for name in one & other)

    @property
    def _show_two_pictures(self) -> bool:
        """Whether each shows a picture of its own, and is called by a word or number of its own.

        A page in another dress may show its pictures under other names, or none; but `/shirt-red`
        and `/shirt-blue` are two pages of a picture.
        """
        one, other = self._ends
        return bool(one - other and other - one) and all(
            any(one.part == PICTURE_LINE and not self._belongs_to_the_site(one) for one in left)
            for left in self.left_of_each
        )

    @cached_property
    def _has_links_of_its_own(self) -> bool:
        """Whether links in its text are of the text, and none of a menu that was judged with it.

        So they are where not all that is visible was judged; in doubt where the names differ.
        """
        is_all = all(line.judged for line in self.page.in_order if line.is_visible)
        return self._are_named_apart or not is_all

    @cached_property
    def _are_numbered_apart(self) -> bool:
        """Whether the addresses name two things by numbers: `/print/120` and `/fire-118`.

        Each path has a number that the other has not, or two values of a parameter are the same but
        for numbers: of a session they are not. A path without a number has it in its query:
        `/print.php?id=41` is `/fire-41`.
        """
        one, other = self._parameters
        if any(
            one[key] != other[key] and without_numbers(one[key]) == without_numbers(other[key])
            for key in one.keys() & other
        ):
            return True
        in_paths = [numbers(of.path) for of in self._urls]
        if not any(in_paths):
            return False
        ours, theirs = (
            found or frozenset(filter(str.isdigit, asked.values()))
            for found, asked in zip(in_paths, (one, other), strict=True)
        )
        return bool(ours - theirs and theirs - ours)

    def _is_hardly_edited(self, ours: Sequence[Passage], theirs: Sequence[Passage]) -> bool:
        """Whether what is left over of the text is in few words no passage left on the other."""
        most = EDGES * self.page.text_length
        most -= sum(len(one.words) for one in ours[MOST_EDITED:])
        words = [frozenset(tokens(one.words)) for one in theirs]
        # Translations have most of their words in none of the passages; to know that takes a
        # hundredth of the time of comparing each passage with each.
        all_words = [frozenset[str]().union(*words)] if words else []
        for others in (all_words, words):
            changed = 0  # characters in none of the passages that is like it
            for one in ours[:MOST_EDITED]:
                own, length = tokens(one.words), len(one.words)
                missing = (sum(len(word) for word in own if word not in of) for of in others)
                changed += min(length, min(missing, default=length))
            if changed > most:
                return False
        return True

    def _is_own_value(self, left: Passage) -> bool:
        """Whether a short line tells a value, such as a colour: no editor changed that."""
        words = tokens(left.words)
        if len(tokens(left.line.text)) > FEW:
            return False
        if _has_number(left.words) and self.other.words.issuperset(
            word for word in words if not word.isdigit()
        ):
            return False  # an author beside a date in another form; its numbers are looked at apart
        within = any(f" {left.words} " in f" {one} " for one in self.other.shown_of_itself)
        return not within and not self._belongs_to_the_site(left)  # an author beside a date


def _are_of_one_form(page: Page, other: Page) -> bool:
    one, two = page.layout, other.layout
    return one is not None and two is not None and layout_similarity(one, two) >= SAME_LAYOUT


def _told(left: Iterable[Passage]) -> Counter[str]:
    """Return how often numbers stand in what is left over."""
    return Counter(one for some in left for one in tokens(some.words) if one.isdigit())


def _is_name(passage: Passage, heading: str | None) -> bool:
    """Whether a line of a text may be a name or value, and no headline that anybody may write."""
    longest = HEADLINE - 1 if passage.line.text == heading else FEW
    return len(tokens(passage.words)) <= longest


def _is_bare_number(passage: Passage) -> bool:
    return all(map(str.isdigit, tokens(passage.words)))


def _is_sentence(passage: Passage) -> bool:
    """Whether a passage says something, where bylines and names end without a stop."""
    return passage.sentence.endswith(_STOPS) and len(tokens(passage.words)) >= HEADLINE


def _is_headline(passage: Passage) -> bool:
    """Whether a line beside a text is the name of another page, too long for that of a value."""
    is_link = passage.part == LINK_LINE and not passage.judged
    return is_link and len(tokens(passage.words)) >= HEADLINE


def _folder(url: str) -> str:
    return url.partition("?")[0].rpartition("/")[0]


def _has_number(words: str) -> bool:
    return any(map(str.isdigit, words))


def _is_value(passage: Passage) -> bool:
    """Whether a line tells a value by a number: one of the text, or a price wherever it stands."""
    if passage.dated or not passage.is_visible or len(tokens(passage.words)) > FEW:
        return False
    is_price = any(category(sign) == "Sc" for sign in passage.words)
    return (passage.judged or is_price) and _has_number(passage.words)


_HELD = frozenset((DATA_LINE, EMBED_LINE, HIDDEN_LINE, VALUE_LINE))
_DRAWN = frozenset((DRAWN_LINE, LINK_LINE, PICTURE_LINE))
_DRESS = frozenset((*_DRAWN, FRAME_LINE))
