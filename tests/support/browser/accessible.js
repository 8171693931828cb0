// What is hard to read or has no name on this page; an empty list where all is well.
() => {
  const ink = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const colour = (css) => {
    ink.clearRect(0, 0, 1, 1);
    ink.fillStyle = css;
    ink.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = ink.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  const over = (top, under) =>
    under.map((part, place) => top[place] * top[3] + part * (1 - top[3]));
  const light = (parts) => {
    const [red, green, blue] = parts.map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ground = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      layers.unshift(colour(getComputedStyle(at).backgroundColor));
    }
    return layers.reduce((under, top) => over(top, under), [255, 255, 255]);
  };
  const seen = (element) => element.checkVisibility({ visibilityProperty: true });
  const ownText = (element) =>
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());

  // WCAG 2: contrast of text with what lies behind it.
  const weak = [...document.querySelectorAll("body *")]
    .filter((element) => ownText(element) && seen(element))
    .filter((element) => !element.closest("[aria-disabled=true], script, noscript, svg"))
    .map((element) => {
      const under = ground(element);
      const text = over(colour(getComputedStyle(element).color), under);
      const [high, low] = [light(text), light(under)].sort((one, two) => two - one);
      return [(high + 0.05) / (low + 0.05), element];
    })
    .filter(([ratio]) => ratio < 4.5)
    .map(([ratio, element]) => `contrast ${ratio.toFixed(2)}: ${element.outerHTML.slice(0, 80)}`);

  const named = (element) =>
    element.innerText?.trim() ||
    ["aria-label", "aria-labelledby", "alt"].some((name) => element.hasAttribute(name)) ||
    element.labels?.length;
  const nameless = [...document.querySelectorAll("button, a, input, img, progress, dialog")]
    .filter((element) => seen(element) && !named(element))
    .map((element) => `no name: ${element.outerHTML.slice(0, 80)}`);
  return [...weak, ...nameless];
}
