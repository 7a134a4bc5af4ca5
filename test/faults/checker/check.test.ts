import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DeliveryDocument, LedgerDocument } from '../../invariants/documents.ts'
import { at, idOf, iso, shop } from '../../invariants/ordinary.ts'
import { temporaryFolder } from '../../support/built.ts'
import { type Call, files, having, type ProviderRequest, type What } from '../evidence/evidence.ts'
import { check, checkEvidence } from './check.ts'
import * as ordinary from './ordinary-round.ts'
import type { PromiseName } from './promises/promises.ts'

type Ordinary = ordinary.OrdinaryRound

function the<T>(thing: T | null | undefined): T {
  if (thing === null || thing === undefined) throw new Error('missing')
  return thing
}
const brokenIn = (round: Ordinary): Set<string> => new Set(checkEvidence(round).map(({ promise }) => promise))
const entry = ({ dump }: Ordinary): LedgerDocument => the(dump.ledgerentries.at(-1))
const first = ({ calls }: Ordinary, what: What): Call => the(calls.find((each) => each.what === what))
const deliveryOf = ({ dump }: Ordinary, event: string): DeliveryDocument =>
  the(dump.deliveries.find((delivery) => delivery.event === event))
const confirmed = (round: Ordinary): DeliveryDocument => deliveryOf(round, 'payment.confirmed')
const replayIn = ({ dump }: Ordinary) => the(dump.webhookreplays[0])
const feedOf = (calls: Call[]): Call => the(having(calls, 'event.feed')[6])
const arrivalsOf = (of: Ordinary) => of.arrivals.filter(({ body }) => body.includes(confirmed(of)._id))
const again = (round: Ordinary, before: Call, given: Partial<Call>): Call => {
  const headers = { ...before.headers, 'x-request-id': 'again' }
  round.calls.push({ ...structuredClone(before), call: 99, headers, began: at(60), ended: at(61), ...given })
  return the(round.calls.at(-1))
}
const lost = { status: null, response: null, headers: {} }
const refused = ordinary.refusal('AMOUNT_OUT_OF_RANGE', 400)
const notFound = ordinary.refusal('INTENT_NOT_FOUND', 404)
const stranger = { business: ordinary.other.id, keyId: ordinary.other.key }
const readPending = (round: Ordinary, intent: Ordinary['paid'], seconds: number): unknown => {
  const data = { ...ordinary.shown(intent), status: 'PENDING' }
  return (ordinary.read(round, intent, seconds).response = ordinary.good(data))
}
const earlierRefund = (round: Ordinary, from: number, to: number, response: Partial<Call>): unknown => {
  const refund = first(round, 'refund')
  const headers = { 'x-request-id': `at ${from}` }
  const times = { began: refund.began + from, ended: refund.began + to }
  return round.calls.unshift({ ...refund, call: 98, headers, ...times, ...response })
}
const fault = (round: Ordinary, what: string, from: number, to: number): unknown =>
  round.faults.push({ what, target: 'it', began: at(from), ended: at(to) })
const log = (round: Ordinary, line: object | string): unknown =>
  round.lines.push({ from: 'log/web-1.log', line: typeof line === 'string' ? line : JSON.stringify(line) })
const ordered = (round: Ordinary, given: Partial<ProviderRequest>): unknown =>
  round.provider.push({ ...orderOf(round.byWallet.referenceNumber), ...given })
const orderOf = (reference: string): ProviderRequest => {
  const order = { at: at(10), clockAheadMs: 0, kind: 'payment', type: 'order', key: 'live' } as const
  const result = { status: 'succeeded', decided: true, did: 200, paymentKey: null, phone: '22999999' }
  return { ...order, ...result, amount: 505, businessId: shop.id, reference }
}

type Change = (round: Ordinary) => unknown
const broken: Record<PromiseName, Record<string, Change>> = {
  'round.ended': { 'part of the round failed': ({ setting }) => setting.brokenOff.push('the audit: no') },
  'process.lives': { 'a process ended': ({ ends }) => ends.push({ at: 3, process: 'web-1', message: '' }) },
  'log.calm': { 'an error was logged': (round) => log(round, { level: 'error', msg: 'job.failed' }) },
  'quiet.reached': {
    'the service never finished its work': ({ setting }) => (setting.quietAt = null),
    'a payment is still pending': ({ setting }) => setting.left.push('1 of intents with a hold'),
  },
  'create.exists': { 'MongoDB lost an intent': ({ dump }) => dump.intents.shift() },
  'key.once': {
    'an intent exists that no request created': (round) => {
      ordinary.create(round, 'EXTRA', 50)
      round.calls.pop()
    },
    'two keys created an intent': (round) => again(round, first(round, 'create'), { idempotencyKey: 'b' }),
    'a rejected cancellation took effect': (round) =>
      Object.assign(first(round, 'cancel'), ordinary.refusal('INTENT_CANCEL_INVALID_STATUS', 400)),
  },
  'till.once': {
    'a form made two payments of one amount': ({ paid, expired }) => {
      for (const intent of [paid, expired]) Object.assign(intent, { till: { form: 'f' }, amount: 500 })
    },
    'a payment that a page showed is missing': (round) => {
      const response = { text: '', state: null, location: '/till/x/test/payments/PI-0000000000000000' }
      ordinary.call(round, 20, {
        what: 'till',
        path: '/till/x/test',
        status: 303,
        body: { form: 'f' },
        response,
      })
    },
  },
  'key.replayed': {
    'a retry got a different response': (round) => again(round, first(round, 'create'), {}),
    'a refused write took effect later': (round) => earlierRefund(round, -50, -20, refused),
    'a refused write was executed by a later request although another request was lost': (round) =>
      [refused, lost].map((response) => earlierRefund(round, -50, -20, response)),
    'a write was refused after it took effect': (round) => again(round, first(round, 'refund'), refused),
  },
  'transition.legal': { 'an acknowledged refund is missing': ({ paid }) => paid.refunds.pop() },
  'read.forward': { 'an intent is PENDING after it was paid': (round) => readPending(round, round.paid, 12) },
  'list.exact': {
    'the total is wrong': (round) => ((dataIn(first(round, 'list')) as { total: number }).total = 3),
    'an item is missing': (round) => itemsIn(first(round, 'list')).pop(),
  },
  'event.exact': { 'an event has no delivery': ({ dump }) => dump.deliveries.pop() },
  'event.reported': { 'a cancellation has no event': ({ dump }) => (dump.deliveries = []) },
  'events.complete': {
    'a reader missed an event': ({ calls }) => calls.splice(calls.indexOf(feedOf(calls)), 1),
    'a reader saw an event twice': (round) => again(round, feedOf(round.calls), {}),
    'a reader saw an event too late': ({ calls }) =>
      calls.push(...calls.splice(calls.indexOf(feedOf(calls)), 1)),
    'an event was late': ({ dump }) =>
      (the(dump.events.find(({ event }) => event === 'payment.expired')).loggedAt += 6000),
  },
  'delivery.delivered': {
    'nothing arrived': (round) => (round.arrivals = []),
    'different bytes arrived': (round) => (the(arrivalsOf(round)[0]).body += ' '),
  },
  'delivery.counted': {
    'a delivery has not ended': (round) => (confirmed(round).status = 'RETRYING'),
    'an arrival was not recorded': (of) =>
      ordinary.arrive(of, at(7), 'payment.confirmed', the(arrivalsOf(of)[0]).body),
  },
  'delivery.paced': { 'a retry is late': (round) => (the(confirmed(round).attemptLog[1]).at += 30_000) },
  'delivery.signed': {
    'the signature is wrong': (round) => (the(arrivalsOf(round)[0]).headers['x-service-signature'] = 'x'),
    'a request belongs to no delivery': (round) =>
      change(the(arrivalsOf(round)[0]), confirmed(round)._id, 'x'.repeat(32)),
  },
  'replay.exact': {
    'an event was not sent': (round) => (replayIn(round).onlyUndelivered = false),
    'a wrong event was sent': (round) => (confirmed(round).requeuedBy = replayIn(round)._id),
    'a count is wrong': (round) => (replayIn(round).skipped += 1),
    "a delivery doesn't name the replay that re-queued it": (round) =>
      Object.assign(replayIn(round), { requeued: 1, skipped: 3 }),
    'an acknowledged replay is missing': ({ dump }) => dump.webhookreplays.pop(),
  },
  'code.unique': { 'two intents share a code': ({ paid, cancelled }) => (cancelled.code = paid.code) },
  'reference.unique': {
    'two intents share a merchant reference': ({ paid, byWallet }) =>
      (byWallet.merchantReference = paid.merchantReference),
    'a free reference is refused': (round) =>
      again(round, first(round, 'create'), {
        body: { merchantReference: round.expired.merchantReference },
        ...ordinary.refusal('MERCHANT_REFERENCE_TAKEN', 409),
      }),
  },
  'refund.bounded': { 'more was refunded than was paid': ({ paid }) => (the(paid.refunds[0]).amount = 501) },
  'ledger.exact': { 'a fee is a centime too high': (round) => (entry(round).amount -= 1) },
  'wallet.balances': {
    'the PIN was wrong': (round) => Object.assign(first(round, 'pay.confirm').body ?? {}, { pin: '1' }),
  },
  'provider.balances': {
    'a different phone number paid': (round) => {
      the(round.byWallet.payment).wallet = 'live:provider'
      ordered(round, { key: idOf('payment'), phone: '22777777' })
    },
  },
  'stock.balances': {
    'a unit is missing': ({ dump }) => (the(the(dump.products[0]).variants[0]).stock = 11),
  },
  'order.exact': { 'an order is missing': ({ dump }) => dump.orders.pop() },
  'import.whole': { 'a product is missing': ({ dump }) => dump.products.pop() },
  'tenant.apart': {
    'a different business can read an intent': (round) =>
      Object.assign(ordinary.read(round, round.paid, 20), stranger),
    'test money paid for a live intent': ({ byWallet }) => (byWallet.sandbox = false),
  },
  'expiry.prompt': {
    'the expiry event is late': (round) => (deliveryOf(round, 'payment.expired').createdAt += 30_000),
    'an intent reads as PENDING after it expired': (round) => readPending(round, round.expired, 40),
  },
  'audit.complete': {
    'an audit line is missing': ({ dump }) => dump.auditevents.pop(),
    'a replay re-queued a delivery twice': (round) => (the(round.dump.deliveries[0]).requeues += 2),
  },
  'secret.kept': {
    'a key is logged': (round) => log(round, { key: the(the(round.setting.businesses[0]).keys[0]).secret }),
    'a phone number is stored with a payment': ({ lines }) =>
      lines.push({ from: 'dump/intents.ndjson', line: '{"payerPhone":"22999999"}' }),
  },
  'response.sound': {
    'a response has status 500': (round) => Object.assign(first(round, 'read'), { status: 500 }),
    'a 503 has no fault that explains it': (of) =>
      Object.assign(first(of, 'read'), ordinary.refusal('X', 503)),
    'a response is missing and no fault explains it': (round) => Object.assign(first(round, 'read'), lost),
  },
  'refusal.due': {
    'a valid request is rejected': (of) =>
      Object.assign(first(of, 'read'), ordinary.refusal('INVALID_API_KEY', 401)),
    'every cancellation is rejected': (round) => {
      for (let count = 0; count < 50; count += 1)
        ordinary.call(round, 20, { what: 'cancel', path: '/api/v1/dev/x', ...notFound })
    },
  },
  'right.kept': {
    'a viewer makes a change': (round) =>
      ordinary.call(round, 20, { ...ordinary.staff, what: 'overreach', path: '/admin/x' }),
  },
  'clean-up.bounded': {
    'a recent product is missing': (round) => {
      const response = ordinary.good({ items: [{ _id: 'gone', sandbox: true, createdAt: iso(1) }] })
      ordinary.call(round, 20, { what: 'product.list', path: '/api/v1/dev/x', response })
    },
  },
}

const dataIn = ({ response }: Call): unknown => (response as { data: unknown }).data
const itemsIn = (list: Call): object[] => (dataIn(list) as { items: object[] }).items
const change = (thing: { body: string }, from: string, to: string): unknown =>
  (thing.body = thing.body.replace(from, to))

describe("The fault run's checker", () => {
  it('accepts a history in which nothing unusual happened', () =>
    expect(checkEvidence(ordinary.ordinaryRound())).to.deep.equal([]))

  for (const [promise, histories] of Object.entries(broken))
    for (const [what, make] of Object.entries(histories))
      it(`reports ${promise} as broken if ${what}`, () => {
        const round = ordinary.ordinaryRound()
        make(round)
        expect([...brokenIn(round)]).to.include(promise)
        const unread = checkEvidence(round).filter(({ message }) => message.startsWith('cannot be'))
        expect(unread).to.deep.equal([])
      })

  it("reports documents that it can't check, and still checks all others", () => {
    const round = ordinary.ordinaryRound()
    round.ends.push({ at: at(3), process: 'web-1', message: 'it ended with 1' })
    for (const intent of round.dump.intents) Object.assign(intent, { refunds: null })
    expect([...brokenIn(round)]).to.include.members(['process.lives', 'refund.bounded'])
  })

  it('excuses a delay that a service fault or a busy machine explains, but not one during an endpoint fault', () => {
    const late = (what: string, from: number, to: number): boolean => {
      const round = ordinary.ordinaryRound()
      deliveryOf(round, 'payment.expired').createdAt += 30_000
      fault(round, what, from, to)
      return brokenIn(round).has('expiry.prompt')
    }
    expect(late('endpoint.behaviour', 30, 40)).to.equal(true)
    expect(late('process.kill', 30, 34)).to.equal(false)
    expect(late('process.kill', 0, 10)).to.equal(true)
    expect(late('machine.busy', 50, 180)).to.equal(false)
  })

  it('checks the evidence in a folder', async () => {
    const folder = temporaryFolder()
    const write = (file: string, lines: unknown[]) =>
      writeFileSync(join(folder, file), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const { setting, calls, arrivals, dump } = ordinary.ordinaryRound()
    mkdirSync(join(folder, files.dump))
    mkdirSync(join(folder, files.log))
    writeFileSync(join(folder, files.setting), JSON.stringify(setting))
    write(files.calls, calls)
    write(files.arrivals, arrivals)
    for (const [name, documents] of Object.entries(dump)) write(`${files.dump}/${name}.ndjson`, documents)
    expect((await check(folder)).violations).to.deep.equal([])
    write(`${files.log}/web-1.log`, [{ msg: 'http.request', pin: 'it is 918273' }])
    expect((await check(folder)).violations).to.have.lengthOf(1)
  })
})
