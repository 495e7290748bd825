"use strict";

// What every page needs.

const one = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

function element(name, text, className) {
  const e = document.createElement(name);
  e.textContent = text;
  if (className) e.className = className;
  return e;
}

// kinds are the kinds of charts. A function draws the data of a view.Chart into an element.
// What it returns has a method remove, and may have others that page.js calls.
const kinds = {};

// copyButton returns a button that copies a text.
function copyOnClick(button, text) {
  button.onclick = async () => {
    await navigator.clipboard?.writeText(text);
    button.textContent = "Copied";
    setTimeout(() => button.textContent = "Copy", 1500);
  };
  return button;
}
