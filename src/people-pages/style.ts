import { baseStyles, headerStyles, tableStyles, touchStyles } from '../http/pages/style.ts'

/** Forms for a thumb, tables for a desk, and receipts for a 58 mm printer. */
export const personStylesheet = `${baseStyles}${touchStyles}${tableStyles('48rem')}${headerStyles}
.top > div { justify-content: space-between; min-height: 3rem; }
.top nav { flex-basis: 100%; order: 3; overflow-wrap: normal; }
.owner { margin: 0; font-weight: 700; }
.account { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: center; }
.account form, .account button { margin: 0; }
.top .plain, .inline button, td button {
  width: auto;
  min-height: 2.75rem;
  padding: .3rem .75rem;
  font-size: 1rem;
}
.top .plain { border-color: transparent; text-decoration: underline; }
.live {
  padding: .1rem .6rem;
  border: 2px solid var(--good);
  border-radius: 1rem;
  color: var(--good);
  font-size: .9rem;
  white-space: nowrap;
}
main { padding-top: 1rem; padding-bottom: 2rem; }
main.narrow { max-width: 30rem; }
h2 { margin-top: 1.5rem; }
.money { font-size: 2.25rem; line-height: 1.2; font-weight: 700; margin: 0 0 .25rem; }
.practice {
  border: 2px dashed var(--on-test);
  padding: .25rem .75rem;
  text-align: center;
  font-weight: 700;
  background: var(--test);
  color: var(--on-test);
}
main .code { font-size: 3.25rem; }
.secret, td code, pre { overflow-wrap: anywhere; white-space: pre-wrap; }
.links, .inline, .filter { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; }
.links { padding: 0; list-style: none; align-items: center; }
.filter .field { flex: 1 1 11rem; max-width: 20rem; margin: 0; }
.filter button { flex: 0 0 auto; width: auto; }
.card > .money { font-size: clamp(1.6rem, 8vw, 2.25rem); }
.card dl { border: 0; padding: 0; }
:is(.card, .said) > h2:first-child { margin-top: 0; }
.timeline { list-style: none; }
.timeline time { color: var(--faint); }
summary { padding: .5rem 0; cursor: pointer; }
button.danger { border-color: var(--bad); background: var(--bad); color: var(--on-accent); }
fieldset { border: 0; margin: 0 0 1.25rem; padding: 0; min-width: 0; }
legend { padding: 0; font-weight: 700; }
.choice { display: flex; gap: .75rem; align-items: center; min-height: 2.75rem; font-weight: 400; }
.choice input { flex: none; width: 1.5rem; min-height: 1.5rem; margin: 0; }
.card > dl { border-top: 0; padding-top: 0; }
td a + a { margin-inline-start: 1rem; }
.meter { display: block; width: 100%; height: 1rem; }
@media (min-width: 48.01rem) {
  main:not(.narrow) > form:not(.filter), main:not(.narrow) > .card form:not(.filter) { max-width: 30rem; }
  main:not(.narrow) .button { display: inline-block; width: auto; }
  td.number { white-space: nowrap; }
  main:not(.narrow) .card dl { display: grid; grid-template-columns: 14rem 1fr; gap: 0 1rem; }
  .timeline li { display: grid; grid-template-columns: 14rem 1fr; gap: 0 1rem; }
}
@page receipt { size: 58mm 160mm; margin: 2mm; }
@media print {
  .top, .test, .unprinted { display: none; }
  main { max-width: none; padding: 0; }
  main:has(.receipt) { page: receipt; }
  .receipt { font-size: 9pt; }
  .receipt h1 { font-size: 13pt; }
  .receipt .money { font-size: 15pt; }
}
`
