export const guideStyle = `
:root { --ink: #1f2328; --faint: #57606a; --line: #d0d7de; --paper: #f6f8fa; --accent: #0b57d0; }
[hidden] { display: none; }
* { box-sizing: border-box; }
html { font: 100%/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
body { margin: 0; color: var(--ink); overflow-wrap: anywhere; }
a { color: var(--accent); text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: -999rem; }
.skip:focus { position: static; }
header { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; padding: .75rem 1rem; border-bottom: 1px solid var(--line); }
header a:first-of-type { margin-right: auto; color: inherit; text-decoration: none; }
main { max-width: 50rem; padding: 0 1rem 2rem; }
h1 { margin: 1.5rem 0 .5rem; font-size: 1.9rem; line-height: 1.2; }
h2, h3 { margin: 2.25rem 0 .5rem; line-height: 1.3; scroll-margin-top: 1rem; }
h2 { font-size: 1.35rem; }
h3 { font-size: 1.1rem; }
.anchor { color: var(--faint); font-weight: 400; text-decoration: none; opacity: 0; }
.anchor:focus, :hover > .anchor { opacity: 1; }
nav h2 { margin: 0 0 .5rem; font-size: .875rem; color: var(--faint); }
nav ul { margin: 0; padding: 0; list-style: none; font-size: .9375rem; }
nav li a { display: block; padding: .25rem .75rem; border-left: 3px solid transparent; text-decoration: none; }
nav li a:hover { text-decoration: underline; }
nav [aria-current] { border-color: var(--accent); background: var(--paper); color: inherit; font-weight: 600; }
.contents { margin: 1rem 0; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .375rem; }
.contents li a { padding-left: 0; }
#pages { padding: 1.5rem 1rem; border-top: 1px solid var(--line); }
.neighbours { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .5rem 2rem; margin: 3rem 0 0; }
[rel=next] { margin-left: auto; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .875em; }
pre code { font-size: 1em; }
:not(pre) > code { padding: .1em .3em; border-radius: .25rem; background: var(--paper); }
pre { margin: 0; padding: .75rem 1rem; overflow-x: auto; line-height: 1.5; overflow-wrap: normal; }
[data-language=sh] pre { white-space: pre-wrap; }
figure { margin: 1rem 0; border: 1px solid var(--line); border-radius: .375rem; background: var(--paper); }
figcaption { display: flex; flex-wrap: wrap; align-items: center; min-height: 2.25rem; gap: .25rem 1rem; padding: .25rem 1rem; border-bottom: 1px solid var(--line); }
figcaption { color: var(--faint); font-size: .8125rem; }
figcaption span { margin-right: auto; }
button { padding: .1rem .6rem; border: 1px solid var(--line); border-radius: .25rem; background: #fff; color: inherit; font: inherit; cursor: pointer; }
.choices { display: flex; gap: .5rem; margin: 1rem 0 -.5rem; font-size: .875rem; }
.choices [aria-pressed=true] { border-color: var(--accent); background: var(--accent); color: #fff; }
.wide { overflow-x: auto; }
table { margin: 1rem 0; border-collapse: collapse; font-size: .9375rem; overflow-wrap: normal; }
th, td { padding: .4rem .75rem; border: 1px solid var(--line); text-align: left; vertical-align: top; }
th { background: var(--paper); }
blockquote { margin: 1rem 0; padding: .1rem 1rem; border-left: 4px solid #9a6700; background: #fff8e6; }
li:has(.box) { list-style: none; text-indent: -1.25em; }
img { max-width: 100%; }
.hljs-comment { color: var(--faint); }
.hljs-string, .hljs-attr, .hljs-regexp { color: #0a5c36; }
.hljs-keyword, .hljs-literal, .hljs-built_in { color: #8a1f5c; }
.hljs-number, .hljs-variable, .hljs-meta { color: #7a4300; }
@media (min-width: 56rem) {
  body { display: grid; grid-template-columns: 15rem minmax(0, 1fr); }
  header, .skip { grid-column: 1 / -1; }
  #pages { grid-area: 3 / 1; position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; border: 0; }
  main { grid-area: 3 / 2; padding-left: 2.5rem; border-left: 1px solid var(--line); }
  .jump { display: none; }
}
@media (min-width: 78rem) {
  main { display: grid; grid-template-columns: minmax(0, 46rem) 13rem; gap: 0 2rem; max-width: none; align-content: start; }
  main > * { grid-column: 1; }
  .contents { grid-area: 1 / 2 / span 5; position: sticky; top: 1.5rem; align-self: start; border: 0; }
}
@media print { header, nav, .neighbours, button { display: none; } }
`

/** Without it, all languages are shown below each other. */
export const guideScript = `(() => {
const isFrench = document.documentElement.lang === 'fr';
const [copy, copied, languages] = isFrench ? ['Copier', 'Copié', 'Langage'] : ['Copy', 'Copied', 'Language'];
const groups = [...document.querySelectorAll('.variants')];
const figuresOf = (group) => [...group.querySelectorAll('figure')];

for (const group of groups) {
  const choices = document.createElement('div');
  choices.className = 'choices';
  choices.setAttribute('role', 'group');
  choices.setAttribute('aria-label', languages);
  for (const figure of figuresOf(group)) {
    const choice = addButton(choices, figure.querySelector('span').textContent);
    choice.value = figure.dataset.language;
    choice.addEventListener('click', () => {
      const before = choice.getBoundingClientRect().top;
      show(choice.value);
      scrollBy(0, choice.getBoundingClientRect().top - before);
      remember(choice.value);
    });
  }
  group.prepend(choices);
}
// Browsers offer no clipboard to a page loaded over plain http.
if (navigator.clipboard)
  for (const figure of document.querySelectorAll('figure:has(figcaption)')) {
    const button = addButton(figure.querySelector('figcaption'), copy);
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(figure.querySelector('pre').textContent);
      button.textContent = copied;
      setTimeout(() => (button.textContent = copy), 2000);
    });
  }
show(remembered());
if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();

function addButton(parent, text) {
  const button = parent.appendChild(document.createElement('button'));
  button.type = 'button';
  button.textContent = text;
  return button;
}

function show(language) {
  for (const group of groups) {
    const figures = figuresOf(group);
    const chosen = figures.find((figure) => figure.dataset.language === language) ?? figures[0];
    for (const figure of figures) figure.hidden = figure !== chosen;
    for (const choice of group.querySelectorAll('.choices button'))
      choice.setAttribute('aria-pressed', choice.value === chosen.dataset.language);
  }
}

// Storage throws if the browser blocks it.
function remember(language) {
  try { localStorage.setItem('language', language); } catch {}
}

function remembered() {
  try { return localStorage.getItem('language'); } catch { return null; }
}
})();
`
