/** The bidi override keeps browsers from reordering Arabic-Indic digits. */
export const checkoutStylesheet = `
:root {
  color-scheme: light dark;
  --ground: #f3f5f8; --paper: #fff; --ink: #1a1f27; --faint: #505b69; --line: #d3d9e1; --edge: #6b7685;
  --accent: #1651b8; --on-accent: #fff; --good: #11693a; --bad: #a3211b; --test: #ffe08a; --on-test: #3d2c00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12151a; --paper: #1c2027; --ink: #e9ebef; --faint: #aab3bf; --line: #383f4a; --edge: #8b96a5;
    --accent: #8ab4ff; --on-accent: #0d1d38; --good: #7ed8a4; --bad: #ff9d96;
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
  overflow-wrap: anywhere;
  word-wrap: break-word;
}
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.skip { display: block; padding: .75rem 1rem; }
.skip:not(:focus) {
  position: absolute;
  width: 1px;
  height: 1px;
  padding: 0;
  overflow: hidden;
  clip: rect(0 0 0 0);
  white-space: nowrap;
}
.test {
  margin: 0;
  padding: .6rem 1rem;
  text-align: center;
  font-weight: 700;
  background: var(--test);
  color: var(--on-test);
}
main {
  max-width: 28rem;
  margin: 1rem auto;
  padding: 1.25rem 1rem;
  background: var(--paper);
  border: 1px solid var(--line);
}
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .75rem; }
h2 { font-size: 1.1rem; line-height: 1.3; margin: 0 0 .5rem; }
p { margin: 0 0 1rem; }
main > :last-child { margin-bottom: 0; }
.faint { color: var(--faint); }
.tick {
  font-size: 2.5rem;
  line-height: 1;
  font-weight: 700;
  margin: 0 0 .5rem;
}
.good { color: var(--good); }
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
.fault { color: var(--bad); font-weight: 600; }
input {
  font: inherit;
  font-size: 1.25rem;
  width: 100%;
  min-height: 3rem;
  padding: .4rem .75rem;
  border: 2px solid var(--edge);
  border-radius: .25rem;
  background: var(--paper);
  color: inherit;
  unicode-bidi: bidi-override;
}
[dir=rtl] input { text-align: right; }
.wrong input { border-color: var(--bad); }
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
.way { margin: 0; }
.way a:not(:last-child) { margin-inline-end: 1rem; }
.qr { margin: 0 auto 1rem; max-width: 22rem; }
.qr svg { display: block; width: 100%; }
.code {
  font-size: 2.25rem;
  line-height: 1.2;
  font-weight: 700;
  text-align: center;
}
.way a { display: inline-block; padding: .65rem 0; }
nav {
  display: flex;
  flex-wrap: wrap;
  justify-content: center;
  gap: 0 .5rem;
  padding: 0 1rem 2rem;
}
nav a {
  display: inline-block;
  min-width: 2.75rem;
  padding: .65rem .75rem;
  text-align: center;
}
nav a[aria-current] {
  color: inherit;
  text-decoration: none;
  font-weight: 700;
}
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
@media (min-width: 40rem) {
  main { margin-top: 3rem; padding: 2rem; border-radius: .5rem; }
}
@page { margin: 15mm; }
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
  .skip, .way, .busy, nav, form, button, .button, [data-leave] {
    display: none;
  }
  main { max-width: none; margin: 0; padding: 0; border: 0; }
  dt, dd { break-inside: avoid; }
  dt { break-after: avoid; font-weight: 700; }
}
`
