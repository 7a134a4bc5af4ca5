/** For all pages: colours, text, links and what the keyboard reaches. */
export const baseStyles = `
:root {
  color-scheme: light dark;
  --ground: #f3f5f8; --paper: #fff; --ink: #1a1f27; --faint: #505b69; --line: #d3d9e1; --edge: #6b7685;
  --accent: #1651b8; --on-accent: #fff; --good: #11693a; --wait: #7a5200; --bad: #a3211b;
  --test: #ffe08a; --on-test: #3d2c00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12151a; --paper: #1c2027; --ink: #e9ebef; --faint: #aab3bf; --line: #383f4a; --edge: #8b96a5;
    --accent: #8ab4ff; --on-accent: #0d1d38; --good: #7ed8a4; --wait: #f0c36a; --bad: #ff9d96;
  }
}
[hidden] { display: none; }
* { box-sizing: border-box; }
html {
  font: 100%/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans Arabic", sans-serif;
  -webkit-text-size-adjust: 100%;
}
body {
  margin: 0;
  background: var(--ground);
  color: var(--ink);
  word-wrap: break-word;
  overflow-wrap: anywhere;
}
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.skip { display: block; padding: .75rem 1rem; }
.skip:not(:focus), .unseen {
  position: absolute;
  width: 1px;
  height: 1px;
  padding: 0;
  overflow: hidden;
  clip: rect(0 0 0 0);
  white-space: nowrap;
}
.faint { color: var(--faint); }
.good { color: var(--good); }
.wait { color: var(--wait); }
.bad, .fault { color: var(--bad); }
.fault { font-weight: 600; }
`

/** Large fields and buttons for phones. The bidi override keeps browsers from reordering Arabic-Indic digits. */
export const touchStyles = `
.test {
  margin: 0;
  padding: .6rem 1rem;
  text-align: center;
  font-weight: 700;
  background: var(--test);
  color: var(--on-test);
}
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .75rem; }
h2 { font-size: 1.1rem; line-height: 1.3; margin: 0 0 .5rem; }
p { margin: 0 0 1rem; }
main > :last-child { margin-bottom: 0; }
.tick {
  font-size: 2.5rem;
  line-height: 1;
  font-weight: 700;
  margin: 0 0 .5rem;
}
dl {
  margin: 0 0 1rem;
  padding: .75rem 0 0;
  border-top: 1px solid var(--line);
}
dt { color: var(--faint); font-size: .9rem; }
dd { margin: 0 0 .6rem; }
.said {
  border: 3px solid var(--bad);
  padding: .9rem 1rem;
  margin: 0 0 1.25rem;
}
.said p, .said ul { margin: 0; padding: 0; list-style: none; }
.said a {
  display: block;
  padding: .65rem 0;
  color: var(--bad);
  font-weight: 600;
}
label { display: block; font-weight: 700; }
.field { margin: 0 0 1.25rem; }
.field p { margin: 0 0 .35rem; }
.field.wrong {
  border-inline-start: 4px solid var(--bad);
  padding-inline-start: .75rem;
}
input, select {
  font: inherit;
  font-size: 1.25rem;
  width: 100%;
  min-height: 3rem;
  padding: .4rem .75rem;
  border: 2px solid var(--edge);
  border-radius: .25rem;
  background: var(--paper);
  color: inherit;
}
input[dir=ltr] { unicode-bidi: bidi-override; }
[dir=rtl] input { text-align: right; }
.wrong input, .wrong select { border-color: var(--bad); }
button, .button {
  display: block;
  width: 100%;
  font: inherit;
  font-size: 1.125rem;
  font-weight: 700;
  min-height: 3.25rem;
  padding: .7rem 1rem;
  text-align: center;
  text-decoration: none;
  cursor: pointer;
  border: 2px solid var(--accent);
  border-radius: .25rem;
  background: var(--accent);
  color: var(--on-accent);
}
button[aria-disabled] { opacity: .75; cursor: progress; }
button.plain {
  background: transparent;
  color: var(--accent);
  margin: .5rem 0 1rem;
}
form { margin: 0 0 1rem; }
.busy {
  height: .375rem;
  margin: 0 0 1rem;
  background: var(--line);
  overflow: hidden;
}
.busy::before {
  content: "";
  display: block;
  width: 40%;
  height: 100%;
  background: var(--accent);
}
@media (prefers-reduced-motion: no-preference) {
  .busy::before { animation: go 1.6s ease-in-out infinite alternate; }
  @keyframes go { to { transform: translateX(150%); } }
  [dir=rtl] .busy::before { animation-name: og; }
  @keyframes og { to { transform: translateX(-150%); } }
}
.qr { margin: 0 auto 1rem; max-width: 22rem; }
.qr svg { display: block; width: 100%; }
.code {
  font-size: 2.25rem;
  line-height: 1.2;
  font-weight: 700;
  text-align: center;
}
.way { margin: 0; }
.way a { display: inline-block; padding: .65rem 0; }
.way a:not(:last-child) { margin-inline-end: 1rem; }
.languages {
  display: flex;
  flex-wrap: wrap;
  justify-content: center;
  gap: 0 .5rem;
  padding: 0 1rem 2rem;
}
.languages a {
  display: inline-block;
  min-width: 2.75rem;
  padding: .65rem .75rem;
  text-align: center;
}
.languages a[aria-current] {
  color: inherit;
  text-decoration: none;
  font-weight: 700;
}
@media print {
  :root {
    color-scheme: light;
    --ground: #fff;
    --paper: #fff;
    --ink: #000;
    --faint: #000;
    --line: #000;
    --good: #000;
    --bad: #000;
    --test: #fff;
    --on-test: #000;
  }
  .skip, .way, .busy, nav, .languages, form, button, .button { display: none; }
  dt, dd { break-inside: avoid; }
  dt { break-after: avoid; font-weight: 700; }
}
`

/** Tables whose rows become cards on screens up to `width`, and what stands around them. */
export const tableStyles = (width: string): string => `
.card {
  background: var(--paper);
  border: 1px solid var(--line);
  border-radius: .5rem;
  padding: 1rem;
  margin: 0 0 1rem;
}
.card > :last-child { margin-bottom: 0; }
.notice {
  border: 1px solid var(--line);
  border-inline-start: 5px solid var(--accent);
  background: var(--paper);
  border-radius: .25rem;
  padding: .75rem 1rem;
  margin: 0 0 1rem;
}
.notice.good, .notice.bad, .notice.wait { color: inherit; }
.notice.good { border-inline-start-color: var(--good); }
.notice.wait { border-inline-start-color: var(--wait); }
.notice.bad { border-inline-start-color: var(--bad); }
.badge {
  display: inline-block;
  padding: 0 .5rem;
  border: 1px solid currentColor;
  border-radius: 1rem;
  font-size: .8125rem;
  white-space: nowrap;
}
.pages {
  display: flex;
  flex-wrap: wrap;
  gap: .75rem 1.25rem;
  align-items: center;
}
.scroll {
  overflow-x: auto;
  margin: 0 0 1rem;
  border: 1px solid var(--line);
  border-radius: .5rem;
  background: var(--paper);
}
table { border-collapse: collapse; width: 100%; }
caption { text-align: start; padding: .5rem .75rem; color: var(--faint); }
th, td {
  text-align: start;
  vertical-align: top;
  padding: .5rem .75rem;
  border-top: 1px solid var(--line);
  overflow-wrap: normal;
}
td bdi, td div, td pre { overflow-wrap: anywhere; }
thead th {
  border-top: 0;
  color: var(--faint);
  font-size: .875rem;
  font-weight: 600;
  white-space: nowrap;
}
td.number, th.number {
  text-align: end;
  font-variant-numeric: tabular-nums;
}
time, .id, code, pre { font-variant-numeric: tabular-nums; }
.id, code, pre { font-family: ui-monospace, monospace; font-size: .875em; }
@media (max-width: ${width}) {
  table.cards caption { display: block; }
  table.cards.tight td[data-label]::before {
    display: inline;
    content: attr(data-label) ': ';
  }
  table.cards, table.cards tbody, table.cards td, table.cards th {
    display: block;
  }
  table.cards thead { position: absolute; width: 1px; overflow: hidden; clip: rect(0 0 0 0); }
  table.cards tr {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(min(16rem, 100%), 1fr));
    border-top: 1px solid var(--line);
    padding: .5rem 0;
  }
  table.cards tr:first-child { border-top: 0; }
  table.cards td, table.cards tbody th {
    overflow-wrap: anywhere;
    border: 0;
    padding: .15rem .75rem;
    text-align: start;
  }
  table.cards td:empty { display: none; }
  table.cards td[data-label]::before {
    content: attr(data-label);
    display: block;
    color: var(--faint);
    font-size: .8125rem;
  }
}
`

/** The bar with links to an area's pages. */
export const headerStyles = `
.top { background: var(--paper); border-bottom: 1px solid var(--line); }
.top > div, main { max-width: 72rem; margin: 0 auto; padding: 0 1rem; }
.top > div {
  display: flex;
  flex-wrap: wrap;
  gap: 0 1.25rem;
  align-items: center;
}
.top nav { display: flex; flex-wrap: wrap; gap: 0 1.25rem; flex: 1; }
.top nav a {
  padding: .75rem 0;
  text-decoration: none;
  border-bottom: 3px solid transparent;
}
.top nav a:hover { text-decoration: underline; }
.top nav a[aria-current] {
  border-bottom-color: var(--accent);
  font-weight: 600;
}
`
