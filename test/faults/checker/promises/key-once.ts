import type { IntentDocument } from '../../../invariants/documents.ts'
import type { What } from '../../evidence/evidence.ts'
import { groupsOf, having, repeatedOf, sumOf } from '../groups.ts'
import { isDone, isOvertaken, isSettled, isUnknown, maxExtraRuns, type Request } from '../requests.ts'
import { dataOf, isReplay, referenceIn, type ShownIntent } from '../responses.ts'
import type { Check, Findings, Round } from '../round.ts'

/**
 * No idempotency key ran twice. There are as many documents as keys with a 2xx, and at most one more for each lifetime
 * of a key with an unknown outcome. No two keys created the same document. Only requests that were not refused
 * cancelled or simulated an intent.
 */
export const keyOnce: Check = function* (round) {
  const { dump } = round
  // Imported products have a handle of their own.
  const created = dump.products.filter(({ _id, handle }) => handle === _id)
  yield* things(round, 'create', dump.intents, 'referenceNumber', 'referenceNumber')
  yield* things(round, 'order', dump.orders, 'number', 'number')
  yield* things(round, 'endpoint.create', dump.webhookendpoints, '_id', 'id')
  yield* things(round, 'product.create', created, '_id', '_id')
  yield* things(round, 'replay', dump.webhookreplays, '_id', 'id')
  yield* refunds(round)
  yield* ends(round)
  yield* markedTwice(round)
}

type Owner = { businessId: string; sandbox?: boolean }

/** The business and, unless it is an endpoint, the environment. */
const ownerOf = ({ businessId, sandbox }: Owner): string => `${businessId} ${sandbox ?? ''}`
const likewise = ({ businessId, sandbox }: Request, thing: Owner): string =>
  ownerOf(thing.sandbox === undefined ? { businessId } : { businessId, sandbox })

function* things<Field extends string, Thing extends Owner & Record<Field, string>>(
  round: Round,
  what: What,
  stored: Thing[],
  name: Field,
  shownAs: string,
): Findings {
  const requests = having(round.requests, what)
  const nameIn = ({ settled }: Request): string => dataOf<Record<string, string>>(settled)?.[shownAs] ?? ''
  const done = requests.filter(isDone)
  const certain = done.filter(({ isAcrossDays }) => !isAcrossDays)
  for (const again of repeatedOf(certain, nameIn)) yield [nameIn(again), `two keys of ${what} created it`]
  const acknowledged = new Set(done.map(nameIn))
  const extra = stored.filter((thing) => !acknowledged.has(thing[name]))
  for (const [owner, extraOnes] of groupsOf(extra, ownerOf)) {
    const own = requests.filter((request) => likewise(request, extraOnes[0] as Thing) === owner)
    const most = sumOf(own, maxExtraRuns)
    if (extraOnes.length > most)
      yield [
        extraOnes
          .slice(0, 5)
          .map((thing) => thing[name])
          .join(' '),
        `${extraOnes.length} exist that no response to ${what} names, and ${most} may have been created`,
      ]
  }
}

function* refunds({ requests, dump }: Round): Findings {
  const byReference = groupsOf(having(requests, 'refund'), referenceIn)
  for (const { referenceNumber, refunds: stored } of dump.intents) {
    const own = byReference.get(referenceNumber) ?? []
    const named = own.filter(isDone).map(({ settled }) => dataOf<ShownIntent>(settled)?.refund?.id)
    for (const id of repeatedOf(named, (each) => each)) yield [referenceNumber, `two keys made refund ${id}`]
    const extra = stored.filter(({ id }) => !named.includes(id))
    const most = sumOf(own, maxExtraRuns)
    if (extra.length > most)
      yield [referenceNumber, `has ${extra.length} refunds in no response, and ${most} may have been made`]
  }
}

/** The traces of requests that end an intent. */
const endings: [what: What, hasEnded: (intent: IntentDocument) => boolean][] = [
  ['cancel', ({ cancellationReason }) => cancellationReason === 'requested_by_merchant'],
  ['simulate', ({ payment }) => payment?.wallet === 'simulation'],
]

function* ends({ requests, dump, setting }: Round): Findings {
  const keys = setting.businesses.flatMap((business) => business.keys)
  const publishable = new Set(keys.filter(({ kind }) => kind === 'publishable').map(({ id }) => id))
  const allowed = requests.filter(({ calls }) => !publishable.has(calls[0]?.keyId ?? ''))
  const byReference = groupsOf(allowed, referenceIn)
  for (const intent of dump.intents)
    for (const [what, hasEnded] of endings) {
      const own = (byReference.get(intent.referenceNumber) ?? []).filter(
        (request) => request.what === what && likewise(request, intent) === ownerOf(intent),
      )
      const done = own.filter((request) => isDone(request) && !request.isAcrossDays)
      if (hasEnded(intent) && !own.some((request) => isDone(request) || isUnknown(request)))
        yield [intent.referenceNumber, `has the effect of a ${what}, and none of ${own.length} succeeded`]
      if (done.length > 1) yield [intent.referenceNumber, `has the effect of ${done.length} keys of ${what}`]
    }
}

/** Finds keys that created two documents. The traffic writes its key into each document that it creates. */
function* markedTwice({ dump, requests }: Round): Findings {
  const keys = new Set(requests.filter(({ isAcrossDays }) => !isAcrossDays).map((each) => each.idempotencyKey))
  const intents = dump.intents.flatMap(({ referenceNumber, metadata, ...owner }) =>
    metadata.filter(({ key }) => key === 'key').map(({ value }) => ({ owner, name: referenceNumber, key: value })),
  )
  const products = dump.products.flatMap(({ _id, name, ...owner }) =>
    name.split(' ').map((word) => ({ owner, name: _id, key: word })),
  )
  for (const made of [intents, products])
    for (const { name, key } of repeatedOf(
      made.filter((each) => keys.has(each.key)),
      (each) => `${ownerOf(each.owner)} ${each.key}`,
    ))
      yield [name, `its key ${key} created another one`]
}

/** The same key gets the first response again, byte for byte, marked as a replay (SPEC 5.4). */
export const keyReplayed: Check = function* ({ requests }) {
  for (const { what, path, idempotencyKey, calls, settled, isAcrossDays } of requests) {
    if (settled === null || isAcrossDays) continue
    const subject = `${what} ${path} ${idempotencyKey}`
    const kept = calls.filter((call) => isSettled(call) && !(call.ended < settled.ended && isOvertaken(call, calls)))
    const firsts = kept.filter((call) => !isReplay(call)).map(({ call }) => call)
    if (firsts.length > 1) yield [subject, `calls ${firsts.join(', ')} got responses that are no replays`]
    for (const call of kept) {
      const isSame =
        call.status === settled.status &&
        JSON.stringify(call.response) === JSON.stringify(settled.response) &&
        call.responseHash === settled.responseHash
      if (!isSame) yield [subject, `calls ${settled.call} and ${call.call} got different responses`]
      if (call.began > settled.ended && !isReplay(call))
        yield [subject, `call ${call.call} came after the response to call ${settled.call} and got no replay`]
    }
  }
}
