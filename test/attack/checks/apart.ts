import type { Pools } from '../cast/pools.ts'
import { tagsIn } from '../cast/references.ts'
import { parsed } from '../wire/response.ts'
import { type Check, type Exchange, expectedFor } from './exchange.ts'

/** A key sees only its own business and environment, judged by tags, ids and the field `sandbox`. */
export const createBusinessesApart =
  (pools: Pick<Pools, 'holderOf'>): Check =>
  (exchange) => {
    const { actor, response, line, attack } = exchange
    // Staff see all businesses, and the payment page needs only the link.
    if (attack.raw === null && !line.startsWith('/api/')) return null
    const tags = tagsIn(response.body)
    if (expectedFor(exchange) === 'keyless' && tags.length > 0)
      return 'shows data of a business to a caller without a key'
    if (tags.some(({ owner }) => owner !== actor.owner)) return 'shows data of another business'
    if (tags.some(({ mode }) => ![null, actor.mode].includes(mode))) return 'shows the other environment'
    return resourceFault(pools, exchange)
  }

const ids = /^(_?id|referenceNumber|reference_number|endpointId|productId)$/

function resourceFault(pools: Pick<Pools, 'holderOf'>, { actor, line, response }: Exchange): string | null {
  if (!response.body.startsWith('{"success":true')) return null
  for (const [name, value] of fieldsOf(parsed(response))) {
    // A live key may list test endpoints.
    const isRequested = actor.mode === 'live' && line.includes('/dev/webhooks?') && line.includes('sandbox=')
    const isWrong = name === 'sandbox' && value === (actor.mode === 'live')
    if (isWrong && !isRequested) return `says sandbox: ${value}`
    const holder = ids.test(name) && typeof value === 'string' ? pools.holderOf(value) : null
    if (holder === null) continue
    if (holder.owner !== actor.owner) return `shows ${name} ${String(value)} of another business`
    if (holder.mode !== null && holder.mode !== actor.mode)
      return `shows ${name} ${String(value)} of the other environment`
  }
  return null
}

function fieldsOf(part: unknown): [name: string, value: unknown][] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part)
    .filter(([name]) => name !== 'metadata')
    .flatMap(([name, value]) => [[name, value] as [string, unknown], ...fieldsOf(value)])
}
