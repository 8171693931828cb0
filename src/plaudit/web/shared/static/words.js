// Texts of scripts in the language of the page. The page carries a catalogue as JSON where it is
// not in English; English texts are those in the scripts.

const block = document.getElementById("words");
const catalogue = block ? JSON.parse(block.textContent) : {};

/** A text with its facts in place of their names, such as %(count)s. */
export function _(text, facts = {}) {
  return filled(catalogue[text] ?? text, facts);
}

/** The form of a text that fits a number. */
export function many(one, other, n, facts = {}) {
  const known = catalogue[one];
  // Forms repeat with every hundred.
  const place = n < 200 ? n : 100 + (n % 100);
  const text = known ? known.forms[known.of[place]] : n === 1 ? one : other;
  return filled(text, facts);
}

function filled(text, facts) {
  return text.replace(/%(?:\((\w+)\)s|%)/g, (whole, name) => (name ? facts[name] : "%"));
}
