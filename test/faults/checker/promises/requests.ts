import type { IntentDocument } from '../../../invariants/documents.ts'
import { groupsOf, repeatedOf, sumOf } from '../../../invariants/groups.ts'
import { type Call, having, type What } from '../../evidence/evidence.ts'
import { isDone, isOvertaken, isSettled, isUnknown, maxExtraRuns, type Request } from '../requests.ts'
import { dataOf, errorOf, isReplay, pageOf, referenceIn, type ShownIntent } from '../responses.ts'
import type { Check, Findings, Round } from '../round.ts'
import { settles } from '../times.ts'

const keyOnce: Check = function* (round) {
  const { dump } = round
  // Imported products have a handle of their own.
  const created = dump.products.filter(({ _id, handle }) => handle === _id)
  const ofApi = dump.intents.filter(({ till }) => till === undefined)
  yield* things(round, 'create', ofApi, 'referenceNumber', 'referenceNumber')
  yield* things(round, 'order', dump.orders, 'number', 'number')
  yield* things(round, 'endpoint.create', dump.webhookendpoints, '_id', 'id')
  yield* things(round, 'product.create', created, '_id', '_id')
  yield* things(round, 'replay', dump.webhookreplays, '_id', 'id')
  yield* refunds(round)
  yield* ends(round)
  yield* markedTwice(round)
}

type Owner = { businessId: string; sandbox?: boolean }
const ownerOf = ({ businessId, sandbox }: Owner): string => `${businessId} ${sandbox ?? ''}`
const isOwn = ({ businessId, sandbox }: Request, thing: Owner): boolean =>
  businessId === thing.businessId && (thing.sandbox === undefined || thing.sandbox === sandbox)

function* things<Field extends string, Thing extends Owner & Record<Field, string>>(
  round: Round,
  what: What,
  stored: Thing[],
  name: Field,
  shownAs: string,
): Findings {
  const done = round.done<Record<string, string>>(what)
  const acknowledged = new Set(done.map(({ data }) => data[shownAs]))
  const certain = done.filter(({ request }) => !request.isAcrossDays).map(({ data }) => data[shownAs] ?? '')
  for (const again of repeatedOf(certain, (each) => each)) yield [again, `two keys of ${what} created it`]
  const extra = stored.filter((thing) => !acknowledged.has(thing[name]))
  for (const some of groupsOf(extra, ownerOf).values()) {
    const own = having(round.requests, what).filter((request) => isOwn(request, some[0] as Thing))
    const most = sumOf(own, maxExtraRuns)
    const names = some
      .slice(0, 5)
      .map((thing) => thing[name])
      .join(' ')
    if (some.length > most)
      yield [names, `${some.length} exist that no response to ${what} names, and ${most} may have been made`]
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

const endings: [what: What, hasEnded: (intent: IntentDocument) => boolean][] = [
  ['cancel', ({ cancellationReason }) => cancellationReason === 'requested_by_merchant'],
  ['simulate', ({ payment }) => payment?.wallet === 'simulation'],
]

function* ends({ requests, dump, publishable }: Round): Findings {
  const allowed = requests.filter(({ calls }) => !publishable.has(calls[0]?.keyId ?? null))
  const byReference = groupsOf(allowed, referenceIn)
  for (const intent of dump.intents.filter(({ till }) => till === undefined))
    for (const [what, hasEnded] of endings) {
      const all = having(byReference.get(intent.referenceNumber) ?? [], what)
      const own = all.filter((request) => isOwn(request, intent))
      const done = own.filter((request) => isDone(request) && !request.isAcrossDays)
      if (hasEnded(intent) && !own.some((request) => isDone(request) || isUnknown(request)))
        yield [intent.referenceNumber, `has the effect of a ${what}, and none of ${own.length} succeeded`]
      if (done.length > 1) yield [intent.referenceNumber, `has the effect of ${done.length} keys of ${what}`]
    }
}

/** The traffic writes its key into each document that it creates, so two with the same key prove a second run. */
function* markedTwice({ dump, requests }: Round): Findings {
  const inADay = requests.filter(({ isAcrossDays }) => !isAcrossDays)
  const keys = new Set(inADay.map(({ idempotencyKey }) => idempotencyKey))
  const intents = dump.intents.flatMap(({ referenceNumber: name, metadata, ...owner }) =>
    metadata.flatMap(({ key, value }) => (key === 'key' ? [{ owner, name, key: value }] : [])),
  )
  const products = dump.products.flatMap(({ _id, name, ...owner }) =>
    name.split(' ').map((word) => ({ owner, name: _id, key: word })),
  )
  for (const made of [intents, products]) {
    const marked = made.filter((each) => keys.has(each.key))
    for (const { name, key } of repeatedOf(marked, (each) => `${ownerOf(each.owner)} ${each.key}`))
      yield [name, `its key ${key} created another one`]
  }
}

/** A form at the till makes one payment for each amount. Only the last of them can still be paid. */
const tillOnce: Check = function* (round) {
  const forms = groupsOf(
    round.dump.intents.filter(({ till }) => till?.form !== undefined),
    ({ till }) => till?.form ?? '',
  )
  const calls = groupsOf(having(round.calls, 'till'), ({ body }) => (body as { form: string }).form)
  for (const [form, intents] of forms) {
    const own = calls.get(form) ?? []
    for (const intent of repeatedOf(intents, ({ amount }) => String(amount)))
      yield [intent.referenceNumber, `is the second payment of ${intent.amount} from one form`]
    if (own.length === 0) yield [form, 'made a payment, and was never sent']
    const pending = intents.filter(({ status }) => status === 'PENDING')
    if (pending.length > 1 && own.at(-1)?.status === 303)
      yield [form, `left ${pending.length} payments that can be paid`]
  }
  for (const call of having(round.calls, 'till')) {
    const reference = /PI-\w+/.exec(pageOf(call)?.location ?? '')?.[0]
    const isThere = round.intentOf(reference) !== undefined
    const isOld = round.mayBeCleaned({ sandbox: true, createdAt: call.ended + call.clockAheadMs[1] })
    if (call.status === 303 && reference !== undefined && !isThere && !isOld)
      yield [reference, `was shown by call ${call.call}, and MongoDB does not have it`]
  }
}

const keyReplayed: Check = function* ({ requests }) {
  for (const { what, path, idempotencyKey, calls, settled, isAcrossDays } of requests) {
    if (settled === null || isAcrossDays) continue
    const subject = `${what} ${path} ${idempotencyKey}`
    const isLater = (call: Call): boolean => call.ended >= settled.ended || !isOvertaken(call, calls)
    const kept = calls.filter((call) => isSettled(call) && isLater(call))
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

const refusals = [400, 401, 402, 403, 404, 408, 409, 413, 415, 429, 431]

const responseSound: Check = function* (round) {
  const requestOf = new Map(round.requests.flatMap((request) => request.calls.map((call) => [call, request])))
  for (const call of round.calls) {
    yield* missing(round, call)
    if (call.status !== null) yield* sound(round, call, call.status, requestOf.get(call))
  }
  const withId = round.calls.filter(({ headers }) => headers['x-request-id'] !== undefined)
  for (const call of repeatedOf(withId, ({ headers }) => headers['x-request-id']))
    yield [nameOf(call), `has the request id of another response: ${call.headers['x-request-id']}`]
}

const nameOf = ({ call, what, method, path }: Call): string => `call ${call} ${what} ${method} ${path}`
const marginMs = 200

function* missing(round: Round, call: Call): Findings {
  const waitedMs = call.ended - call.began
  const waitsLongEnough = call.timeoutMs >= round.setting.clientTimeoutMs
  const gaveUp = !waitsLongEnough && (call.status !== null || waitedMs >= call.timeoutMs - marginMs)
  const span = { from: call.began, to: call.status === null ? call.ended : call.began + call.timeoutMs }
  if (!gaveUp && round.isDue('response.sound', span, settles.requests) && call.status === null)
    yield [nameOf(call), `got no response in ${waitedMs} ms, without a fault`]
}

function* sound(round: Round, call: Call, status: number, request?: Request): Findings {
  const subject = nameOf(call)
  const response = `${status} ${JSON.stringify(call.response).slice(0, 300)}`
  if (call.headers['x-request-id'] === undefined) yield [subject, `got ${status} without X-Request-Id`]
  const isCalm = round.times.isCalm({ from: call.began, to: call.ended }, settles.requests)
  if (status >= 500 && (status !== 503 || (isCalm && !mayBeBusy(round, call, request))))
    yield [subject, `got ${response}, without a fault`]
  if (!call.path.startsWith('/api/') || (call.what === 'product.export' && status === 200)) return
  const { success, data } = (call.response ?? {}) as { success?: boolean; data?: unknown }
  const isError = success === false && errorOf(call)?.statusCode === status
  const isEnveloped = status < 400 ? success === true && data !== undefined : isError
  if (!isEnveloped) yield [subject, `got a response outside the envelope: ${response}`]
  if (status >= 400 && status < 500 && !refusals.includes(status))
    yield [subject, `got a status that the API does not have: ${response}`]
}

/** These wait for stock held by another order, or for a refund whose outcome is unknown. */
const waiting: readonly What[] = ['order', 'stock', 'import', 'refund']
const repeatsMs = 55_000

/** Without a fault, a call may get a 503 if a later call with the same key gets its response. */
function mayBeBusy({ setting, faults }: Round, { what, sandbox, ended }: Call, request?: Request): boolean {
  if (!waiting.includes(what) || request === undefined) return false
  const isOver = request.ended >= setting.healedAt + repeatsMs
  const hasJumped = faults.some((fault) => fault.what === 'clock.jump' && fault.began >= ended)
  return request.settled !== null || isOver || hasJumped || (what === 'refund' && sandbox === false)
}

/** These depend on state or load. API tests prove when each of them is right. */
const dependOnState = new Set(
  [
    ...'INTENT DELIVERY ORDER PRODUCT ENDPOINT SHOP REPLAY'.split(' ').map((noun) => `${noun}_NOT_FOUND`),
    'ENDPOINT_NOT_ACTIVE MAX_ENDPOINTS_REACHED MERCHANT_REFERENCE_TAKEN INSUFFICIENT_STOCK INTENT_NOT_PENDING',
    'INTENT_CANCEL_INVALID_STATUS INTENT_CANCEL_CONFLICT INTENT_REFUND_INVALID_STATUS REFUND_AMOUNT_MISMATCH',
    'AMOUNT_OUT_OF_RANGE PAYMENT_FAILED REFUND_FAILED IDEMPOTENCY_REQUEST_IN_PROGRESS REQUEST_TIMEOUT RATE_LIMITED',
  ].flatMap((codes) => codes.split(' ')),
)

const minCount = 20
const minShare = 1 / 20

const refusalDue: Check = function* (round) {
  const good = round.calls.filter(({ expects, status, actor, what }) => {
    const isValid = expects.length === 0 && actor !== 'stranger' && what !== 'overreach'
    return isValid && status !== null && status < 500
  })
  for (const call of good) {
    const { business, status, body } = call
    const code = errorOf(call)?.code ?? ''
    const isRefused = business !== null && (status ?? 0) >= 400 && !dependOnState.has(code)
    if (isRefused && !isOfAnotherBody(round.calls, call))
      yield [nameOf(call), `got ${status} ${code}: ${JSON.stringify(body)}`]
  }
  for (const [what, calls] of groupsOf(good, (call) => call.what)) {
    const done = calls.filter(({ status }) => (status ?? 0) < 400).length
    if (calls.length >= minCount && done < calls.length * minShare)
      yield [what, `was refused ${calls.length - done} of ${calls.length} times`]
  }
}

const isOfAnotherBody = (calls: Call[], { idempotencyKey, keyId, path }: Call): boolean =>
  idempotencyKey !== null &&
  calls.some(
    (other) =>
      other.idempotencyKey === idempotencyKey &&
      other.keyId === keyId &&
      other.path === path &&
      other.expects.length > 0,
  )

export const ofRequests = {
  'key.once': keyOnce,
  'till.once': tillOnce,
  'key.replayed': keyReplayed,
  'response.sound': responseSound,
  'refusal.due': refusalDue,
}
