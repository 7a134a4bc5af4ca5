import { baseStyles, touchStyles } from '../http/pages/style.ts'

export const checkoutStylesheet = `${baseStyles}${touchStyles}
main {
  max-width: 28rem;
  margin: 1rem auto;
  padding: 1.25rem 1rem;
  background: var(--paper);
  border: 1px solid var(--line);
}
@media (min-width: 40rem) {
  main { margin-top: 3rem; padding: 2rem; border-radius: .5rem; }
}
@page { margin: 15mm; }
@media print {
  [data-leave] { display: none; }
  main { max-width: none; margin: 0; padding: 0; border: 0; }
}
`
