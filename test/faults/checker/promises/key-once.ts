import type { What } from '../../evidence/evidence.ts'
import type { Broken, Judge, Round } from '../round.ts'
import { dataOf, referenceIn, type ShownIntent } from '../views/answers.ts'
import { groupsOf, repeatedOf } from '../views/groups.ts'
import { isDone, isUnknown, type Request } from '../views/requests.ts'

/**
 * No idempotency key ran twice: there are as many things as keys that were answered good, and at most one more for each key of which nobody knows; no two keys
 * got the same thing.
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
  yield* refunds(round)
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
    const unknown = requests.filter(
      (request) => isUnknown(request) && ownerOf(asOwner(request, some[0])) === owner,
    )
    if (some.length > unknown.length)
      yield {
        of: some.map(nameOf).slice(0, 5).join(' '),
        says: `${some.length} are there that no answer of ${what} names, and the outcome of ${unknown.length} is unknown`,
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
    const unknown = asked.filter(isUnknown)
    if (extra.length > unknown.length)
      yield {
        of,
        says: `has ${extra.length} refunds that no answer names (${extra.map(({ id }) => id).join(' ')}), and the outcome of ${unknown.length} is unknown`,
      }
  }
}

/** Where the merchant wrote the key into what it made, there is one of it. */
function* markedTwice({ dump, requests }: Round): Generator<Broken> {
  const mayRunAgain = new Set(requests.filter((each) => each.isAcrossDays).map((each) => each.idempotencyKey))
  const keyOf = ({ metadata }: { metadata: { key: string; value: string }[] }) =>
    metadata.find(({ key }) => key === 'key')?.value
  const marked = dump.intents.filter(
    (intent) => keyOf(intent) !== undefined && !mayRunAgain.has(keyOf(intent) ?? ''),
  )
  for (const intent of repeatedOf(marked, (each) => `${each.businessId} ${each.sandbox} ${keyOf(each)}`))
    yield { of: intent.referenceNumber, says: `another intent was made by its key ${keyOf(intent)} too` }
}
