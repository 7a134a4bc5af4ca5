import { marksIn } from '../cast/references.ts'
import type { Oracle } from './seen.ts'

/** A key never sees what another business wrote, or its own in the other environment: each writes its own mark into all that it makes. */
export const apart: Oracle = ({ actor, answer, line, attack }) => {
  // Staff see everybody's, and the page of a payment shows it to whoever has the link.
  if (attack.raw !== null || !line.startsWith('/api/')) return null
  const marks = marksIn(answer.body)
  if (marks.some(({ owner }) => owner !== actor.owner)) return 'shows what another business wrote'
  return marks.some(({ mode }) => mode !== null && mode !== actor.mode)
    ? 'shows what was written in the other environment'
    : null
}
