import { type Call, deliveryIn } from '../../evidence/evidence.ts'
import { groupsOf } from '../groups.ts'
import type { Check, Findings, Round } from '../round.ts'

type Owner = { businessId: string; sandbox: boolean }

/**
 * No response has a reference, an id or a marker of another business or environment. Events go only to endpoints of
 * their business. Test money and live money never mix.
 */
export const tenantApart: Check = function* (round) {
  const owners = ownersIn(round)
  const anyMarker = new RegExp(markersOf(round).map(literally).join('|'), 'g')
  for (const call of round.calls) if (call.business !== null) yield* ownOnly(call, owners, anyMarker)
  yield* stored(round)
  yield* arrived(round, owners)
}

const isSame = (one: Owner, other: Owner): boolean =>
  one.businessId === other.businessId && one.sandbox === other.sandbox
const wordsOf = ({ businessId, sandbox }: Owner): string => `${businessId} ${sandbox ? 'test' : 'live'}`

/** The longest come first, because one marker may begin with another. Some businesses have no live marker. */
const markersOf = ({ setting }: Round): string[] =>
  setting.businesses
    .flatMap(({ markers: { test, live } }) => [test, live].filter(Boolean))
    .toSorted((one, other) => other.length - one.length)

const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** The owner of each reference, id and marker. */
function ownersIn({ dump, setting }: Round): Map<string, Owner> {
  const owners = new Map<string, Owner>()
  for (const intent of dump.intents) {
    owners.set(intent.referenceNumber, intent)
    for (const { id } of intent.refunds) owners.set(id, intent)
  }
  for (const order of dump.orders) if (order.number) owners.set(order.number, order)
  for (const thing of [...dump.products, ...dump.deliveries, ...dump.events, ...dump.webhookreplays])
    owners.set(thing._id, thing)
  for (const { id: businessId, markers } of setting.businesses) {
    owners.set(markers.test, { businessId, sandbox: true })
    owners.set(markers.live, { businessId, sandbox: false })
  }
  return owners
}

const names = /\b(?:PI|OR|RF)-[0-9A-Z]{16}\b|"[\w-]{32}"|"[0-9a-f]{24}"/g

function* ownOnly(call: Call, owners: Map<string, Owner>, anyMarker: RegExp): Findings {
  const own = { businessId: call.business ?? '', sandbox: call.sandbox ?? false }
  const text = JSON.stringify(call.response) ?? ''
  for (const [name] of [...text.matchAll(names), ...text.matchAll(anyMarker)]) {
    const owner = owners.get(name.replaceAll('"', ''))
    if (owner !== undefined && !isSame(owner, own))
      yield [`call ${call.call}`, `${call.what} showed ${name} of ${wordsOf(owner)} to ${wordsOf(own)}`]
  }
  if (call.actor === 'stranger' && call.status !== null && call.status < 300)
    yield [`call ${call.call}`, `a stranger got ${call.status} to ${call.method} ${call.path}`]
}

function* stored({ dump, broken }: Round): Findings {
  yield* broken('documents owned')
  for (const { referenceNumber, sandbox, payment } of dump.intents)
    if (payment?.wallet.startsWith('live:') === sandbox)
      yield [referenceNumber, `of ${sandbox ? 'test' : 'live'} was paid by ${payment.wallet}`]
}

function* arrived({ calls, arrivals, dump }: Round, owners: Map<string, Owner>): Findings {
  const pathOf = ({ url = '' }: { url?: string }): string => (URL.canParse(url) ? new URL(url).pathname : '')
  const registered = [
    ...calls
      .filter(({ what }) => what === 'endpoint.create' || what === 'endpoint.update')
      .map(({ body, business }) => ({ path: pathOf((body ?? {}) as { url?: string }), business })),
    ...dump.webhookendpoints.map(({ url, businessId }) => ({ path: pathOf({ url }), business: businessId })),
  ]
  const byPath = groupsOf(registered, ({ path }) => path)
  for (const { path, body } of arrivals) {
    const { sandbox, data } = JSON.parse(body)
    const owner = owners.get(data.reference_number)
    if (owner === undefined) continue
    if (!byPath.get(path)?.some(({ business }) => business === owner.businessId))
      yield [deliveryIn(body), `came to ${path}, and belongs to ${wordsOf(owner)}`]
    if (sandbox !== owner.sandbox) yield [deliveryIn(body), `reports sandbox ${sandbox} of ${wordsOf(owner)}`]
  }
}
