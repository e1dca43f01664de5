// Looks at every mail in its frame and writes what is wrong into the page: one line for each finding.
"use strict";

const channels = (text) => {
  const numbers = (text.match(/[\d.]+/g) || []).map(Number);
  return numbers.length < 3 ? null : [...numbers.slice(0, 3), numbers.length > 3 ? numbers[3] : 1];
};

// WCAG 2.2, relative luminance and contrast ratio.
const luminance = ([r, g, b]) => {
  const [x, y, z] = [r, g, b].map((c) => {
    const s = c / 255;
    return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
};
const contrast = (one, other) => {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};

const ground = (element, view) => {
  for (let at = element; at; at = at.parentElement) {
    const found = channels(view.getComputedStyle(at).backgroundColor);
    if (found && found[3] === 1) return found;
  }
  return [255, 255, 255, 1];
};

const findings = (frame) => {
  const page = frame.contentDocument;
  const view = frame.contentWindow;
  const root = page.documentElement;
  const wrong = [];
  let letters = 0;
  const say = (what, element) => wrong.push(`${what}: <${element.tagName}> ${element.textContent.trim().slice(0, 50)}`);
  if (root.scrollWidth > root.clientWidth) say(`scrolls sideways, ${root.scrollWidth} in ${root.clientWidth}`, root);
  for (const element of page.body.querySelectorAll("*")) {
    const box = element.getBoundingClientRect();
    const style = view.getComputedStyle(element);
    if (box.right > root.clientWidth + 0.5 || box.left < -0.5) say("out of the page", element);
    if (element.scrollWidth > element.clientWidth + 1 && style.display !== "inline") say("clipped", element);
    if (element.tagName === "A") {
      if (!element.href.startsWith("mailto:")) say("leads elsewhere", element);
      if (box.height < 44) say(`too low for a finger, ${box.height}`, element);
    }
    if (element.tagName === "IMG" && !element.alt) say("has no words", element);
    const words = [...element.childNodes].filter((n) => n.nodeType === 3 && n.data.trim());
    if (!words.length) continue;
    letters += words.join("").length;
    if (box.width < 1 || box.height < 1) say("is not to be seen", element);
    if (parseFloat(style.fontSize) < 13) say(`too small, ${style.fontSize}`, element);
    const ratio = contrast(channels(style.color), ground(element, view));
    if (ratio < 4.5) say(`contrast ${ratio.toFixed(2)}`, element);
  }
  if (!letters) wrong.push("empty");
  const titles = page.querySelectorAll("h1");
  if (titles.length !== 1) wrong.push(`${titles.length} titles`);
  for (const table of page.querySelectorAll("table:not([role=presentation])")) {
    if (!table.querySelector(":scope > thead th[scope=col]")) say("table without headings", table);
    for (const row of table.querySelectorAll(":scope > tbody > tr")) {
      if (!row.querySelector("th[scope=row]")) say("row without a name", row);
    }
  }
  return wrong;
};

window.addEventListener("load", () => {
  const found = {};
  for (const frame of document.querySelectorAll("iframe")) {
    found[frame.title] = findings(frame);
  }
  const dark = matchMedia("(prefers-color-scheme:dark)").matches;
  const first = document.querySelector("iframe");
  const back = first.contentWindow.getComputedStyle(first.contentDocument.body).backgroundColor;
  document.body.textContent = JSON.stringify({ dark, back, found });
});
