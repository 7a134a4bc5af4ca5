import { createHash } from 'node:crypto'
import { baseStyles, headerStyles, tableStyles } from '../http/pages/style.ts'

export const staffStylesheet = `${baseStyles}${tableStyles('68rem')}${headerStyles}.top form {
  display: flex;
  gap: .75rem;
  align-items: center;
  padding: .4rem 0;
  color: var(--faint);
}
main { padding-top: 1.25rem; padding-bottom: 4rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.15rem; line-height: 1.3; margin: 2rem 0 .75rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .5rem; }
p { margin: 0 0 .75rem; }
.lead { font-size: 1.1rem; }
dl.facts dt { color: var(--faint); }
.narrow { max-width: 26rem; margin-left: auto; margin-right: auto; }
dl.facts {
  display: grid;
  grid-template-columns: minmax(7rem, max-content) 1fr;
  gap: .35rem 1rem;
  margin: 0 0 1rem;
}
q:lang(fr) { quotes: "«\u00a0" "\u00a0»"; }
time, .top button, td button, td .button { white-space: nowrap; }
@media (min-width: 68.01rem) {
  td.wide { min-width: 10rem; }
  td.when time { white-space: normal; }
  td.number { white-space: nowrap; }
  td a.id { white-space: nowrap; }
}
pre {
  white-space: pre-wrap;
  margin: 0 0 .75rem;
  padding: .75rem;
  border: 1px solid var(--line);
  border-radius: .25rem;
  background: var(--ground);
}
label { display: block; font-weight: 600; margin-bottom: .25rem; }
input, select, button, .button {
  font: inherit;
  min-height: 2.75rem;
  padding: .4rem .75rem;
  border-radius: .375rem;
  border: 1px solid var(--faint);
  background: var(--paper);
  color: inherit;
  max-width: 100%;
}
::placeholder { color: var(--faint); opacity: 1; }
button, .button {
  display: inline-flex;
  align-items: center;
  text-decoration: none;
  cursor: pointer;
  font-weight: 600;
  border-color: var(--accent);
  color: var(--accent);
}
button.main { background: var(--accent); color: var(--on-accent); }
button.danger, .button.danger {
  border-color: var(--bad);
  color: var(--bad);
}
button.main.danger { background: var(--bad); color: var(--on-accent); }
.acts > div { display: flex; flex-wrap: wrap; gap: .75rem; }
.acts > div + div {
  margin-top: 1rem;
  padding-top: 1rem;
  border-top: 1px solid var(--line);
}
.stack input[aria-invalid], .stack select[aria-invalid] {
  border-color: var(--bad);
}
.stack .fault, .stack .faint { margin: .25rem 0; }
.stack > div { margin-bottom: 1rem; }
.filter { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; }
.filter > div { flex: 1 1 8rem; }
.filter input, .filter select, .stack input, .stack select { width: 100%; }
.filter > div.act { flex: 0 0 auto; }
.buttons {
  display: flex;
  flex-wrap: wrap;
  gap: .75rem 1.25rem;
  align-items: center;
}
.qr { display: block; width: 15rem; max-width: 100%; height: auto; }
.codes { columns: 11rem; list-style: none; }
.card > h2:first-child, .card > h3:first-child { margin-top: 0; }
details.card { padding: .5rem 1rem; }
main form { margin-bottom: .75rem; }
.filter > p { flex-basis: 100%; }
dl.facts dd, td form, td p { margin: 0; }
td details summary { padding: 0; }
.badge.live { color: var(--accent); font-weight: 600; }
summary { cursor: pointer; padding: .4rem 0; }
.plots {
  display: grid;
  grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr));
  gap: 1rem;
  margin: 0 0 1rem;
}
.plots figure {
  display: flex;
  flex-direction: column;
  justify-content: space-between;
  margin: 0;
}
.plots figcaption span { display: block; }
.plots svg { display: block; width: 100%; height: auto; margin-top: .5rem; }
.plots rect { fill: currentColor; }
.plots text { fill: var(--faint); font-size: 13px; }
.plots .axis { stroke: var(--faint); }
.switch { display: flex; gap: .5rem; margin: 0 0 .75rem; }
.switch a[aria-current] {
  background: var(--accent);
  color: var(--on-accent);
}
.switch a[aria-current]::before { content: '✓'; margin-right: .4rem; }
.timeline { list-style: none; margin: 0; padding: 0; }
.timeline li {
  display: grid;
  grid-template-columns: 13rem 1fr;
  gap: 0 1rem;
  padding: .35rem 0;
  border-top: 1px solid var(--line);
}
@media (max-width: 40rem) {
  .top nav { flex-basis: 100%; }
  .top nav a { padding: .5rem 0; }
  .timeline li { grid-template-columns: 1fr; }
  .filter > div.whole { flex-basis: 100%; }
  dl.facts { grid-template-columns: 1fr; gap: 0; }
  dl.facts dd { margin-bottom: .6rem; }
}
@media print { .top, form { display: none; } }
`

/** The URL contains a hash, so browsers can cache the stylesheet forever. */
export const stylesheetPath = `/admin/style.css?v=${createHash('sha256').update(staffStylesheet).digest('hex').slice(0, 10)}`
