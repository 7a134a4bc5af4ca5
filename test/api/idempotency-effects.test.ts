import type { AuditAction } from '../../src/audit/acts.ts'
import type { Wallet, WalletOutcome } from '../../src/wallets/wallet.ts'
import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import type { RequeuePlan } from '../../src/webhooks/deliveries/requeue-plan.ts'
import { attempt, createIntent, storedDelivery, subscribe } from '../support/actions.ts'
import { deadDeliveries } from '../support/dead-deliveries.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { createGate } from '../support/gate.ts'
import { refund as refundOnce, simulate, storedIntent } from '../support/pay.ts'
import { loseResponses, withSecondProcess, withServiceAndMerchantPerTest } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

const [minute, day] = [60_000, 24 * 3_600_000]

interface Act {
  path: string
  method?: 'post' | 'put' | 'delete'
  body: object
  /** A body that is refused. Without one, the operation ignores its body. */
  wrong?: object
  status: number
  /** How often it has changed its object and written its audit line. An array if these differ. */
  effects(): Promise<number | number[]>
  /** What the same request does a day later. */
  later: { status: number; effects: number }
}
interface Retry extends Act {
  delivery: Delivery
}
type Response = { status: number; text: string; headers: Record<string, string> }
type Acts<Some extends Act = Act> = Record<string, () => Promise<Some>>

const replayed = ({ headers }: Response) => headers['idempotent-replayed'] === 'true'
const agreed = (one: number, other: number) => (one === other ? one : [one, other])
const withoutId = ({ text }: Response) => text.replace(/"requestId":"[^"]+"/, '')

function expectSame(responses: Response[], status: number): void {
  const [first, ...more] = new Set(responses.map((each) => `${each.status} ${each.text}`))
  expect(more, first).to.deep.equal([])
  expect(responses[0]?.status, first).to.equal(status)
  expect(responses.filter(replayed)).to.have.length(responses.length - 1)
}

describe('A write', () => {
  const { service, merchant } = withServiceAndMerchantPerTest()
  const beside = withSecondProcess(service)
  const failing = withEndpointServer()
  const cleanUps: (() => unknown)[] = []
  before(() => failing.respondWith((res) => void res.writeHead(500).end()))
  beforeEach(() => loseResponses(service))
  afterEach(() => {
    for (const cleanUp of cleanUps.splice(0)) cleanUp()
    for (const { clock } of [service, beside]) clock.freeze(null)
  })

  const send = (
    { method = 'post', path, body }: Pick<Act, 'method' | 'path' | 'body'>,
    key = 'one',
    text = JSON.stringify(body),
    at = service,
  ) =>
    at.http[method](`/api/v1/dev${path}`)
      .set({ 'Content-Type': 'application/json', ...merchant.write(key) })
      .send(text)
      .then((response) => response)
  const rows = () => service.deps.StoredResponse.find().lean()
  const pendingIntent = async () => (await createIntent(service, merchant, { amount: 100 })).referenceNumber
  const linesOf = (act: AuditAction) => {
    const { businessId } = merchant
    return service.deps.AuditEvent.countDocuments({ businessId, act, 'after.times': { $exists: false } })
  }
  const lost = () => Promise.reject(new service.deps.mongo.base.mongo.MongoNetworkError('lost'))
  function replaceForTest<Of extends object>(on: Of, replacement: Partial<Of>): () => void {
    const original = { ...on }
    const restore = () => void Object.assign(on, original)
    Object.assign(on, replacement)
    cleanUps.push(restore)
    return restore
  }

  /** Holds the first calls of a function until the gate opens. */
  function hold<Name extends string>(on: Record<Name, (...args: never[]) => unknown>, name: Name, count = 1) {
    const { [name]: original } = on
    const { passed, open } = createGate()
    let arrived = 0
    cleanUps.push(open, () => Object.assign(on, { [name]: original }))
    const held = async (...args: never[]) => {
      arrived += 1
      if (arrived <= count) await passed
      return original(...args)
    }
    Object.assign(on, { [name]: held })
    return { arrived: () => arrived, open }
  }

  async function onIntent(
    action: string,
    list: 'marks' | 'attempts' | 'refunds',
    rest: Pick<Act, 'body' | 'status'> & Partial<Act>,
    reference?: string,
  ): Promise<Act> {
    const own = reference ?? (await pendingIntent())
    const effects = async () => (await storedIntent(service, own))[list].length
    const later = { status: 400, effects: 1 }
    const refusable = action === 'cancel' ? {} : { wrong }
    return { path: `/intents/${own}/${action}`, ...refusable, effects, later, ...rest }
  }
  const wrong = { amount: 'x', outcome: 7, events: ['unknown'], from: 'never' }
  const acts = {
    create: async (): Promise<Act> => ({
      path: '/intents',
      body: { amount: 5 },
      wrong,
      status: 201,
      effects: () => service.deps.Intent.countDocuments({ businessId: merchant.businessId }),
      later: { status: 201, effects: 2 },
    }),
    cancel: (reference?: string) => onIntent('cancel', 'marks', { body: {}, status: 200 }, reference),
    'simulated payment': () => onIntent('simulate-payment', 'attempts', { body: {}, status: 200 }),
    'declined simulation': () =>
      onIntent('simulate-payment', 'attempts', { body: { outcome: 'technical_error' }, status: 402 }),
    async refund() {
      const reference = await pendingIntent()
      await simulate(service, merchant, reference)
      await loseResponses(service)
      const later = { status: 200, effects: 2 }
      return onIntent('refund', 'refunds', { body: { amount: 10 }, status: 200, later }, reference)
    },
  } satisfies Acts

  async function retryOf(isByFilter: boolean): Promise<Retry> {
    const { id: endpointId } = await subscribe(service, merchant, failing.url)
    const [delivery = expect.fail()] = await deadDeliveries(service, merchant, 1)
    await loseResponses(service)
    return {
      delivery,
      path: `/webhooks/events${isByFilter ? '' : `/${delivery._id}`}/retry`,
      body: isByFilter ? { endpointId } : {},
      ...(isByFilter && { wrong: { status: 7 } }),
      status: 200,
      async effects() {
        return agreed((await storedDelivery(service, delivery)).requeues, await linesOf('delivery.requeued'))
      },
      later: { status: 200, effects: 2 },
    }
  }
  const retries: Acts<Retry> = {
    'retry of one delivery': () => retryOf(false),
    'retry by filter': () => retryOf(true),
  }
  const url = 'https://shop.example/hook'
  async function endpoint(): Promise<string> {
    const { id } = await subscribe(service, merchant, url, ['payment.created'])
    await loseResponses(service)
    return id
  }
  const changeOf = (
    path: string,
    act: AuditAction,
    count: () => Promise<number>,
    rest: Partial<Act> & Pick<Act, 'later'>,
  ): Act => {
    const effects = async () => agreed(await count(), await linesOf(act))
    return { path: `/webhooks/endpoints${path}`, body: {}, status: 200, effects, ...rest }
  }
  const endpointsWith = (filter: object) => () => service.deps.Endpoint.countDocuments(filter)
  const replaysWith = (filter: object) => () => service.deps.Replay.countDocuments(filter)
  const since = { from: '2026-01-01' }
  const changes: Acts = {
    'new endpoint': async () =>
      changeOf('', 'endpoint.created', endpointsWith({ businessId: merchant.businessId }), {
        body: { url, events: ['payment.created'] },
        wrong,
        status: 201,
        later: { status: 201, effects: 2 },
      }),
    async 'changed endpoint'() {
      const [_id, events] = [await endpoint(), 'payment.expired']
      return changeOf(`/${_id}`, 'endpoint.changed', endpointsWith({ _id, events }), {
        method: 'put',
        body: { events: [events] },
        wrong,
        later: { status: 200, effects: 1 },
      })
    },
    async 'rotated secret'() {
      const id = await endpoint()
      const secrets = async () =>
        (await service.deps.Endpoint.findById(id).orFail().lean()).previousSecrets.length
      const later = { status: 200, effects: 2 }
      return changeOf(`/${id}/rotate-secret`, 'endpoint.secret-rotated', secrets, { later })
    },
    async 'deleted endpoint'() {
      const _id = await endpoint()
      const later = { status: 404, effects: 1 }
      const deleted = endpointsWith({ _id, slot: { $exists: false } })
      return changeOf(`/${_id}`, 'endpoint.deleted', deleted, { method: 'delete', later })
    },
    async 'new replay'() {
      const endpointId = await endpoint()
      // The first one is still running.
      const later = { status: 429, effects: 1 }
      const rest = { body: since, wrong, status: 201, later }
      return changeOf(`/${endpointId}/replay`, 'endpoint.replayed', replaysWith({ endpointId }), rest)
    },
    async 'cancelled replay'() {
      const path = `/${await endpoint()}/replay`
      const { id: _id } = (await send({ path: `/webhooks/endpoints${path}`, body: since }, 'start')).body.data
      await loseResponses(service)
      const later = { status: 200, effects: 1 }
      const cancelled = replaysWith({ _id, status: 'CANCELLED' })
      return changeOf(`${path}s/${_id}/cancel`, 'endpoint.replay-cancelled', cancelled, { later })
    },
  }

  for (const [name, ready] of Object.entries<() => Promise<Act>>({ ...acts, ...retries, ...changes })) {
    it(`is not repeated by a retry with an unreadable body or different parameters: ${name}`, async () => {
      const act = await ready()
      const first = await send(act)
      const other = '{"status":7,"url":7,"from":7,"label":7,"amount":true}'
      for (const body of ['{"amount":', other, '{"status":["DEAD","CANCELLED"]}']) {
        if (!(name in changes)) await loseResponses(service)
        const found = await send(act, 'one', body)
        expect([found.status, withoutId(found), replayed(found)], body).to.deep.equal([
          act.status,
          withoutId(first),
          true,
        ])
        const mismatch = act.wrong === undefined ? undefined : 'true'
        expect(found.headers['idempotent-params-mismatch']).to.equal(mismatch)
      }
      expect(await act.effects()).to.equal(1)
    })

    it(`can run again with the same key after 24 hours, even before the clean-up: ${name}`, async () => {
      const act = await ready()
      const advance = (ms: number) => {
        for (const { clock } of [service, beside]) clock.advance(ms)
      }
      const first = await send(act)
      if ('delivery' in act) await attempt(service.deps, (act as Retry).delivery._id)
      advance(day - minute)
      expect((await send(act)).text).to.equal(first.text)
      advance(minute + 1)
      const next = await send(act)
      expect([next.status, replayed(next)], next.text).to.deep.equal([act.later.status, false])
      if (next.status !== 429) expect((await send(act)).text).to.equal(next.text)
      expect(await act.effects()).to.equal(act.later.effects)
    })
  }

  for (const [name, ready] of Object.entries<() => Promise<Act>>({ ...acts, ...changes }))
    it(`takes effect once even if all requests look for a response before any of them writes: ${name}`, async () => {
      const act = await ready()
      // Otherwise the requests would read different times.
      for (const { clock } of [service, beside]) clock.freeze(service.clock.now())
      const isIntent = name in acts
      const written = name === 'create' ? 'insertIntent' : 'updateIntent'
      const held = (at: typeof service, count: number) =>
        isIntent ? hold(at.deps.batchers, written, count) : hold(at.deps.transactions, 'oneAtATime', count)
      const [here, there] = [held(service, 3), held(beside, 3)]
      const sent = [send(act), send(act), send(act, 'one', undefined, isIntent ? service : beside)]
      await waitFor('all to be about to write', () => here.arrived() + there.arrived() === 3)
      here.open()
      there.open()
      expectSame(await Promise.all(sent), act.status)
      expect([await act.effects(), (await rows()).length]).to.deep.equal([1, name === 'create' ? 0 : 1])
    })

  describe('to a payment intent', () => {
    for (const [name, ready] of Object.entries<() => Promise<Act>>(acts)) {
      const isStored = name !== 'create'
      const written = name === 'create' ? 'insertIntent' : 'updateIntent'

      it(`is not repeated by a retry, even if the process died before storing the response: ${name}`, async () => {
        const act = await ready()
        const first = await send(act)
        await loseResponses(service)
        const found = await send(act)
        expect([found.status, replayed(found)]).to.deep.equal([act.status, true])
        expect(withoutId(found)).to.equal(withoutId(first))
        expect(await rows()).to.have.length(isStored ? 1 : 0)
        expect((await send(act)).text).to.equal(found.text)
        expect(await act.effects()).to.equal(1)
      })
      const itIfStored = isStored ? it : () => undefined
      itIfStored(`is not acknowledged before its response is stored: ${name}`, async () => {
        const act = await ready()
        const restore = replaceForTest(service.deps.batchers, { insertResponse: lost })
        expect((await send(act)).status).to.equal(503)
        restore()
        const found = await send(act)
        expect([found.status, replayed(found), await act.effects()]).to.deep.equal([act.status, true, 1])
      })
      // A cancel request ignores its body, so no duplicate of it is refused.
      if (name === 'cancel') continue

      it(`takes effect and keeps its response, even if a concurrent duplicate is refused: ${name}`, async () => {
        const act = await ready()
        const { arrived, open } = hold(service.deps.batchers, written)
        const first = send(act)
        await waitFor('the first to be about to write', () => arrived() === 1)
        expect((await send(act, 'one', JSON.stringify(wrong))).status).to.equal(400)
        expect(await rows()).to.have.length(1)
        open()
        const one = await first
        expect([one.status, replayed(one)]).to.deep.equal([act.status, false])
        const again = await send(act)
        expect([again.status, again.text, replayed(again)]).to.deep.equal([act.status, one.text, true])
        expect((await rows()).map(({ refusal }) => refusal)).to.deep.equal([false])
        expect(await act.effects()).to.equal(1)
      })

      it(`gives its response to a concurrent duplicate that was about to be refused: ${name}`, async () => {
        const act = await ready()
        const { arrived, open } = hold(service.deps.batchers, 'insertResponse')
        const refused = send(act, 'one', JSON.stringify(wrong))
        await waitFor('the refusal to be stored', () => arrived() === 1)
        const first = await send(act)
        expect(first.status).to.equal(act.status)
        open()
        const other = await refused
        expect([other.status, replayed(other)]).to.deep.equal([act.status, true])
        if (act.status < 400) expect(other.text).to.equal(first.text)
        expect(await act.effects()).to.equal(1)
      })
    }

    it('takes effect once in 24 hours, even if the clocks of two processes differ by a second', async () => {
      service.clock.freeze(new Date())
      const act = await acts.create()
      const first = await send(act)
      const expiry = service.clock.now().getTime() + day
      service.clock.freeze(new Date(expiry - 500))
      beside.clock.freeze(new Date(expiry + 500))
      expect((await send(act)).text).to.equal(first.text)
      const next = await send(act, 'one', undefined, beside)
      expect([next.status, replayed(next)]).to.deep.equal([201, false])
      for (const at of [service, beside, service])
        expect((await send(act, 'one', undefined, at)).text).to.equal(next.text)
      expect(await act.effects()).to.equal(2)
    })

    describe('that refunds through a wallet', () => {
      const unknown: WalletOutcome = { outcome: 'unknown', why: 'timeout' }
      function wallets(work: Pick<Wallet, 'refund' | 'status'>): string[] {
        const orders: string[] = []
        const wallet: Wallet = {
          name: 'simulation',
          authorise: async () => ({ outcome: 'done' }),
          refund: (order) => (orders.push(order.key), work.refund(order)),
          status: work.status,
        }
        replaceForTest(service.deps.wallets, { named: () => wallet })
        return orders
      }

      async function refundAtGate() {
        const act = await acts.refund()
        const gate = createGate()
        const refund = () => gate.passed.then(() => ({ outcome: 'done' }) as const)
        const orders = wallets({ refund, status: async () => unknown })
        const first = send(act)
        await waitFor('the order', () => orders.length === 1)
        return { act, gate, orders, first }
      }

      it('makes a concurrent duplicate wait and gives it the same outcome', async () => {
        const { act, gate, orders, first } = await refundAtGate()
        const twin = send(act)
        await waitFor(
          'the twin to wait',
          () => service.deps.capacity.held('twins', merchant.businessId) === 1,
        )
        gate.open()
        const [one, two] = await Promise.all([first, twin])
        expect([one.status, two.status, two.text]).to.deep.equal([200, 200, one.text])
        expect([one, two].filter(replayed)).to.have.length(1)
        expect([orders.length, await act.effects()]).to.deep.equal([1, 1])
      })

      it('lets up to 20 duplicates per business wait and returns an in-progress error to others', async () => {
        const { act, gate, first } = await refundAtGate()
        const slots = Array.from({ length: 20 }, () =>
          service.deps.capacity.takeNow([merchant.businessId], { twins: 1 }),
        )
        const { status, body, headers } = await send(act)
        expect([status, body.error.code]).to.deep.equal([409, 'IDEMPOTENCY_REQUEST_IN_PROGRESS'])
        expect(Number(headers['retry-after'])).to.be.greaterThan(0)
        for (const slot of slots) slot?.free()
        gate.open()
        expect((await first).status).to.equal(200)
        expect(replayed(await send(act))).to.equal(true)
      })
    })

    describe('that records its idempotency key in the intent', () => {
      const fill = async (reference: string, count: number, at: Date) => {
        const marks = Array.from({ length: count }, (_, n) => ({ key: `mark ${n}`, paramsHash: '', at }))
        await service.deps.Intent.updateOne({ referenceNumber: reference }, { $set: { marks } })
      }

      it('removes recorded keys that are older than 24 hours', async () => {
        const reference = await pendingIntent()
        await fill(reference, 2000, new Date(service.clock.now().getTime() - day))
        await simulate(service, merchant, reference, { outcome: 'insufficient_funds' })
        expect((await storedIntent(service, reference)).marks).to.have.length(1)
      })

      it('never blocks a refund or a cancellation, even if payments have recorded too many keys', async () => {
        const [paid, cancelled] = [await pendingIntent(), await pendingIntent()]
        await simulate(service, merchant, paid)
        for (const reference of [paid, cancelled]) await fill(reference, 1000, service.clock.now())
        expect(await simulate(service, merchant, cancelled)).to.include({ status: 503 })
        expect(await refundOnce(service, merchant, paid, 10)).to.include({ status: 200 })
        for (const reference of [paid, cancelled]) await fill(reference, 3000, service.clock.now())
        expect(await refundOnce(service, merchant, paid, 10)).to.include({ status: 503 })
        expect((await send(await acts.cancel(cancelled))).status).to.equal(200)
      })
    })

    describe('whose response is stored', () => {
      it('stores no key, code, secret, body or response in plain text', async () => {
        const created = await createIntent(service, merchant, { amount: 5, label: 'visible-label' })
        const cancel = await acts.cancel(created.referenceNumber)
        await send(cancel, 'visible-key')
        await send({ ...cancel, path: '/intents' }, 'visible-key', '{"amount":0,"label":"visible-label"}')
        const stored = await rows()
        expect(stored).to.have.length(2)
        for (const row of stored) {
          expect(row).to.have.all.keys('_id', 'response', 'refusal', 'paramsHash', 'at', 'expiresAt')
          expect(row.response).to.match(/^v1\.[\da-f]{8}\.[\w-]+$/)
        }
        const everything = JSON.stringify(stored)
        for (const secret of [created.code, 'visible-', merchant.key, 'CANCELLED', 'amount'])
          expect(everything).not.to.include(secret)
      })

      it("returns 503 to a retry if the stored response can't be decrypted or belongs to another request", async () => {
        const act = await acts.refund()
        await send(act, 'one')
        await send(act, 'another')
        const [one, another] = await rows()
        const replace = (_id = '', response = '') =>
          service.deps.StoredResponse.updateOne({ _id }, { $set: { response } })
        await replace(one?._id, another?.response)
        await replace(another?._id, 'v1.00000000.AAAA')
        for (const key of ['one', 'another']) expect((await send(act, key)).status).to.equal(503)
        expect(await act.effects()).to.equal(2)
      })
    })
  })

  for (const [name, ready] of Object.entries(retries)) {
    it(`takes effect once and returns the same bytes to five concurrent requests: ${name}`, async () => {
      const act = await ready()
      const responses = await Promise.all(Array.from({ length: 5 }, () => send(act)))
      expectSame(responses, 200)
      expect(responses[0]?.text).to.match(/"requeued":1|"retried":true/)
      expect([await act.effects(), (await rows()).length]).to.deep.equal([1, 1])
    })

    it(`is completed by a repeated request if the process died after any step: ${name}`, async () => {
      const act = await ready()
      const { effects, delivery } = act
      service.deps.Delivery.collection.bulkWrite = lost
      expect((await send(act)).status).to.equal(503)
      Reflect.deleteProperty(service.deps.Delivery.collection, 'bulkWrite')
      const planned = await lastPlan()
      expect([planned.deliveries.length, await effects()]).to.deep.equal([1, [0, 1]])
      const found = await send(act)
      expect([found.status, replayed(found), await effects()]).to.deep.equal([200, true, 1])
      expect(found.text).to.match(/"requeued":1|"retried":true/)
      // As if the process had died before marking the plan as done, and the attempt had failed since.
      await attempt(service.deps, delivery._id)
      expect((await storedDelivery(service, delivery)).status).to.equal('DEAD')
      await loseResponses(service)
      const { _id, deliveries } = planned
      await service.deps.RequeuePlan.updateOne({ _id }, { $set: { deliveries } })
      const later = await send(act)
      expect([later.status, replayed(later), await effects()]).to.deep.equal([200, true, 1])
      expect((await send(act)).text).to.equal(later.text)
      expect((await lastPlan()).deliveries).to.deep.equal([])
    })

    it(`re-queues nothing for a concurrent duplicate if the first request found nothing: ${name}`, async () => {
      const act = await ready()
      const { effects, delivery } = act
      const become = (status: 'DELIVERED' | 'DEAD') =>
        service.deps.Delivery.updateOne({ _id: delivery._id }, { $set: { status } })
      await become('DELIVERED')
      const unchanged = await send(act)
      expect([unchanged.status, replayed(unchanged), await effects()]).to.deep.equal([200, false, 0])
      expect((await send(act)).text).to.equal(unchanged.text)
      // The duplicate looked for the response before it was stored.
      await loseResponses(service)
      await become('DEAD')
      const twin = await send(act)
      expect([twin.status, replayed(twin), await effects()]).to.deep.equal([200, true, 0])
      expect(twin.text).to.match(/"requeued":0|"retried":false,"reason":"delivered"/)
      expect((await send(act)).text).to.equal(twin.text)
    })
  }
  const lastPlan = () => service.deps.RequeuePlan.findOne({}).sort({ at: -1 }).orFail().lean<RequeuePlan>()

  for (const [name, ready] of Object.entries(changes)) {
    it(`gives its response to a concurrent duplicate even if a majority read doesn't see the response yet: ${name}`, async () => {
      const change = await ready()
      const first = await send(change)
      const { batchers } = service.deps
      const { findResponse } = batchers
      let hidden = 3
      replaceForTest(batchers, {
        async findResponse(...args) {
          hidden -= 1
          return hidden < 0 ? findResponse(...args) : null
        },
      })
      const twin = await send(change)
      expect([twin.status, twin.text, replayed(twin)]).to.deep.equal([change.status, first.text, true])
      expect(await change.effects()).to.equal(1)
    })

    it(`leaves nothing behind and can be retried if its audit line or response can't be written: ${name}`, async () => {
      const change = await ready()
      const { AuditEvent, StoredResponse } = service.deps
      for (const [collection, write] of [
        [AuditEvent.collection, 'insertMany'],
        [StoredResponse.collection, 'replaceOne'],
      ] as const) {
        Object.assign(collection, { [write]: lost })
        expect((await send(change)).status).to.equal(503)
        Reflect.deleteProperty(collection, write)
        expect(await change.effects()).to.equal(0)
      }
      const first = await send(change)
      expect([first.status, replayed(first)]).to.deep.equal([change.status, false])
      expect(await change.effects()).to.equal(1)
    })

    it(`does not take effect once a concurrent duplicate has been refused: ${name}`, async () => {
      const change = await ready()
      if (change.wrong === undefined) return
      const { arrived, open } = hold(service.deps.transactions, 'oneAtATime')
      const first = send(change)
      await waitFor('the first to be about to write', () => arrived() === 1)
      const refused = await send(change, 'one', JSON.stringify(change.wrong))
      expect(refused.status).to.equal(400)
      open()
      const one = await first
      expect([one.status, one.text, replayed(one)]).to.deep.equal([400, refused.text, true])
      expect(await change.effects()).to.equal(0)
      expect((await send(change)).text).to.equal(refused.text)
    })
  }
})
