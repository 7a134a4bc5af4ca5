import type { Pools } from '../cast/pools.ts'
import { marksIn } from '../cast/references.ts'
import { parsed } from '../wire/answer.ts'
import { dueOf, type Oracle, type Seen } from './seen.ts'

/**
 * A key never sees what another business wrote or was given, or its own in the other environment: each writes its own mark into all that it
 * makes, `pools` know to whom an id was given, and what says `sandbox` says the environment of the key.
 */
export const createApart =
  (pools: Pick<Pools, 'holderOf'>): Oracle =>
  (seen) => {
    const { actor, answer, line, attack } = seen
    // Staff see everybody's, and the page of a payment shows it to whoever has the link.
    if (attack.raw === null && !line.startsWith('/api/')) return null
    const marks = marksIn(answer.body)
    if (dueOf(seen) === 'keyless' && marks.length > 0) return 'shows what a business wrote to who has no key'
    if (marks.some(({ owner }) => owner !== actor.owner)) return 'shows what another business wrote'
    if (marks.some(({ mode }) => mode !== null && mode !== actor.mode))
      return 'shows what was written in the other environment'
    return thingsFault(pools, seen)
  }

const ids = /^(_?id|referenceNumber|reference_number|endpointId|productId)$/

/** Of the ids in a success, and of the environments that it tells. */
function thingsFault(pools: Pick<Pools, 'holderOf'>, { actor, answer }: Seen): string | null {
  if (!answer.body.startsWith('{"success":true')) return null
  for (const [name, value] of fieldsOf(parsed(answer))) {
    if (name === 'sandbox' && value === (actor.mode === 'live')) return `says sandbox: ${value}`
    const holder = ids.test(name) && typeof value === 'string' ? pools.holderOf(value) : null
    if (holder === null) continue
    if (holder.owner !== actor.owner) return `shows ${name} ${String(value)} of another business`
    if (holder.mode !== null && holder.mode !== actor.mode)
      return `shows ${name} ${String(value)} of the other environment`
  }
  return null
}

/** Every field with its value, however deep; but for metadata, which is anybody's text. */
function fieldsOf(part: unknown): [name: string, value: unknown][] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part)
    .filter(([name]) => name !== 'metadata')
    .flatMap(([name, value]) => [[name, value] as [string, unknown], ...fieldsOf(value)])
}
