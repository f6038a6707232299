"""Debian's Chromium without a window, for tests of pages: one for all tests of a process.

Continuous integration installs it (.ci/run). Where it is missing tests are skipped, unless COUNTERPOINT_BROWSER says
that it has to be there.
"""

from __future__ import annotations

import atexit
import os
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

_open: list[tuple[Playwright, Browser]] = []


def page_at(path: Path, width: int = 1280, height: int = 900, dark: bool = False) -> Page:
    """The file, opened in a tab without a network. `page.problems` are in `problems(page)`."""
    context = _browser().new_context(
        viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light", offline=True
    )
    page = context.new_page()
    page.set_default_timeout(5_000)
    said = _problems[page] = []
    page.on("pageerror", lambda error: said.append(f"error: {error}"))
    page.on("console", lambda message: said.append(f"{message.type}: {message.text}") if message.type in ("error", "warning") else None)
    page.on("dialog", lambda dialog: (said.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on("request", lambda request: said.append(f"request: {request.url}") if not request.url.startswith("file:") else None)
    page.goto(path.as_uri())
    return page


_problems: dict[Page, list[str]] = {}


def problems(page: Page) -> list[str]:
    """Errors of scripts, what the page's policy refused, dialogs, and requests that left the file."""
    return _problems[page]


def _browser() -> Browser:
    if not _open:
        found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        if found is None and not os.environ.get("COUNTERPOINT_BROWSER"):
            pytest.skip("there is no Chromium (apt-get install chromium)")
        assert found is not None, "COUNTERPOINT_BROWSER is set, and there is no Chromium"
        started = sync_playwright().start()
        browser = started.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        _open.append((started, browser))
        atexit.register(_close)
    return _open[0][1]


def _close() -> None:
    for started, browser in _open:
        browser.close()
        started.stop()
    _open.clear()
