#!/usr/bin/env python3
"""Checks that every link, image and script of the HTML files in a folder leads to a file there, and its anchor to an element.

  check_links.py FOLDER

Prints the numbers of pages and links, and each link that leads nowhere; ends with 1 if there is one.
"""

import html.parser
import pathlib
import sys
import urllib.parse


class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.anchors = set(), set()

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name"):
                self.anchors.add(value)
            elif name in ("href", "src", "data") and value:
                self.links.add(value)

    handle_startendtag = handle_starttag


def read(path):
    reader = Reader()
    reader.feed(path.read_text())
    return reader


folder = pathlib.Path(sys.argv[1])
pages = {path.name: read(path) for path in folder.glob("*.html")}
count, broken = 0, []
for name, page in pages.items():
    for link in page.links:
        url = urllib.parse.urlsplit(link)
        if url.scheme or url.netloc:
            continue
        count += 1
        file, anchor = urllib.parse.unquote(url.path) or name, urllib.parse.unquote(url.fragment)
        if not (folder / file).is_file() or (anchor and file in pages and anchor not in pages[file].anchors):
            broken.append(f"{name}: {link}")
print(f"{len(pages)} pages, {count} internal links, {len(broken)} broken")
print("\n".join(sorted(broken)), end="\n" if broken else "")
sys.exit(1 if broken or not pages else 0)
