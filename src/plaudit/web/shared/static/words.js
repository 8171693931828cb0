// Texts of scripts in the language of the page. The page carries a catalogue as JSON where it is
// not in English; English texts are those in the scripts.

const block = document.getElementById("words");
const { plural = "", texts = {} } = block ? JSON.parse(block.textContent) : {};
// Numbers and dates follow the language of the page, in the variety that the reader uses. Digits are
// those of codes, keys and charts, in Arabic too.
const language = document.documentElement.lang;
const usual = language === "en" ? "en-GB" : language;
const variety = (navigator.languages ?? []).find((one) => one.split("-")[0] === language) ?? usual;
const tongue = new Intl.Locale(variety, { numberingSystem: "latn" });

/** A text with its facts in place of their names, such as %(count)s. */
export function _(text, facts = {}) {
  return filled(texts[text] ?? text, facts);
}

/** The form of a text that fits a number. */
export function many(one, other, n, facts = {}) {
  const forms = texts[one];
  // Forms repeat with every hundred.
  const place = n < 200 ? n : 100 + (n % 100);
  const text = forms ? forms[plural[place]] : n === 1 ? one : other;
  return filled(text, facts);
}

/** A number with this many decimal places; with `most`, with as many as it needs up to that. */
export function number(value, places = 0, most = places) {
  return value.toLocaleString(tongue, { minimumFractionDigits: places, maximumFractionDigits: most });
}

/** Writes dates; `options` are those of Intl.DateTimeFormat. */
export function dates(options) {
  return new Intl.DateTimeFormat(tongue, options);
}

function filled(text, facts) {
  return text.replace(/%(?:\((\w+)\)s|%)/g, (whole, name) => (name ? facts[name] : "%"));
}
