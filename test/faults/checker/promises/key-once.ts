import type { What } from '../../evidence/evidence.ts'
import type { IntentDocument } from '../documents.ts'
import type { Broken, Judge, Round } from '../round.ts'
import { dataOf, referenceIn, type ShownIntent } from '../views/answers.ts'
import { groupsOf, repeatedOf, sumOf } from '../views/groups.ts'
import { isDone, isUnknown, mostBeyond, type Request } from '../views/requests.ts'

/**
 * No idempotency key ran twice: there are as many things as keys that were answered good, and at most one more for each life of a key of which nobody knows; no two keys
 * got the same thing. What was cancelled, or paid by a simulation, was so by a request of its own that was not refused.
 */
export const keyOnce: Judge = function* (round) {
  yield* things(
    round,
    'create',
    round.dump.intents,
    ({ referenceNumber }) => referenceNumber,
    'referenceNumber',
  )
  const placed = round.dump.orders.filter(({ status }) => status === 'PLACED')
  yield* things(round, 'order', placed, ({ number }) => number, 'number')
  yield* things(round, 'endpoint.create', round.dump.webhookendpoints, ({ _id }) => _id, 'id')
  // What came in a file has a handle of its own.
  const created = round.dump.products.filter(({ _id, handle }) => handle === _id)
  yield* things(round, 'product.create', created, ({ _id }) => _id, '_id')
  yield* refunds(round)
  yield* moves(round)
  yield* markedTwice(round)
}

interface Made {
  businessId: string
  sandbox?: boolean
}

/** What creates made, by business and, where it counts, by environment. */
function* things<Thing extends Made>(
  round: Round,
  what: What,
  stored: Thing[],
  nameOf: (thing: Thing) => string,
  field: string,
): Generator<Broken> {
  const requests = round.requests.filter((request) => request.what === what)
  const answered = requests.filter(isDone).map(({ settled, isAcrossDays }) => ({
    name: dataOf<Record<string, string>>(settled as never)?.[field],
    isAcrossDays,
  }))
  const certain = answered.filter(({ isAcrossDays }) => !isAcrossDays)
  for (const { name } of repeatedOf(certain, (each) => each.name))
    yield { of: String(name), says: `two keys of ${what} were answered with it` }
  const acknowledged = new Set(answered.map(({ name }) => name))
  const extra = groupsOf(
    stored.filter((thing) => !acknowledged.has(nameOf(thing))),
    ownerOf,
  )
  for (const [owner, some] of extra) {
    const own = requests.filter((request) => ownerOf(asOwner(request, some[0])) === owner)
    const unknown = sumOf(own, mostBeyond)
    if (some.length > unknown)
      yield {
        of: some.map(nameOf).slice(0, 5).join(' '),
        says: `${some.length} are there that no answer of ${what} names, and ${unknown} may have been made unheard`,
      }
  }
}

const ownerOf = ({ businessId, sandbox }: Made): string => `${businessId} ${sandbox ?? ''}`

/** Endpoints have no environment, and so their requests' does not count. */
const asOwner = ({ business, sandbox }: Request, thing: Made | undefined): Made => ({
  businessId: business,
  ...(thing?.sandbox === undefined ? {} : { sandbox }),
})

/** Refunds of one payment: each key its own, and none without a key. */
function* refunds({ requests, dump }: Round): Generator<Broken> {
  const byReference = groupsOf(
    requests.filter(({ what }) => what === 'refund'),
    (request) => referenceIn(request) ?? '',
  )
  for (const { referenceNumber: of, refunds: stored } of dump.intents) {
    const asked = byReference.get(of) ?? []
    const answered = asked
      .filter(isDone)
      .map(({ settled }) => dataOf<ShownIntent>(settled as never)?.refund?.id)
    for (const id of repeatedOf(answered, (each) => each))
      yield { of, says: `two keys were answered with refund ${id}` }
    const extra = stored.filter(({ id }) => !answered.includes(id))
    const unknown = sumOf(asked, mostBeyond)
    if (extra.length > unknown)
      yield {
        of,
        says: `has ${extra.length} refunds that no answer names (${extra.map(({ id }) => id).join(' ')}), and ${unknown} may have been made unheard`,
      }
  }
}

/** What each kind of request that ends an intent leaves of itself. */
const endings: { what: What; hasDone: (intent: IntentDocument) => boolean; did: string }[] = [
  {
    what: 'cancel',
    hasDone: ({ cancellationReason }) => cancellationReason === 'requested_by_merchant',
    did: 'was cancelled by its merchant',
  },
  {
    what: 'simulate',
    hasDone: ({ payment }) => payment?.wallet === 'simulation',
    did: 'was paid by a simulation',
  },
]

/**
 * Who ended an intent was answered so, or heard nothing: a request that was refused did nothing, also where what it had done before it died is what
 * it was refused for, and nobody else's or a key's that may not ended it.
 */
function* moves(round: Round): Generator<Broken> {
  const asked = groupsOf(round.requests.filter(isOfSecretKey(round)), (request) => referenceIn(request) ?? '')
  for (const intent of round.dump.intents)
    for (const { what, hasDone, did } of endings) {
      const own = (asked.get(intent.referenceNumber) ?? []).filter(
        (request) => request.what === what && ownerOf(asOwner(request, intent)) === ownerOf(intent),
      )
      const of = intent.referenceNumber
      const done = own.filter((request) => isDone(request) && !request.isAcrossDays)
      if (hasDone(intent) && !own.some((request) => isDone(request) || isUnknown(request)))
        yield { of, says: `${did}, and no ${what} of ${own.length} was answered good or is unknown` }
      if (done.length > 1)
        yield {
          of,
          says: `${did} by ${done.length} keys: ${done.map((each) => each.idempotencyKey).join(', ')}`,
        }
    }
}

function isOfSecretKey({ setting }: Round): (request: Request) => boolean {
  const keys = setting.businesses.flatMap((business) => business.keys)
  const publishable = new Set(keys.filter(({ kind }) => kind === 'publishable').map(({ id }) => id))
  return ({ tries }) => !publishable.has(tries[0]?.keyId ?? '')
}

/** Where the merchant wrote the key into what it made, there is one of it. */
function* markedTwice({ dump, requests }: Round): Generator<Broken> {
  const ofProducts = new Set(requests.filter(({ what }) => what === 'product.create').map(keyOf))
  const intents = dump.intents.map(({ referenceNumber, metadata, ...owner }) => ({
    ...owner,
    of: referenceNumber,
    key: metadata.find(({ key }) => key === 'key')?.value,
  }))
  const products = dump.products.map(({ _id, name, ...owner }) => ({
    ...owner,
    of: _id,
    key: name.split(' ').find((word) => ofProducts.has(word)),
  }))
  const mayRunAgain = new Set(requests.filter((each) => each.isAcrossDays).map(keyOf))
  for (const made of [intents, products]) {
    const marked = made.filter(({ key }) => key !== undefined && !mayRunAgain.has(key))
    for (const { of, key } of repeatedOf(marked, (each) => `${each.businessId} ${each.sandbox} ${each.key}`))
      yield { of, says: `another was made by its key ${key} too` }
  }
}

const keyOf = ({ idempotencyKey }: Request): string => idempotencyKey
