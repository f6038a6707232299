"""Debian's Chromium without a window, for tests of pages: one for all tests of a module, as other tests look at what
processes there are (`close`, at a module's end).

Continuous integration installs it (.ci/run). Where it is missing tests are skipped, unless COUNTERPOINT_BROWSER says
that it has to be there.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, Playwright, sync_playwright

_open: list[tuple[Playwright, Browser, Page]] = []


def page_at(path: Path, width: int = 1280, height: int = 900, dark: bool = False) -> Page:
    """The file, opened in the only tab, which is without a network."""
    page = _tab()
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme="dark" if dark else "light")
    _said.clear()
    page.goto(path.as_uri())
    return page


_said: list[str] = []


def problems(page: Page) -> list[str]:
    """Errors of scripts, what the page's policy refused, dialogs, and requests that left the file, since it was opened."""
    assert page is _tab()
    return _said


def _tab() -> Page:
    if not _open:
        found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        if found is None and not os.environ.get("COUNTERPOINT_BROWSER"):
            pytest.skip("there is no Chromium (apt-get install chromium)")
        assert found is not None, "COUNTERPOINT_BROWSER is set, and there is no Chromium"
        started = sync_playwright().start()
        browser = started.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_context(offline=True).new_page()
        page.set_default_timeout(10_000)
        _listen(page)
        _open.append((started, browser, page))
    return _open[0][2]


def _listen(page: Page) -> None:
    page.on("pageerror", lambda error: _said.append(f"error: {error}"))
    page.on("console", _console)
    page.on("dialog", _dialog)
    page.on("request", lambda one: _said.append(f"request: {one.url}") if not one.url.startswith("file:") else None)


def _console(message: ConsoleMessage) -> None:
    if message.type in ("error", "warning"):
        _said.append(f"{message.type}: {message.text}")


def _dialog(dialog: Dialog) -> None:
    _said.append(f"dialog: {dialog.message}")
    dialog.dismiss()


def close() -> None:
    """Ends the browser, if there is one."""
    for started, browser, _ in _open:
        browser.close()
        started.stop()
    _open.clear()
