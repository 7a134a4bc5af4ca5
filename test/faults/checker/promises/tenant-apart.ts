import { deliveryIn } from '../../evidence/delivery-id.ts'
import type { Call } from '../../evidence/evidence.ts'
import type { Broken, Judge, Round } from '../round.ts'
import { groupsOf } from '../views/groups.ts'

interface Owner {
  businessId: string
  sandbox: boolean
}

/**
 * Nobody sees another's: no answer to a key has a reference, an id or a word of another business or of its other environment; events come to their
 * own business's receivers only and say their environment; money of tests and of production never meet.
 */
export const tenantApart: Judge = function* (round) {
  const owners = ownersIn(round)
  const markers = markersIn(round)
  for (const call of round.calls) if (call.business !== null) yield* ownOnly(call, owners, markers)
  yield* stored(round)
  yield* arrived(round, owners)
}

const sameOwner = (one: Owner, other: Owner): boolean =>
  one.businessId === other.businessId && one.sandbox === other.sandbox

/** Whose each reference is, each id of a delivery and each refund's. */
function ownersIn({ dump }: Round): Map<string, Owner> {
  const owners = new Map<string, Owner>()
  for (const intent of dump.intents) {
    owners.set(intent.referenceNumber, intent)
    for (const { id } of intent.refunds) owners.set(id, intent)
  }
  for (const order of dump.orders) if (order.number) owners.set(order.number, order)
  for (const product of dump.products) owners.set(product._id, product)
  for (const delivery of dump.deliveries) owners.set(delivery._id, delivery)
  return owners
}

interface Markers {
  any: RegExp
  ownerOf: Map<string, Owner>
}

function markersIn({ setting }: Round): Markers {
  const ownerOf = new Map<string, Owner>()
  for (const { id: businessId, markers } of setting.businesses) {
    ownerOf.set(markers.test, { businessId, sandbox: true })
    ownerOf.set(markers.live, { businessId, sandbox: false })
  }
  // A business that is not approved makes nothing in production.
  ownerOf.delete('')
  const longestFirst = [...ownerOf.keys()].toSorted((one, other) => other.length - one.length)
  return { any: new RegExp(longestFirst.map(literally).join('|') || '(?!)', 'g'), ownerOf }
}

const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

const names = /\b(?:PI|OR|RF)-[0-9A-Z]{16}\b|"[\w-]{32}"|"[0-9a-f]{24}"/g

function* ownOnly(call: Call, owners: Map<string, Owner>, { any, ownerOf }: Markers): Generator<Broken> {
  const own = { businessId: call.business ?? '', sandbox: call.sandbox ?? false }
  const text = JSON.stringify(call.answer) ?? ''
  const of = `call ${call.call}`
  for (const [name] of text.matchAll(names)) {
    const owner = owners.get(name.replaceAll('"', ''))
    if (owner !== undefined && !sameOwner(owner, own))
      yield {
        of,
        says: `${call.what} showed ${name} of ${owner.businessId}, sandbox ${owner.sandbox}, to ${own.businessId}, sandbox ${own.sandbox}`,
      }
  }
  for (const [marker] of text.matchAll(any)) {
    const owner = ownerOf.get(marker)
    if (owner !== undefined && !sameOwner(owner, own))
      yield {
        of,
        says: `${call.what} showed "${marker}" of ${owner.businessId} to ${own.businessId}, sandbox ${own.sandbox}`,
      }
  }
  const isForeign = call.actor === 'stranger' && call.status !== null && call.status < 300
  if (isForeign) yield { of, says: `a stranger was answered ${call.status} to ${call.method} ${call.path}` }
}

/** What belongs together has one owner, and a wallet of its own environment. */
function* stored({ dump, intentOf, endpointOf }: Round): Generator<Broken> {
  for (const { _id: of, referenceNumber, endpointId, businessId, sandbox } of dump.deliveries) {
    const intent = intentOf.get(referenceNumber)
    if (intent !== undefined && !sameOwner(intent, { businessId, sandbox }))
      yield {
        of,
        says: `is of ${businessId}, sandbox ${sandbox}, and tells of ${referenceNumber} of ${intent.businessId}, sandbox ${intent.sandbox}`,
      }
    if (endpointOf.get(endpointId)?.businessId !== businessId)
      yield { of, says: `is of ${businessId}, and its endpoint is not` }
  }
  for (const { referenceNumber: of, sandbox, payment } of dump.intents)
    if (payment !== null && payment.wallet.startsWith('live:') === sandbox)
      yield { of, says: `sandbox ${sandbox}, was paid by ${payment.wallet}` }
}

/** Which business an address belongs to is told by the calls that registered it. */
function* arrived({ calls, arrivals, dump }: Round, owners: Map<string, Owner>): Generator<Broken> {
  const registering = calls.filter(({ what }) => what === 'endpoint.create' || what === 'endpoint.update')
  const byPath = groupsOf(registering, ({ body }) => pathIn((body ?? {}) as { url?: string }))
  const known = new Map(
    [...byPath].map(([path, some]) => [path, new Set(some.map(({ business }) => business))]),
  )
  for (const { url, businessId } of dump.webhookendpoints) known.get(pathIn({ url }))?.add(businessId)
  for (const { path, body } of arrivals) {
    const told = JSON.parse(body) as { sandbox: boolean; data: { reference_number: string } }
    const owner = owners.get(told.data.reference_number)
    if (owner === undefined) continue
    const of = deliveryIn(body)
    if (!known.get(path)?.has(owner.businessId))
      yield { of, says: `came to ${path}, which is not of ${owner.businessId}` }
    if (told.sandbox !== owner.sandbox)
      yield { of, says: `says sandbox ${told.sandbox} of ${told.data.reference_number}` }
  }
}

const pathIn = ({ url = '' }: { url?: string }): string => (URL.canParse(url) ? new URL(url).pathname : '')
