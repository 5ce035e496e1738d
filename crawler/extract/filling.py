"""Fillings: how the pages of a part of a site are made of the JSON that they carry.

A filling is learned from pages that a browser has rendered, and the state that each carried
(`crawler.extract.state`): the tree that they share, whose texts and attributes are constants and
paths into the state, in which elements come once for each item of a list, or only where something
in the state holds. A later page is *filled* with its own state, without a browser.

Nothing is known of frameworks and names; what explains all examples is kept, and where several
explanations do, all are: a page of which they say different things is not filled, and what it is
rendered as tells which was right. Neither is a page whose state has what none of the examples had
(`Guard`), nor one that would show what was seen once. So a filling says too little rather than
something wrong; `crawler.sources.web.fillings` checks what it says.

An explanation is JSON. A value is a list of alternatives, each a list of constants and slots:
`[spelling, [path, ...]]`, whose paths all said the same. A path begins with the number of its scope
(0 is the state, 1 the item of the outermost list that is gone through) and goes on with keys.
Items of a template are

    ["text", alternatives, whether markup was seen in it]
    ["element", tag, {attribute: alternatives}, items]
    ["markup", paths]                      the HTML that a string of the state is
    ["each", path, items, most, between]   for each of a list, `most` of them (null: all), with a
                                           constant text between them
    ["where", conditions, items, seen]     only where all conditions hold: [path, truth or value]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from html import escape
from itertools import chain, product
from typing import Any
from urllib.parse import quote

from selectolax.lexbor import LexborHTMLParser, LexborNode

Json = Any
Items = list[Any]
Env = tuple[Json, ...]
"""The state, and the items of the lists that are gone through, the innermost last."""

MOST_ALTERNATIVES = 4
"""Explanations of one text that are kept."""
MOST_PATHS = 8
"""Of one slot."""
MOST_CONDITIONS = 32
MOST_KINDS = 8
"""Different values of a path, some of them repeated, up to which they are kinds of something: of
another value nothing is known."""
LEAST_SHARED = 4
"""Characters of a value that explains a part of a text that is the same in all examples: shorter
ones stand in any text."""
MOST_SLOTS = 6
"""In one text."""
MOST_PERIOD = 3
"""Siblings that one item of a list becomes: a term, its explanation and a line."""
MOST_DEPTH = 120
MOST_NODES = 20_000
MOST_WRITTEN = 8 * 1024 * 1024
"""Of the tree of an example: elements, and characters of what all of them hold."""
MOST_STEPS = 400_000
"""Comparisons for one filling, some seconds: a page that takes more is not explained."""
MOST_SCALARS = 20_000
"""In a state."""
MOST_FILLED = 1024 * 1024
"""Characters of a page, and steps to it."""

_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
"""HTML 13.1.2: elements without an end tag."""

_LEFT_OUT = frozenset({"style", "template", "noscript"})
_AS_WRITTEN = frozenset({"pre", "textarea", "listing"})
"""Elements whose white space is seen (HTML 15.3.3); else how much there is does not matter."""


class Unexplained(Exception):
    """No filling explains the pages."""


class Unfilled(Exception):
    """A filling does not say what the page shows."""


# --------------------------------------------------------------------------------------------------
# Trees


@dataclass(slots=True, eq=False)
class Node:
    """An element, or a text: then `tag` is empty."""

    tag: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)
    text: str = ""
    inner: str = ""
    """Its content as canonical HTML."""

    @property
    def sign(self) -> tuple[str, str]:
        """What siblings share that are made alike."""
        return self.tag, self.attributes.get("class", "")


def tree_of(html: str) -> Node:
    """Return a page as a tree, without what only browsers need. Raises Unexplained if too large."""
    root = LexborHTMLParser(html).root
    if root is None:
        raise Unexplained
    return _node(root, [MOST_NODES, MOST_WRITTEN])


def _node(node: LexborNode, left: list[int], depth: int = 0, *, written: bool = False) -> Node:
    left[0] -= 1
    if left[0] < 0 or depth > MOST_DEPTH:
        raise Unexplained
    made = Node(node.tag or "", {name: value or "" for name, value in node.attributes.items()})
    written = written or node.tag in _AS_WRITTEN
    child = node.child
    while child is not None:
        if child.is_text_node:
            text = child.text_content or ""
            if not (written or text.strip()):
                text = " "
            if made.children and not made.children[-1].tag:  # something stood between
                made.children[-1].text += text if text.strip() or written else ""
            else:
                made.children.append(Node("", text=text))
        elif child.is_element_node and not _is_left_out(child):
            made.children.append(_node(child, left, depth + 1, written=written))
        child = child.next
    made.inner = "".join(map(_written, made.children))
    left[1] -= len(made.inner)
    if left[1] < 0:
        raise Unexplained
    return made


def _is_left_out(node: LexborNode) -> bool:
    """Whether an element says nothing to readers: styles, what is loaded ahead, other scripts."""
    if node.tag == "link":
        told = (node.attributes.get("rel") or "").lower().split()
        return not {"canonical", "alternate"} & set(told)
    if node.tag == "script":
        return (node.attributes.get("type") or "").strip().lower() != "application/ld+json"
    return node.tag in _LEFT_OUT


def _written(node: Node) -> str:
    if not node.tag:
        return escape(node.text, quote=False)
    told = "".join(f' {name}="{escape(value)}"' for name, value in node.attributes.items())
    return _element(node.tag, told, node.children[0].text if _is_raw(node) else node.inner)


def _is_raw(node: Node) -> bool:
    return node.tag == "script" and bool(node.children)


def _element(tag: str, attributes: str, inner: str) -> str:
    return f"<{tag}{attributes}>" + ("" if tag in _VOID else f"{inner}</{tag}>")


def canonical(html: str) -> str:
    """Return a piece of HTML as the content of an element would be written."""
    body = LexborHTMLParser(f"<!doctype html><body><div>{html}").css_first("body > div")
    return "" if body is None else _node(body, [MOST_NODES, MOST_WRITTEN]).inner


# --------------------------------------------------------------------------------------------------
# States


def at(env: Env, path: Sequence[Any]) -> Json:
    """Return what a path leads to; None where it leads nowhere."""
    if path[0] >= len(env):
        return None
    value = env[path[0]]
    for key in path[1:]:
        if isinstance(value, dict) and isinstance(key, str):
            value = value.get(key)
        elif isinstance(value, list) and isinstance(key, int) and key < len(value):
            value = value[key]
        else:
            return None
    return value


def _as_text(value: Json) -> str | None:
    """Return a string or number as JavaScript shows it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else repr(value)


def _grouped(value: Json) -> str | None:
    """Return what `toLocaleString` makes of a whole number, in the browser's language."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return f"{value:,}" if is_number and abs(value) >= 1000 else None


def _quoted(value: Json) -> str | None:
    """Return what `encodeURIComponent` makes of a string, where that is another one."""
    if not isinstance(value, str):
        return None
    quoted = quote(value, safe="!'()*-._~", errors="replace")
    return quoted if quoted != value else None


_SPELLINGS: tuple[Callable[[Json], str | None], ...] = (_as_text, _grouped, _quoted)
"""What JavaScript itself makes of a value; a slot names one by its number."""
_IN_TEXT, _IN_ADDRESSES = (0, 1), (0, 2)


def _spelled(value: Json, spelling: int) -> str | None:
    text = _SPELLINGS[spelling](value)
    # A string that is the same quoted, or a number below a thousand, is spelled as it is.
    return _as_text(value) if text is None and spelling else text


def _paths(value: Json, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Json]]:
    """Yield all values within one, each with its path, containers too."""
    yield path, value
    if len(path) >= MOST_DEPTH:
        raise Unexplained
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _paths(inner, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _paths(inner, (*path, number))


class Index:
    """The values within one value of a state, to be found by what they say."""

    def __init__(self, value: Json) -> None:
        self.value = value
        """Kept, as it is known by its identity."""
        self.all: list[tuple[tuple[Any, ...], Json]] = []
        self.lists: list[tuple[Any, ...]] = []
        texts: dict[str, dict[tuple[Any, ...], None]] = {}
        for path, inner in _paths(value):
            if len(self.all) >= MOST_SCALARS:
                raise Unexplained
            self.all.append((path, inner))
            if isinstance(inner, list):
                self.lists.append(path)
            for spell in _SPELLINGS:
                if text := spell(inner):
                    texts.setdefault(text, {})[path] = None
        self.by_begin: dict[str, list[tuple[str, list[tuple[Any, ...]]]]] = {}
        for text, paths in sorted(texts.items(), key=lambda it: -len(it[0])):
            self.by_begin.setdefault(text[0], []).append((text, list(paths)))
        self._markup: dict[str, list[tuple[Any, ...]]] | None = None

    def markup(self, inner: str) -> list[tuple[Any, ...]]:
        """Return the paths of strings that are just this HTML."""
        if self._markup is None:
            self._markup = {}
            for path, value in self.all:
                if isinstance(value, str) and "<" in value:
                    self._markup.setdefault(canonical(value), []).append(path)
        return self._markup.get(inner, [])


# --------------------------------------------------------------------------------------------------
# Learning


def learn(examples: Sequence[tuple[Json, str]]) -> Items:
    """Return what explains all of these pages: the state of each, and the HTML that came of it.

    Raises Unexplained.
    """
    learner = _Learner()
    rows = [[tree_of(html)] for _, html in examples]
    try:
        items = learner.sequence(rows, [(state,) for state, _ in examples])
    except RecursionError:
        items = None
    if items is None:
        raise Unexplained
    return items


class _Learner:
    """Explains trees by states. Each method is told instances: nodes or texts, and their `envs`."""

    def __init__(self) -> None:
        self._left = MOST_STEPS
        self._indexes: dict[int, Index] = {}

    def _step(self, cost: int = 1) -> None:
        self._left -= cost
        if self._left < 0:
            raise Unexplained

    def _index(self, value: Json) -> Index:
        known = self._indexes.get(id(value))
        if known is None or known.value is not value:
            known = self._indexes[id(value)] = Index(value)
        return known

    # ---------------------------------------------------------------- nodes

    def sequence(self, rows: Sequence[Sequence[Node]], envs: Sequence[Env]) -> Items | None:
        """Explain lists of siblings, one for each env; None where nothing does."""
        ends = tuple(map(len, rows))
        start = (0,) * len(rows)
        if start == ends:
            return []
        items: Items = []
        failed = set[tuple[int, ...]]()
        stack = [(start, self._items(rows, envs, start))]
        while stack:
            place, ways = stack[-1]
            item, after = next(ways, (None, place))
            if item is None:
                failed.add(place)
                stack.pop()
                if items:
                    items.pop()
            elif after == ends:
                return [*items, item]
            elif after not in failed:
                items.append(item)
                stack.append((after, self._items(rows, envs, after)))
        return None

    def _items(
        self, rows: Sequence[Sequence[Node]], envs: Sequence[Env], place: tuple[int, ...]
    ) -> Iterator[tuple[Json, tuple[int, ...]]]:
        """Yield what may explain the next siblings, with the place behind them."""
        self._step(len(rows))
        nodes = [row[n] if n < len(row) else None for row, n in zip(rows, place, strict=True)]
        there = [node for node in nodes if node is not None]
        one = self._one(there, envs, place) if len(there) == len(nodes) else iter(())
        repeated = self._repeated(rows, envs, place)
        # What is the same on all pages is hardly made of a list: looked for first, that took most.
        is_same = len(rows) > 1 and len({_written(node) for node in there}) == 1
        yield from (chain(one, repeated) if is_same else chain(repeated, one))
        if len(nodes) == 1:
            return
        for sign in self._signs(rows, place, nodes):
            has = [node is not None and node.sign == sign for node in nodes]
            if all(has):
                continue
            conditions = self._conditions(
                [env for env, is_there in zip(envs, has, strict=True) if is_there],
                [env for env, is_there in zip(envs, has, strict=True) if not is_there],
            )
            if not conditions:
                continue
            some = [node for node, is_there in zip(nodes, has, strict=True) if node and is_there]
            of = [env for env, is_there in zip(envs, has, strict=True) if is_there]
            item = self._node(some, of)
            if item is not None:
                after = tuple(n + is_there for n, is_there in zip(place, has, strict=True))
                yield ["where", conditions, [item], len(some)], after

    def _one(
        self, nodes: Sequence[Node], envs: Sequence[Env], place: tuple[int, ...]
    ) -> Iterator[tuple[Json, tuple[int, ...]]]:
        """Yield what explains the next sibling of each, if they are of one tag."""
        if len({node.tag for node in nodes}) == 1:
            item = self._node(nodes, envs)
            if item is not None:
                yield item, tuple(n + 1 for n in place)

    @staticmethod
    def _signs(
        rows: Sequence[Sequence[Node]], place: tuple[int, ...], nodes: Sequence[Node | None]
    ) -> list[tuple[str, str]]:
        """Return the signs of the next siblings, first those that come nowhere else later on."""
        signs = dict.fromkeys(node.sign for node in nodes if node is not None)
        later = {
            sign: sum(
                any(node.sign == sign for node in row[n + 1 :])
                for row, n in zip(rows, place, strict=True)
            )
            for sign in signs
        }
        return sorted(signs, key=later.__getitem__)

    def _repeated(
        self, rows: Sequence[Sequence[Node]], envs: Sequence[Env], place: tuple[int, ...]
    ) -> Iterator[tuple[Json, tuple[int, ...]]]:
        """Yield how the next siblings may be made of a list."""
        for scope in reversed(range(len(envs[0]))):
            for tail in self._index(envs[0][scope]).lists:
                path = [scope, *tail]
                lists = [at(env, path) for env in envs]
                if not all(isinstance(one, list) for one in lists):
                    continue
                lengths = list(map(len, lists))
                if max(lengths) < 2:  # nothing tells that there can be more
                    continue
                self._step(len(lists))
                for period, gap in (*((n, 0) for n in range(1, MOST_PERIOD + 1)), (1, 1)):
                    found = self._periods(rows, envs, place, (path, lists), period, gap)
                    if found is not None:
                        yield found

    def _periods(
        self,
        rows: Sequence[Sequence[Node]],
        envs: Sequence[Env],
        place: tuple[int, ...],
        of: tuple[list[Any], Sequence[list[Any]]],
        period: int,
        gap: int,
    ) -> tuple[Json, tuple[int, ...]] | None:
        """Explain siblings by a list, `period` of them by an item, with a text in each gap."""
        path, lists = of
        step = period + gap
        signs = next(
            (
                [node.tag for node in row[n : n + step]]
                for row, n, items in zip(rows, place, lists, strict=True)
                if items and n + period <= len(row)
            ),
            None,
        )
        if signs is None:
            return None
        if gap:
            signs = [*signs, ""][:2]
            if not signs[0] or signs[1]:
                return None
        runs = []
        for row, n, items in zip(rows, place, lists, strict=True):
            run = 0
            while (
                run < len(items)
                and n + run * step + period <= len(row)
                and [node.tag for node in row[n + run * step :][:period]] == signs[:period]
                and (not gap or run == 0 or not row[n + run * step - 1].tag)
            ):
                run += 1
            self._step(run)
            runs.append(run)
        cut = {run for run, items in zip(runs, lists, strict=True) if run < len(items)}
        if len(cut) > 1:
            return None
        most = cut.pop() if cut else None
        counts = [len(items) if most is None else min(most, len(items)) for items in lists]
        if any(count > run for count, run in zip(counts, runs, strict=True)) or max(counts) < 2:
            return None
        longest = max(range(len(rows)), key=counts.__getitem__)
        for number in (0, counts[longest] - 1):
            start = place[longest] + number * step
            if not self._tells(lists[longest][number], rows[longest][start : start + period]):
                return None
        slices, inner, between = list[Sequence[Node]](), list[Env](), set[str]()
        for row, n, items, env, count in zip(rows, place, lists, envs, counts, strict=True):
            for number in range(count):
                start = n + number * step
                slices.append(row[start : start + period])
                inner.append((*env, items[number]))
                if gap and number:
                    between.add(row[start - 1].text)
        if len(between) > 1 or (gap and not between):
            return None
        items_of = self.sequence(slices, inner)
        if items_of is None:
            return None
        after = tuple(
            n + max(0, count * step - gap) for n, count in zip(place, counts, strict=True)
        )
        text = between.pop() if between else ""
        return ["each", path, items_of, most, text, len(slices)], after

    def _tells(self, item: Json, nodes: Sequence[Node]) -> bool:
        """Whether siblings have anything of an item of a list: else they are not made of it."""
        written = "".join(map(_written, nodes))
        self._step(len(written) // 256)
        return any(
            escape(text, quote=False) in written
            for _, value in self._index(item).all
            for spell in _SPELLINGS
            if (text := spell(value)) and "<" not in text
        )

    def _node(self, nodes: Sequence[Node], envs: Sequence[Env]) -> Json | None:
        """Explain nodes of one tag."""
        self._step(len(nodes))
        if not nodes[0].tag:
            texts = [node.text for node in nodes]
            told = self.explain(texts, envs, _IN_TEXT)
            seen = any("<" in text or "&" in text for text in texts)
            return ["text", told, seen] if told else None
        attributes = {}
        for name in nodes[0].attributes:
            values = [node.attributes.get(name) for node in nodes]
            given = [value for value in values if value is not None]
            # What is not explained is left out: the check tells whether readers miss it.
            if len(given) == len(values) and (told := self.explain(given, envs, _IN_ADDRESSES)):
                attributes[name] = told
        inner: Items | None = None
        if any("<" in node.inner for node in nodes) and (paths := self._markup(nodes, envs)):
            inner = [["markup", paths]]
        else:
            inner = self.sequence([node.children for node in nodes], envs)
        if inner is None and nodes[0].tag == "script":
            inner = []
        return None if inner is None else ["element", nodes[0].tag, attributes, inner]

    def _markup(self, nodes: Sequence[Node], envs: Sequence[Env]) -> list[list[Any]]:
        """Return the paths of strings that are what stands in the nodes."""
        first = max(range(len(nodes)), key=lambda n: "<" in nodes[n].inner)
        return [
            [scope, *tail]
            for scope in reversed(range(len(envs[first])))
            for tail in self._index(envs[first][scope]).markup(nodes[first].inner)
            if all(
                isinstance(value := at(env, [scope, *tail]), str)
                and (value == node.inner or canonical(value) == node.inner)
                for node, env in zip(nodes, envs, strict=True)
            )
        ][:MOST_PATHS]

    def _conditions(self, present: Sequence[Env], absent: Sequence[Env]) -> list[Json]:
        """Return what holds wherever something is shown, and nowhere else: by the nearest scope."""
        for scope in reversed(range(len(present[0]))):
            found: list[Json] = []
            known = {path: None for path, _ in self._index(present[0][scope]).all}
            known |= {path: None for path, _ in self._index(absent[0][scope]).all}
            for tail in known:
                path = [scope, *tail]
                self._step(2)
                shown, hidden = at(present[0], path), at(absent[0], path)
                if bool(shown) is not bool(hidden):
                    truth = bool(shown)
                    if all(bool(at(env, path)) is truth for env in present) and all(
                        bool(at(env, path)) is not truth for env in absent
                    ):
                        found.append([path, truth])
                elif (
                    isinstance(shown, str)
                    and all(at(env, path) == shown for env in present)
                    and all(at(env, path) != shown for env in absent)
                ):
                    found.append([path, shown])
            if found:
                return found[:MOST_CONDITIONS]
        return []

    # ---------------------------------------------------------------- texts

    def explain(
        self, texts: Sequence[str], envs: Sequence[Env], spellings: tuple[int, ...]
    ) -> list[Json]:
        """Return the alternatives that explain texts; none where nothing does."""
        first = texts[0]
        found: list[Json] = []
        least = 1
        if all(text == first for text in texts):
            found.append([first] if first else [])
            least = LEAST_SHARED
            if not first.strip():
                return found
        place = (0,) * len(texts)
        for parts in self._composed(texts, envs, place, (least, spellings), MOST_SLOTS):
            if parts not in found:
                found.append(parts)
            if len(found) >= MOST_ALTERNATIVES:
                break
        return found

    def _composed(
        self,
        texts: Sequence[str],
        envs: Sequence[Env],
        place: tuple[int, ...],
        how: tuple[int, tuple[int, ...]],
        slots: int,
    ) -> Iterator[Json]:
        """Yield constants and slots that make up what is left of each text."""
        first, begin = texts[0], place[0]
        shared = _shared([text[n:] for text, n in zip(texts, place, strict=True)])
        self._step(len(texts) + shared // 16)
        if slots:
            for more in range(shared + 1):
                here = tuple(n + more for n in place)
                if begin + more >= len(first) or not _is_edge(first, begin + more):
                    continue
                for slot, after in self._slots(texts, envs, here, how):
                    before = [first[begin : begin + more]] if more else []
                    for rest in self._composed(texts, envs, after, how, slots - 1):
                        yield [*before, slot, *rest]
        ends = all(n + shared == len(text) for text, n in zip(texts, place, strict=True))
        if ends and (slots < MOST_SLOTS or not shared):
            yield [first[begin:]] if shared else []

    def _slots(
        self,
        texts: Sequence[str],
        envs: Sequence[Env],
        place: tuple[int, ...],
        how: tuple[int, tuple[int, ...]],
    ) -> Iterator[tuple[Json, tuple[int, ...]]]:
        """Yield the values that all texts go on with, the longest first, with where they end."""
        (least, spellings), first, begin = how, texts[0], place[0]
        found: dict[tuple[int, ...], dict[int, list[Json]]] = {}
        for scope in reversed(range(len(envs[0]))):
            for value, tails in self._index(envs[0][scope]).by_begin.get(first[begin], ()):
                if (len(value) < least and value != first) or not first.startswith(value, begin):
                    continue
                if not _is_edge(first, begin + len(value)):
                    continue
                for spelling, tail in product(spellings, tails):
                    path = [scope, *tail]
                    if spelling and isinstance(at(envs[0], path), str) is (spelling == 1):
                        continue
                    ends = self._ends(texts, envs, place, path, spelling)
                    if ends is not None and ends[0] == begin + len(value):
                        found.setdefault(ends, {}).setdefault(spelling, []).append(path)
        for ends, spelled in sorted(found.items(), key=lambda it: -it[0][0]):
            for spelling, paths in spelled.items():
                yield [spelling, paths[:MOST_PATHS]], ends

    def _ends(
        self,
        texts: Sequence[str],
        envs: Sequence[Env],
        place: tuple[int, ...],
        path: list[Any],
        spelling: int,
    ) -> tuple[int, ...] | None:
        """Return where a value ends with which all texts go on; None where one does not."""
        self._step()
        ends = []
        for text, env, n in zip(texts, envs, place, strict=True):
            said = _spelled(at(env, path), spelling)
            if said is None or not text.startswith(said, n) or not _is_edge(text, n + len(said)):
                return None
            ends.append(n + len(said))
        return tuple(ends)


def _shared(texts: Sequence[str]) -> int:
    """Return with how many characters all texts begin alike."""
    least, most = min(texts), max(texts)
    other = (n for n, (one, two) in enumerate(zip(least, most, strict=False)) if one != two)
    return next(other, len(least))


def _is_edge(text: str, place: int) -> bool:
    """Whether a word begins or ends there, or no word of ASCII is there: values are whole words."""
    if not 0 < place < len(text):
        return True
    before, after = text[place - 1], text[place]
    return not (before.isascii() and after.isascii() and before.isalnum() and after.isalnum())


# --------------------------------------------------------------------------------------------------
# Filling


def fill(items: Items, state: Json) -> str:
    """Return the HTML of a page by its state. Raises Unfilled where that is not known."""
    writer = _Writer()
    try:
        writer.write(items, (state,))
    except (RecursionError, Unexplained):
        raise Unfilled from None
    return "<!doctype html>" + "".join(writer.out)


class _Writer:
    def __init__(self) -> None:
        self.out: list[str] = []
        self._left = MOST_FILLED

    def _put(self, text: str) -> None:
        self._left -= len(text) + 1
        if self._left < 0:
            raise Unfilled
        self.out.append(text)

    def write(self, items: Items, env: Env) -> None:
        for item in items:
            self._put("")
            match item:
                case ["text", alternatives, markup]:
                    text = _said(alternatives, env)
                    if not markup and ("<" in text or "&" in text):
                        raise Unfilled  # shown as it is, or taken for HTML
                    self._put(escape(text, quote=False))
                case ["element", tag, attributes, inner]:
                    told = "".join(
                        f' {name}="{escape(_said(alternatives, env))}"'
                        for name, alternatives in attributes.items()
                    )
                    self._put(f"<{tag}{told}>")
                    if tag == "script":
                        for raw in inner:
                            self._put(_said(raw[1], env).replace("</", "<\\/"))
                    else:
                        self.write(inner, env)
                    if tag not in _VOID:
                        self._put(f"</{tag}>")
                case ["markup", paths]:
                    values = [at(env, path) for path in paths]
                    if not isinstance(values[0], str) or any(it != values[0] for it in values):
                        raise Unfilled
                    self._put(canonical(values[0]))
                case ["each", path, inner, most, between, seen]:
                    self._write_each(at(env, path), (inner, most, between, seen), env)
                case ["where", conditions, inner, seen]:
                    if _holds(conditions, env):
                        if seen < 2:
                            raise Unfilled
                        self.write(inner, env)

    def _write_each(self, found: Json, how: tuple[Items, int | None, str, int], env: Env) -> None:
        inner, most, between, seen = how
        if not isinstance(found, list) or (found and seen < 2):
            raise Unfilled
        for number, one in enumerate(found[:most]):
            if number and between:
                self._put(escape(between, quote=False))
            self.write(inner, (*env, one))


def _said(alternatives: list[Json], env: Env) -> str:
    """Return what all alternatives say."""
    texts = set[str]()
    for parts in alternatives:
        said = [""]
        for part in parts:
            if isinstance(part, str):
                said.append(part)
                continue
            spelling, paths = part
            values = {_spelled(at(env, path), spelling) for path in paths}
            value = values.pop()
            if value is None or values:
                raise Unfilled
            said.append(value)
        texts.add("".join(said))
    if len(texts) != 1:
        raise Unfilled
    return texts.pop()


def _holds(conditions: list[Json], env: Env) -> bool:
    told = {
        bool(at(env, path)) is wanted if isinstance(wanted, bool) else at(env, path) == wanted
        for path, wanted in conditions
    }
    if len(told) != 1:
        raise Unfilled
    return told.pop()


# --------------------------------------------------------------------------------------------------
# What is known of states


class Guard:
    """What the states of pages had for which a filling was right: another one is not filled.

    By path, with a star for the places of lists: of which sorts its values were, of how many items
    its lists at most, which keys objects always had, and its values where these name kinds of
    something: all the same, or some of them repeated. Those that the filling shows may be others.
    """

    def __init__(self, known: dict[str, Json] | None = None) -> None:
        self.known: dict[str, Json] = known if known is not None else {}

    def copy(self) -> Guard:
        """Return one that knows the same."""
        return Guard(deepcopy(self.known))

    def widen(self, state: Json) -> None:
        """Take in the state of a page for which the filling was right, or that it is made of."""
        for path, values in _by_path(state).items():
            one = self.known.setdefault(
                path, {"sorts": [], "longest": 0, "keys": None, "values": {}, "count": 0}
            )
            one["sorts"] = sorted({*one["sorts"], *map(_sort, values)})
            one["longest"] = max(one["longest"], *(_length(value) for value in values))
            for value in values:
                if isinstance(value, dict):
                    keys = set(value) if one["keys"] is None else set(one["keys"]) & set(value)
                    one["keys"] = sorted(keys)
                if (text := _as_text(value)) is None or one["values"] is None:
                    continue
                one["count"] += 1
                one["values"][text] = None
                if len(one["values"]) > MOST_KINDS:
                    one["values"] = None

    def admits(self, state: Json, shown: frozenset[str]) -> bool:
        """Whether all of a state is known; `shown` are paths that the filling shows."""
        try:
            found = _by_path(state)
        except Unexplained:
            return False
        return all(
            (one := self.known.get(path)) is not None and self._knows(one, values, path in shown)
            for path, values in found.items()
        )

    @staticmethod
    def _knows(one: Mapping[str, Json], values: Sequence[Json], is_shown: bool) -> bool:
        kinds = one["values"]
        # As many as there were pages and items: each had its own.
        if is_shown or kinds is None or 1 < len(kinds) == one["count"]:
            kinds = None
        return all(
            _sort(value) in one["sorts"]
            and _length(value) <= one["longest"]
            and (not isinstance(value, dict) or set(one["keys"] or ()) <= value.keys())
            and (kinds is None or (text := _as_text(value)) is None or text in kinds)
            for value in values
        )


def shown_paths(items: Items, scopes: tuple[str, ...] = ("",)) -> Iterator[str]:
    """Yield the paths, as a guard has them, of the values that a filling shows."""
    for item in items:
        match item:
            case ["text", alternatives, _]:
                yield from _of_slots(alternatives, scopes)
            case ["element", _, attributes, inner]:
                for alternatives in attributes.values():
                    yield from _of_slots(alternatives, scopes)
                yield from shown_paths(inner, scopes)
            case ["markup", paths]:
                yield from (_starred(path, scopes) for path in paths)
            case ["each", path, inner, *_]:
                yield from shown_paths(inner, (*scopes, _starred(path, scopes) + "\n*"))
            case ["where", _, inner, _]:
                yield from shown_paths(inner, scopes)


def _of_slots(alternatives: list[Json], scopes: tuple[str, ...]) -> Iterator[str]:
    for parts in alternatives:
        for part in parts:
            if not isinstance(part, str):
                yield from (_starred(path, scopes) for path in part[1])


def _starred(path: Sequence[Any], scopes: tuple[str, ...]) -> str:
    keys = ("*" if isinstance(key, int) else key for key in path[1:])
    return "".join((scopes[path[0]], *(f"\n{key}" for key in keys)))


def _by_path(state: Json) -> dict[str, list[Json]]:
    """Return all values of a state, by path. Raises Unexplained where it is too large or deep."""
    found: dict[str, list[Json]] = {}
    level, count = [("", state)], 0
    for _ in range(MOST_DEPTH):
        inner: list[tuple[str, Json]] = []
        for path, value in level:
            found.setdefault(path, []).append(value)
            if isinstance(value, dict):
                inner += [(f"{path}\n{key}", one) for key, one in value.items()]
            elif isinstance(value, list):
                inner += [(f"{path}\n*", one) for one in value]
        level, count = inner, count + len(inner)
        if not level:
            return found
        if count > MOST_SCALARS:
            break
    raise Unexplained


def _sort(value: Json) -> str:
    """Return of which sort a value is: what scripts tell apart by looking whether it is there."""
    name = "number" if type(value) in (int, float) else type(value).__name__
    return name if value else f"no {name}"


def _length(value: Json) -> int:
    return len(value) if isinstance(value, list) else 0
