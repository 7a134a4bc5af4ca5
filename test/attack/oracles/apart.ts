import { anyMark } from '../cast/references.ts'
import type { Oracle } from './seen.ts'

/** A key never sees what another business wrote: each writes its own mark into all that it makes. */
export const apart: Oracle = ({ actor, answer, line, attack }) => {
  // Staff see everybody's, and the page of a payment shows it to whoever has the link.
  if (attack.raw !== null || !line.startsWith('/api/')) return null
  const others = [...answer.body.matchAll(anyMark)].filter(([, owner]) => Number(owner) !== actor.owner)
  return others.length > 0 ? `shows what another business wrote: ${others[0]?.[0]}` : null
}
