"""Languages as a job names them: primary tags, as BCP 47 has them (RFC 5646 2.2.1)."""

from __future__ import annotations

import difflib
import re
from typing import Annotated

from pydantic import AfterValidator

_ISO_639_1 = frozenset(
    "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy "
    "da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu "
    "hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb "
    "lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om "
    "or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss st su sv "
    "sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh "
    "zu".split()
)
_MEANT = {"cn": "zh", "jp": "ja", "cz": "cs", "dk": "da", "gr": "el", "ua": "uk", "vn": "vi"}
"""Countries that are taken for languages, and are none."""
_SAME = {
    **{"iw": "he", "in": "id", "ji": "yi", "cmn": "zh", "nb": "no", "nn": "no"},
    **{"eng": "en", "deu": "de", "fra": "fr", "spa": "es", "zho": "zh", "jpn": "ja", "rus": "ru"},
}
"""Other tags of what the model of `extract.language` has one for."""


def primary(tag: str) -> str:
    """Return the language of a BCP 47 tag, by one name for each: `no` of `nb-NO`."""
    language = tag.partition("-")[0].lower()
    return _SAME.get(language, language)


def _named(written: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(_language, written)))


def _language(written: str) -> str:
    tag = written.lower()
    if re.fullmatch(r"[a-z]{2,3}[-_].+", tag):
        raise ValueError(f"{written!r} is more than a language: write {tag[:3].rstrip('-_')}")
    if not re.fullmatch(r"[a-z]{2,3}", tag):
        raise ValueError(f"{written!r} is no language: write its ISO 639 code, such as zh or en")
    if len(tag) == 2 and tag not in _ISO_639_1 and tag not in _SAME:
        close = _MEANT.get(tag) or next(iter(difflib.get_close_matches(tag, _ISO_639_1, n=1)), "en")
        raise ValueError(f"{written!r} is no language of ISO 639-1; did you mean {close}?")
    return primary(tag)


Languages = Annotated[tuple[str, ...], AfterValidator(_named)]
"""ISO 639 codes of two or three letters, each once."""
