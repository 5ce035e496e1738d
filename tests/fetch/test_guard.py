"""The address guard: which addresses are public in any spelling, and what a job opens."""

from __future__ import annotations

import gc
import os
import socket
from ipaddress import IPv4Network, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.fetch.addresses import AddressGuard, is_public
from crawler.fetch.trouble import AddressRefused
from crawler.urls import Canonicaliser, host_key, hostname

PUBLIC = """
    1.1.1.1 8.8.8.8 93.184.215.14 100.63.255.255 100.128.0.0 172.15.0.1 172.32.0.1 192.0.1.1
    198.17.0.1 223.255.255.255 2606:4700::1111 2a00:1450:4001::1 ::ffff:8.8.8.8 2002:808:808::1
    64:ff9b::808:808
""".split()

REFUSED = """
    0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.100.100.200 127.0.0.1 127.255.0.9 168.63.129.16
    169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.192 192.0.2.1 192.88.99.1 192.168.1.1
    198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.250 240.0.0.1
    255.255.255.255 :: ::1 fe80::1 fe80::1%eth0 fec0::1 fc00::1 fd00:ec2::254 ff02::1 100::1
    2001:db8::1 3fff::1 5f00::1 2001:2::1 4000::1
    ::ffff:127.0.0.1 ::ffff:169.254.169.254 ::ffff:10.0.0.1 ::127.0.0.1
    2002:7f00:1::1 2002:a9fe:a9fe::1 2002:a00:1:: 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe
    64:ff9b:1::808:808
""".split()


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_admitted(address: str) -> None:
    """Globally routable unicast addresses pass, also folded into mapped, 6to4 and NAT64 forms."""
    assert AddressGuard().admits(address, 80)


@pytest.mark.parametrize("address", REFUSED)
def test_other_addresses_are_refused(address: str) -> None:
    """Special-purpose addresses are refused in whatever form they are written."""
    assert not AddressGuard().admits(address, 80)


@pytest.mark.parametrize(("client", "admitted"), [("8.8.8.8", True), ("127.0.0.1", False)])
def test_teredo_is_unfolded(client: str, admitted: bool) -> None:
    """A Teredo address counts as the server and the client that it carries."""
    server = int(ip_address("65.54.227.120"))
    folded = (0x20010000 << 96) | (server << 64) | (int(ip_address(client)) ^ 0xFFFF_FFFF)
    assert AddressGuard().admits(str(ip_address(folded)), 80) is admitted


@given(st.integers(0, 2**32 - 1))
def test_special_ipv4_agrees_with_the_standard_library(number: int) -> None:
    """Whatever the standard library calls private, loopback or the like is never public here."""
    address = ip_address(number)
    odd = (
        address.is_private
        or address.is_loopback
        or address.is_link_local
        or address.is_multicast
        or address.is_reserved
        or address.is_unspecified
        or address in IPv4Network("100.64.0.0/10")
    )
    assert not (odd and is_public(address))


def test_job_ranges_are_admitted() -> None:
    """`allow_addresses` admits its ranges and nothing beside them, mapped forms included."""
    guard = AddressGuard(("10.1.0.0/16", "fd00::/8"))
    assert guard.admits("10.1.2.3", 8080)
    assert guard.admits("::ffff:10.1.2.3", 8080)
    assert guard.admits("fd00::7", 80)
    assert not guard.admits("10.2.0.1", 8080)


@pytest.mark.parametrize(
    ("seed", "admitted", "refused"),
    [
        ("http://127.0.0.1:8000/", ("127.0.0.1", 8000), ("127.0.0.1", 8001)),
        ("http://127.0.0.1:8000/", ("::ffff:127.0.0.1", 8000), ("127.0.0.2", 8000)),
        ("http://127.1/", ("127.0.0.1", 80), ("127.0.0.1", 443)),
        ("https://[fd00::1]/", ("fd00::1", 443), ("fd00::1", 80)),
        ("http://localhost:9/", ("127.0.0.1", 9), ("127.0.0.1", 80)),
        ("http://localhost./", ("::1", 80), ("::1", 81)),
    ],
)
def test_local_seed_admits_itself_only(
    seed: str, admitted: tuple[str, int], refused: tuple[str, int]
) -> None:
    """A local seed opens its own address and port, and neither a neighbour nor another port."""
    guard = AddressGuard()
    guard.admit_seed(seed)
    assert guard.admits(*admitted)
    assert not guard.admits(*refused)


def test_named_seed_admits_nothing() -> None:
    """A seed with an ordinary name opens no address: where it leads is not the user's word."""
    guard = AddressGuard()
    guard.admit_seed("http://intranet.example/")
    assert not guard.admits("10.0.0.1", 80)


def test_socket_is_refused_before_it_exists() -> None:
    """The refusal comes where the socket would be made, and names address and way out."""
    entry = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("169.254.169.254", 80))
    with pytest.raises(AddressRefused) as caught:
        AddressGuard().socket_factory(entry)
    assert "169.254.169.254" in caught.value.explanation
    assert "allow_addresses" in caught.value.explanation


def test_ranges_of_mapped_addresses_are_admitted() -> None:
    """A range written in IPv4-mapped form means the IPv4 addresses it maps."""
    guard = AddressGuard(("::ffff:10.1.0.0/112",))
    assert guard.admits("10.1.2.3", 80)
    assert not guard.admits("10.2.0.1", 80)


def test_pairs_do_not_count_for_names() -> None:
    """What a seed opened by its address is not opened to names that DNS leads there."""
    guard = AddressGuard()
    guard.admit_seed("http://127.0.0.1:8000/")
    assert guard.admits("127.0.0.1", 8000)
    assert not guard.admits_name("127.0.0.1")


SPELLINGS = """
    2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001 127.1 127.0.0.1. １２７.０.０.１
    127。0。0。1 %31%32%37.0.0.1 0 0x0 [::] [::1] [::ffff:127.0.0.1] [::ffff:7f00:1]
    [0:0:0:0:0:ffff:7f00:1]
    [64:ff9b::7f00:1] [2002:7f00:1::] [::127.0.0.1] 169.254.169.254 2852039166 0xa9fea9fe
    [::ffff:169.254.169.254] [64:ff9b::169.254.169.254] [fd00:ec2::254] [fe80::1]
""".split()


@pytest.mark.parametrize("host", SPELLINGS)
def test_every_spelling_of_a_local_host_is_refused(host: str) -> None:
    """Decimal, octal, hexadecimal, short, full-width and folded spellings all come out refused."""
    url = Canonicaliser()(f"http://{host}/")
    if url is not None:
        assert not AddressGuard().admits(hostname(host_key(url)).strip("[]"), 80)


def test_a_collected_socket_closes_nothing() -> None:
    """A socket whose descriptor was closed under it does not close the next one of that number."""
    entry = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("8.8.8.8", 80))
    made = AddressGuard().socket_factory(entry)
    os.close(number := made.fileno())
    read, write = os.pipe()
    assert number in (read, write)
    del made
    gc.collect()
    os.write(write, b"x")
    assert os.read(read, 1) == b"x"
    os.close(read)
    os.close(write)
