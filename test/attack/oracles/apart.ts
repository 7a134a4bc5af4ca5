import type { Pools } from '../cast/pools.ts'
import { marksIn } from '../cast/references.ts'
import { parsed } from '../wire/answer.ts'
import { dueOf, type Oracle, type Seen } from './seen.ts'

/**
 * A key never sees data of another business, or of its own in the other environment. Data is recognised by the marks in all texts, by ids
 * (`pools` knows their owners), and by the field `sandbox`.
 */
export const createApart =
  (pools: Pick<Pools, 'holderOf'>): Oracle =>
  (seen) => {
    const { actor, answer, line, attack } = seen
    // Staff see all businesses, and the payment page needs only the link.
    if (attack.raw === null && !line.startsWith('/api/')) return null
    const marks = marksIn(answer.body)
    if (dueOf(seen) === 'keyless' && marks.length > 0) return 'shows what a business wrote to who has no key'
    if (marks.some(({ owner }) => owner !== actor.owner)) return 'shows what another business wrote'
    if (marks.some(({ mode }) => mode !== null && mode !== actor.mode))
      return 'shows what was written in the other environment'
    return thingsFault(pools, seen)
  }

const ids = /^(_?id|referenceNumber|reference_number|endpointId|productId)$/

/** Checks the ids and environments in a success. */
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

/** Every field at any depth, except metadata, which is free text. */
function fieldsOf(part: unknown): [name: string, value: unknown][] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part)
    .filter(([name]) => name !== 'metadata')
    .flatMap(([name, value]) => [[name, value] as [string, unknown], ...fieldsOf(value)])
}
