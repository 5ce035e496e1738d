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
    ["each", path, items, most, between, seen, least]
                                           for each of a list, `most` of them (null: all), with a
                                           constant text between them; `least` were seen
    ["either", conditions, items, seen, items, seen, whether they are no chance]
                                           where all conditions hold, [path, truth or value], and
                                           where none does; null of what was not explained
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import chain, compress
from math import comb
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.guard import MOST_DEPTH, MOST_SCALARS, Unexplained, inner_values
from crawler.extract.spellings import ALL, IN_ADDRESSES, IN_TEXT, Json, spelled

Items = list[Any]
Env = tuple[Json, ...]
"""The state, and the items of the lists that are gone through, the innermost last."""

MOST_ALTERNATIVES = 4
"""Explanations of one text that are kept."""
MOST_PATHS = 8
"""Of one slot."""
MOST_CONDITIONS = 32
LEAST_WAYS = 60
"""To choose as many of the examples, beyond which one value hardly parts them by chance."""
LEAST_CAUSES = 4
"""Values, none of them within another, that hardly do it together."""
LEAST_SHARED = 4
"""Characters of a value that explains a part of a text that is the same in all examples: shorter
ones stand in any text."""
MOST_ATTRIBUTE = 2_048
"""Characters; longer ones are no more than one value."""
MOST_SLOTS = 6
"""In one text."""
MOST_PERIOD = 3
"""Siblings that one item of a list becomes: a term, its explanation and a line."""
MOST_NODES = 20_000
MOST_WRITTEN = 8 * 1024 * 1024
"""Of the tree of an example: elements, and characters of what all of them hold."""
MOST_STEPS = 100_000
"""Comparisons for one filling, a second at most: a page that takes more is not explained."""
MOST_FILLED = 1024 * 1024
"""Characters of a page, and steps to it."""

_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
"""HTML 13.1.2: elements without an end tag."""

_LEFT_OUT = frozenset({"style", "template", "noscript"})
_AS_WRITTEN = frozenset({"pre", "textarea", "listing"})
"""Elements whose white space is seen (HTML 15.3.3); else how much there is does not matter."""


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
    if node.tag == "link" and node.parent is not None and node.parent.tag == "head":
        told = (node.attributes.get("rel") or "").lower().split()
        return not {"canonical", "alternate"} & set(told)
    if node.tag == "script":
        return (node.attributes.get("type") or "").strip().lower() != "application/ld+json"
    return node.tag in _LEFT_OUT


def _written(node: Node) -> str:
    if not node.tag:
        return escape(node.text, quote=False)
    told = "".join(f' {name}="{_escaped(value)}"' for name, value in node.attributes.items())
    return _element(node.tag, told, node.children[0].text if _is_raw(node) else node.inner)


def _escaped(value: str) -> str:
    """Return the value of an attribute as browsers write it (HTML 13.3)."""
    return escape(value, quote=False).replace("\xa0", "&nbsp;").replace('"', "&quot;")


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
        if isinstance(value, dict):
            value = next(iter(value.values())) if key == 0 and len(value) == 1 else value.get(key)
        elif isinstance(value, list) and isinstance(key, int) and key < len(value):
            value = value[key]
        else:
            return None
    return value


def _paths(value: Json, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Json]]:
    """Yield all values within one, each with its path, containers too."""
    yield path, value
    if len(path) >= MOST_DEPTH:
        raise Unexplained
    for key, inner in inner_values(value):
        yield from _paths(inner, (*path, key))


class Index:
    """The values within one value of a state, to be found by what they say."""

    def __init__(self, value: Json) -> None:
        self.value = value
        """Kept, as it is known by its identity."""
        self.all: list[tuple[tuple[Any, ...], Json]] = []
        self.lists: list[tuple[Any, ...]] = []
        texts: dict[str, list[tuple[int, tuple[Any, ...]]]] = {}
        for path, inner in _paths(value):
            if len(self.all) >= MOST_SCALARS:
                raise Unexplained
            self.all.append((path, inner))
            if isinstance(inner, list):
                self.lists.append(path)
            for spelling in ALL:
                if text := spelled(inner, spelling):
                    texts.setdefault(text, []).append((spelling, path))
        self.by_begin: dict[str, list[tuple[str, list[tuple[int, tuple[Any, ...]]]]]] = {}
        for text, told in sorted(texts.items(), key=lambda it: -len(it[0])):
            self.by_begin.setdefault(text[0], []).append((text, told))
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
        self._known: dict[tuple[int, ...], Json | None] = {}
        """Nodes and what they are made of, by identity -> their explanation."""

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
        found = self._explained(rows, envs, explained=True)
        return self._explained(rows, envs, explained=False) if found is None else found

    def _explained(
        self, rows: Sequence[Sequence[Node]], envs: Sequence[Env], *, explained: bool
    ) -> Items | None:
        ends = tuple(map(len, rows))
        start = (0,) * len(rows)
        if start == ends:
            return []
        items: Items = []
        failed = set[tuple[int, ...]]()
        stack = [(start, self._items(rows, envs, start, explained=explained))]
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
                ways = self._items(rows, envs, after, explained=explained)
                stack.append((after, ways))
        return None

    def _items(
        self,
        rows: Sequence[Sequence[Node]],
        envs: Sequence[Env],
        place: tuple[int, ...],
        *,
        explained: bool,
    ) -> Iterator[tuple[Json, tuple[int, ...]]]:
        """Yield what may explain the next siblings, with the place behind them.

        Where not all has to be `explained`, what only some pages show may not be.
        """
        self._step(len(rows))
        nodes = [row[n] if n < len(row) else None for row, n in zip(rows, place, strict=True)]
        there = [node for node in nodes if node is not None]
        one = self._one(there, envs, place) if len(there) == len(nodes) else iter(())
        repeated = self._repeated(rows, envs, place)
        # What is the same on all pages is hardly made of a list: looked for first, that took most.
        is_same = len(rows) > 1 and len({_written(node) for node in there}) == 1
        yield from (chain(one, repeated) if is_same else chain(repeated, one))
        kinds = [] if len(nodes) == 1 else self._kinds(envs, self._signs(rows, place, nodes))
        rest = [row[n:] for row, n in zip(rows, place, strict=True)]
        for closes in (True, False):
            for has, conditions in kinds:
                if closes and not self._closes(rest, has):
                    continue  # as a rule what is behind is behind the others as well
                for halves in self._halves(rest, envs, has, explained=explained):
                    yield self._either(conditions, halves, len(envs[0])), tuple(map(len, rows))
            for has, conditions in kinds if closes else ():
                some = [
                    node for node, is_there in zip(nodes, has, strict=True) if node and is_there
                ]
                item = self._node(some, list(compress(envs, has)))
                if item is not None or not explained:
                    after = tuple(n + is_there for n, is_there in zip(place, has, strict=True))
                    halves = [None if item is None else [item], sum(has), [], len(has) - sum(has)]
                    yield self._either(conditions, halves, len(envs[0])), after

    @staticmethod
    def _either(conditions: list[Json], halves: list[Json], depth: int) -> Json:
        """Return an item, with whether its conditions are no chance.

        They are none where something is shown with what is shown there; where so many examples are
        parted that one value hardly does it by chance; or where many values do it.
        """
        scopes = tuple(map(str, range(depth)))
        told = {_starred(path, scopes) for path, _ in conditions}
        shown = () if halves[2] else set(shown_paths(halves[0] or (), scopes))
        goes_with = any(f"{path}\n".startswith(f"{cause}\n") for path in shown for cause in told)
        roots = {path for path in told if path.rpartition("\n")[0] not in told}
        ways = comb(halves[1] + halves[3], halves[1])
        is_sure = goes_with or ways >= LEAST_WAYS or len(roots) >= LEAST_CAUSES
        return ["either", conditions, *halves, is_sure and min(halves[1], halves[3]) > 1]

    @staticmethod
    def _closes(rest: Sequence[Sequence[Node]], has: Sequence[bool]) -> bool:
        """Whether the next siblings that are of a kind are the last ones, and only there."""
        sign = rest[has.index(True)][0].sign
        return all(len(row) == 1 for row in compress(rest, has)) and not any(
            node.sign == sign for row in rest for node in row[1:]
        )

    def _halves(
        self,
        rest: Sequence[Sequence[Node]],
        envs: Sequence[Env],
        has: Sequence[bool],
        *,
        explained: bool,
    ) -> Iterator[list[Json]]:
        """Yield how all that is left is explained, of those that have a kind and of the others."""
        halves: list[Json] = []
        for some in (has, [not is_there for is_there in has]):
            items = self.sequence(list(compress(rest, some)), list(compress(envs, some)))
            halves += [items, sum(some)]
        if None not in halves or not (explained or halves[0] is halves[2]):
            yield halves

    def _kinds(
        self, envs: Sequence[Env], signs: Iterable[list[bool]]
    ) -> list[tuple[list[bool], list[Json]]]:
        """Return which of the next siblings are of a kind, where the state tells, and how."""
        found = []
        for has in signs:
            some = compress(envs, has), compress(envs, (not is_there for is_there in has))
            if not all(has) and (conditions := self._conditions(*map(list, some))):
                found.append((has, conditions))
        return found

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
    ) -> list[list[bool]]:
        """Return which of the next siblings have a sign, first one that comes nowhere later on."""
        signs = dict.fromkeys(node.sign for node in nodes if node is not None)
        later = {
            sign: sum(
                any(node.sign == sign for node in row[n + 1 :])
                for row, n in zip(rows, place, strict=True)
            )
            for sign in signs
        }
        return [
            [node is not None and node.sign == sign for node in nodes]
            for sign in sorted(signs, key=later.__getitem__)
        ]

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
        return ["each", path, items_of, most, text, len(slices), min(counts)], after

    def _tells(self, item: Json, nodes: Sequence[Node]) -> bool:
        """Whether siblings have anything of an item of a list: else they are not made of it."""
        written = "".join(map(_written, nodes))
        self._step(len(written) // 256)
        return any(
            escape(text, quote=False) in written
            for texts in self._index(item).by_begin.values()
            for text, _ in texts
            if "<" not in text
        )

    def _node(self, nodes: Sequence[Node], envs: Sequence[Env]) -> Json | None:
        """Explain nodes of one tag."""
        key = (*map(id, nodes), *map(id, chain.from_iterable(envs)))
        if key not in self._known:
            self._known[key] = self._explain_node(nodes, envs)
        return self._known[key]

    def _explain_node(self, nodes: Sequence[Node], envs: Sequence[Env]) -> Json | None:
        self._step(len(nodes))
        if not nodes[0].tag:
            texts = [node.text for node in nodes]
            told = self.explain(texts, envs, IN_TEXT)
            seen = any("<" in text or "&" in text for text in texts)
            return ["text", told, seen] if told else None
        if len({"class" in node.attributes for node in nodes}) > 1:
            return None
        attributes = {}
        for name, value in nodes[0].attributes.items():
            values = [node.attributes.get(name) for node in nodes]
            given = [value for value in values if value is not None]
            explain = self._explain_whole if len(value) > MOST_ATTRIBUTE else self.explain
            # What is not explained is left out: the check tells whether readers miss it.
            if len(given) == len(values) and (told := explain(given, envs, IN_ADDRESSES)):
                attributes[name] = told
            elif name == "class":  # by which they are of several kinds
                return None
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
                    and len(present) > 1  # what only one says is no kind
                    and all(at(env, path) == shown for env in present)
                    and all(at(env, path) != shown for env in absent)
                ):
                    found.append([path, shown])
            if found:
                return found[:MOST_CONDITIONS]
        return []

    # ---------------------------------------------------------------- texts

    def explain(
        self, texts: Sequence[str], envs: Sequence[Env], spellings: frozenset[int]
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

    def _explain_whole(
        self, texts: Sequence[str], envs: Sequence[Env], spellings: frozenset[int]
    ) -> list[Json]:
        """Return the values that texts are."""
        ends, start = tuple(map(len, texts)), (0,) * len(texts)
        slots = self._slots(texts, envs, start, (1, spellings))
        return [[slot] for slot, after in slots if after == ends]

    def _composed(
        self,
        texts: Sequence[str],
        envs: Sequence[Env],
        place: tuple[int, ...],
        how: tuple[int, frozenset[int]],
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
        how: tuple[int, frozenset[int]],
    ) -> Iterator[tuple[Json, tuple[int, ...]]]:
        """Yield the values that all texts go on with, the longest first, with where they end."""
        (least, spellings), first, begin = how, texts[0], place[0]
        found: dict[tuple[int, ...], dict[int, list[Json]]] = {}
        for scope in reversed(range(len(envs[0]))):
            for value, told in self._index(envs[0][scope]).by_begin.get(first[begin], ()):
                if (len(value) < least and value != first) or not first.startswith(value, begin):
                    continue
                if not _is_edge(first, begin + len(value)):
                    continue
                for spelling, tail in told:
                    if spelling not in spellings:
                        continue
                    path = [scope, *tail]
                    ends = self._ends(texts, envs, place, path, spelling)
                    if ends is not None and ends[0] == begin + len(value):
                        found.setdefault(ends, {}).setdefault(spelling, []).append(path)
        for ends, alike in sorted(found.items(), key=lambda it: -it[0][0]):
            for spelling, paths in alike.items():
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
            said = spelled(at(env, path), spelling)
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
    """Return the HTML of a page by its state.

    Raises Unfilled where that is not known, and Unexplained where it has what never was.
    """
    writer = _Writer()
    try:
        writer.write(items, (state,))
    except RecursionError:
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
                        f' {name}="{_escaped(_said(alternatives, env))}"'
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
                    if not (values[0] and isinstance(values[0], str)) or any(
                        it != values[0] for it in values
                    ):
                        raise Unfilled
                    self._put(canonical(values[0]))
                case ["each", path, *how]:
                    self._write_each(at(env, path), how, env)
                case ["either", conditions, *halves]:
                    inner, others, is_sure = halves[::2]
                    inner = inner if _holds(conditions, env) else others
                    if inner is None:
                        raise Unexplained
                    if not is_sure:
                        raise Unfilled
                    self.write(inner, env)

    def _write_each(self, found: Json, how: Sequence[Json], env: Env) -> None:
        inner, most, between, seen, least = how
        if not isinstance(found, list) or (seen < 2 if found else least):
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
            values = {spelled(at(env, path), spelling) for path in paths}
            value = values.pop()
            if not value or values:  # of none nothing says whether what is around it is shown
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


def shown_paths(items: Iterable[Json], scopes: tuple[str, ...] = ("",)) -> Iterator[str]:
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
            case ["either", _, inner, _, others, *_]:
                yield from shown_paths(inner or (), scopes)
                yield from shown_paths(others or (), scopes)


def _of_slots(alternatives: list[Json], scopes: tuple[str, ...]) -> Iterator[str]:
    slots = [[part for part in parts if not isinstance(part, str)] for parts in alternatives]
    if all(slots):  # else it may be a constant that a value happens to be
        for _, paths in chain.from_iterable(slots):
            yield from (_starred(path, scopes) for path in paths)


def _starred(path: Sequence[Any], scopes: tuple[str, ...]) -> str:
    keys = ("*" if isinstance(key, int) else key for key in path[1:])
    return "".join((scopes[path[0]], *(f"\n{key}" for key in keys)))
