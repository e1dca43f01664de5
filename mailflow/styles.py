"""How our mails look: one table of styles, written into each element, and the few rules that cannot be.

Mail programs drop style sheets as they please, so every element carries its own style (the light look);
the sheet in the head only adds what needs a condition: the dark look and small screens. Colours are
chosen in pairs, each at a contrast of at least 4.5 to 1 (WCAG 2.2, 1.4.3).
"""

from __future__ import annotations

from dataclasses import dataclass

FONT = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"
MONO = "ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace"


@dataclass(frozen=True)
class Style:
    """Of one kind of element: `shape` whatever the light; `light` and `dark` its colours."""

    shape: str
    light: str
    dark: str


STYLES: dict[str, Style] = {
    "page": Style(
        f"margin:0;padding:0;width:100%;font-family:{FONT};font-size:16px;line-height:1.5;"
        "-webkit-text-size-adjust:100%",
        "background-color:#eef1ec;color:#1d2520",
        "background-color:#101512;color:#e4eae5",
    ),
    "edge": Style("padding:20px 12px 28px;overflow-wrap:anywhere", "", ""),
    "card": Style(
        "width:100%;max-width:600px;border-collapse:separate;border-radius:10px;border-top:4px solid #1b6b45",
        "background-color:#ffffff;color:#1d2520",
        "background-color:#1a211d;color:#e4eae5;border-top-color:#62c493",
    ),
    "inside": Style("padding:22px 24px 26px;text-align:left", "", ""),
    "h1": Style(
        "margin:0 0 14px;font-size:21px;line-height:1.3;font-weight:700",
        "color:#12402a",
        "color:#a6e3c3",
    ),
    "h2": Style(
        "margin:26px 0 8px;font-size:16px;line-height:1.35;font-weight:700",
        "color:#12402a",
        "color:#a6e3c3",
    ),
    "p": Style("margin:0 0 14px", "", ""),
    "quote": Style(
        "margin:0 0 14px;padding:8px 14px;border-left:4px solid #c29a3d;border-radius:0 6px 6px 0",
        "background-color:#f8f4e8;color:#3a3320",
        "background-color:#2a2719;color:#ece4c9",
    ),
    "quoted": Style("margin:0 0 8px", "", ""),
    "quoted last": Style("margin:0", "", ""),
    "form": Style(
        f"margin:0 0 14px;padding:9px 12px;border-radius:6px;font-family:{MONO};font-size:14px;"
        "line-height:1.5;white-space:pre-wrap;overflow-wrap:anywhere",
        "background-color:#eef2ee;color:#1d2520",
        "background-color:#252e29;color:#e4eae5",
    ),
    "list": Style("margin:0 0 14px;padding:0 0 0 22px", "", ""),
    "item": Style("margin:0 0 6px", "", ""),
    "table": Style(
        "width:100%;margin:0 0 16px;border-collapse:collapse;font-size:15px;line-height:1.35",
        "",
        "",
    ),
    "th": Style(
        "padding:5px 8px 5px 0;text-align:left;vertical-align:bottom;font-size:13px;font-weight:600;"
        "border-bottom:2px solid #c9d3cb",
        "color:#4c5a51",
        "color:#a9b8ae;border-bottom-color:#46544b",
    ),
    "row": Style(
        "padding:6px 8px 6px 0;text-align:left;vertical-align:top;font-weight:400;"
        "border-bottom:1px solid #dfe5e0",
        "",
        "border-bottom-color:#36423b",
    ),
    "figure": Style("text-align:right;padding-right:0;padding-left:8px;white-space:nowrap", "", ""),
    "short": Style("white-space:nowrap", "", ""),
    "buttons": Style("margin:0 0 10px", "", ""),
    "strong": Style(
        "display:inline-block;margin:0 8px 8px 0;padding:12px 20px;border-radius:8px;font-weight:700;"
        "text-decoration:none;line-height:1.25;border:1px solid #1b6b45",
        "background-color:#1b6b45;color:#ffffff",
        "background-color:#62c493;color:#0b1a12;border-color:#62c493",
    ),
    "quiet": Style(
        "display:inline-block;margin:0 8px 8px 0;padding:11px 16px;border-radius:8px;font-weight:600;"
        "text-decoration:none;line-height:1.25;border:1px solid #1b6b45",
        "background-color:#ffffff;color:#155a39",
        "background-color:#1a211d;color:#8fd9b3;border-color:#62c493",
    ),
    "blank": Style("font-weight:400;font-style:italic", "", ""),
    "rule": Style(
        "margin:26px 0;border:0;border-top:1px solid #c9d3cb;height:0", "", "border-top-color:#46544b"
    ),
    "picture": Style(
        "display:block;width:100%;max-width:552px;height:auto;margin:0 0 6px;border:0;border-radius:8px;"
        "font-size:14px;line-height:1.4",
        "background-color:#fbfcfb;color:#3f4c44",
        "",
    ),
    "caption": Style("margin:0 0 16px;font-size:13px;line-height:1.4", "color:#4c5a51", "color:#a9b8ae"),
    "foot": Style(
        "padding:14px 24px 0;text-align:center;font-size:13px;line-height:1.4",
        "color:#4c5a51",
        "color:#a9b8ae",
    ),
}


def attributes(*names: str) -> str:
    """Return the attributes of an element of these kinds, the first of which gives it its class."""
    styles = [part for name in names for part in (STYLES[name].shape, STYLES[name].light) if part]
    marked = f' class="mf-{names[0].replace(" ", "-")}"' if STYLES[names[0]].dark else ""
    return f'{marked} style="{";".join(styles)}"'


def sheet() -> str:
    """Return the rules of the head: the dark look, and a phone's narrower edges."""
    dark = "".join(
        f".mf-{name}{{{style.dark.replace(';', ' !important;')} !important}}"
        for name, style in STYLES.items()
        if style.dark
    )
    return (
        ":root{color-scheme:light dark;supported-color-schemes:light dark}"
        f"@media (prefers-color-scheme:dark){{{dark}}}"
        "@media (max-width:480px){.mf-edge{padding:0 0 20px !important}"
        ".mf-inside{padding:18px 16px 22px !important}"
        ".mf-card{border-radius:0 !important}}"
    )
