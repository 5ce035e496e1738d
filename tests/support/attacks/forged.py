"""Pages made to be taken for somebody else's: others' pages are to be dropped as copies of them.

The words of FORGED were found by trying: each is the first, of some 50 million tried, whose
shingle with the two before it has the hash of a shingle of REAL that no earlier one has. That took
175 words and 15 minutes of one core, and gives two texts without a common word
a similarity of .92 by their hashes.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from support.attacks.attack import ADDRESS, Attack, Staged, by_host
from support.servers import response, serve

REAL = """
The lighthouse on the northern reef was built in a single summer by forty masons who slept in
tents beside the water. Every stone arrived by barge from the quarry behind the harbour, and
each was cut on the beach before the tide could reach it. When autumn storms began, the tower
already stood higher than the masts of the fishing fleet, so the men covered its open top with
canvas and went home to wait for spring. Three of them stayed behind as keepers. They carried
oil up ninety steps each evening, trimmed four wicks, and wrote the weather into a ledger that
survives in the town museum. Visitors may read there how a whale leaned against the rocks for
two days, how bread was lowered to a stranded crew by rope, and how the lamp went dark only
once, when a swarm of moths blocked its vents. Today an electric beacon turns where the wicks
used to burn, but the ledger is still kept by volunteers who climb the same stairs on the first
Sunday of every month to note wind, clouds, passing ships and whatever else the sea brings near.
"""

FORGED = """
venture salomir johakabil vowigidil nodovumil walezonol munihihul jiwedoham cikazefum cobarijan
vapazoman sinunulon sazuzodap wukalalap wimecurep cutosutep fugebomar razelider fenuhojer
pedojebir zogosojor berobehis zuhagunat cacefarat vojukafet vesakucot pacotahot gatabalot
jonahutav nejigobiv fecemudov wulorukov libukusov vodigifaz ruhenukoz marujopuz sepapezab
mecogokob dizuvulec cozizevad redulubed fadokefod verojukof gonolahog lahosivog fadekameh
nifekonih gitehanoh labihujuh miracanuh fijatotuh kopivesej wamacudoj wabebenoj rosadamek
rucavarok pacohasuk kuwegoral zizidutel zidebiram pepiwuzim zuvisejen jusederin subaworon
pevafugun zikosajar wecepakir socehukir penohorir hikenoros mumocapat jibojupet rihejadit
sejimolev cumusiziv ruzovotuv tucilejaw sosamilow bevutituw buraheneb davacotib molevejoc
gutorolef vomonovef mopaconoh danudihej sakarigij nikulukij bifajutij cikapufoj cufulical
kogamaful huzalevul sagirebam jilocapen nipalucir pavonusur vopodibes majudefos nohigigev
rudedalew midebofub difanivec rojekiref madezanag fipipevag depabaweg virajijah gipikakaj
cesiheroj sicikutek secimogik salopokon wedohucur dinisinos kuvomezot pulotazew vurofamaz
nedafelab rawewunic mevogutoc zunujokuc jiketufad tonilemid zunuvigod celetulud ciwanusef
rudagehuj tofubebik lepajugik pukalagil befizimul bumizumon kocetolop delikogat buvufujuv
pahulegaw sonunutew forudobaf lirotefif fidazatof mijaziceh gulisibik dabusefik teceviguk
fogewural fohagapil dovamuhom rogecokom hosazopep wepedofir nadugatut molarotuw numunugaz
gobesebeb vuhuginad nubicucif jekuleweh bojarurij felifufer vedacipis wibagetov potizitiz
tafadiral minehanen lijefefat vujilulav wumosulev jizizuviz cejuhamed movimitih relesofaj
dokulobij rupovihul sisavisap ziwojezev dugesifal
"""

NEARER = ("gukojalo", "mobakola", "regafije", "sirujisi", "sutirute")
"""Of three million words those whose hashes differ least from the fingerprint of REAL."""

NEAR = f"{FORGED.strip()} {' '.join(' '.join([word] * 50) for word in NEARER)}"
"""FORGED, brought nearer by Hamming distance: from 28 to 10, at similarity .85."""

_ATTACKER, _VICTIM = "forger.test", "lighthouse.test"


def _page(title: str, text: str, head: str = "", below: str = "") -> bytes:
    """Return a page with a text."""
    return response(
        f"<!doctype html><html><head><title>{title}</title>{head}</head><body>"
        f"<article><p>{text.strip()}</p></article><footer>{below}</footer></body></html>".encode()
    )


@asynccontextmanager
async def forged_copy() -> AsyncIterator[Staged]:
    """Serve a forged page, which names the real one as canonical; a home page leads to that one.

    So the forged page is judged before it.
    """
    home = _page("Museums", "Our museums.", below='<a href="/reef">The lighthouse</a>')
    pages: dict[str, dict[str, bytes]] = {
        _ATTACKER: {},
        _VICTIM: {"/": home, "/reef": _page("Reef", REAL)},
    }
    async with serve(by_host(pages)) as site:
        start = f"http://{_VICTIM}:{site.port}/"
        canonical = f'<link rel=canonical href="{start}reef">'
        pages[_ATTACKER]["/"] = _page("Reef", NEAR, canonical)
        names = dict.fromkeys((_ATTACKER, _VICTIM), ADDRESS)
        seeds = f"http://{_ATTACKER}:{site.port}/", start
        yield Staged(seeds, names, innocents=(start, f"{start}reef"))


ATTACKS: tuple[Attack, ...] = (
    Attack(
        "forged-copy",
        "its page has the shingle hashes of another host's page and names that one as canonical",
        forged_copy,
    ),
)
