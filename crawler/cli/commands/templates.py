"""What a crawl has learned of its sites' templates: tables, JSON, or a page to look at."""

from __future__ import annotations

from argparse import Namespace

from crawler.cluster.root import Root
from crawler.console import say
from crawler.errors import ConfigError
from crawler.storage.directory import crawls_in, is_root
from crawler.storage.view import NO_SITES, StoreView, refuse_corpus
from crawler.urls import given_host
from crawler.views.render import console, print_json, write_page
from crawler.views.templates import (
    as_page,
    host_data,
    hosts_of,
    painted_file,
    painted_stored,
    print_hosts,
    print_template,
    template_data,
    template_of,
)


def templates(args: Namespace) -> int:
    """Show what was learned of all hosts, or of one."""
    host, html, page = args.host, args.html, args.page
    if host is None and (html or page):
        raise ConfigError("--html and --page show one host: name it after DIR")
    if page is not None and html is None:
        raise ConfigError(f"--page {page} is painted on a page: add --html FILE")
    if host is None:
        hosts = []
        for directory in crawls_in(args.directory):
            with StoreView.read(directory) as view:
                refuse_corpus(view, NO_SITES)
                hosts += hosts_of(view, say)
        if args.json:
            print_json(list(map(host_data, hosts)))
        elif hosts:
            print_hosts(console(), hosts)
        else:
            say(f"{args.directory}: no template was learned there (`extract.learn`)")
        return 0
    directory = args.directory
    if is_root(directory):
        root = Root.open(directory)
        directory = root.partition(root.partition_of(given_host(host)))
    with StoreView.read(directory) as view:
        found = template_of(view, host)
        if html is not None:
            pages = [painted_file(found, page)] if page else painted_stored(found, view, say)
            write_page(html, as_page(found, pages))
        if args.json:
            print_json(template_data(found))
        elif html is None:
            print_template(console(), found)
    return 0
