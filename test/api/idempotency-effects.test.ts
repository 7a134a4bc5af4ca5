import { expect } from 'chai'
import type { AuditAction } from '../../src/audit/acts.ts'
import type { Batcher } from '../../src/mongo/batchers.ts'
import type { Wallet, WalletOutcome } from '../../src/wallets/wallet.ts'
import type { RequeuePlan } from '../../src/webhooks/deliveries/requeue-plan.ts'
import { attempt, createIntent, storedDelivery, subscribe } from '../support/actions.ts'
import { deadDeliveries } from '../support/dead-deliveries.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { createGate, type Gate } from '../support/gate.ts'
import { refund as refundOnce, simulate, storedIntent } from '../support/pay.ts'
import {
  loseResponses,
  type Service,
  withMerchantPerTest,
  withSecondProcess,
  withService,
} from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

const api = '/api/v1/dev'
const [minute, day] = [60_000, 24 * 3_600_000]

interface Act<Effects = number> {
  path: string
  body: object
  status: number
  effects(): Promise<Effects>
  later: { status: number; effects: Effects }
}

type HeldBatcher = 'insertIntent' | 'updateIntent' | 'insertResponse'

type Method = 'post' | 'put' | 'delete'
type Response = { status: number; text: string; headers: Record<string, string> }

const replayed = ({ headers }: Response) => headers['idempotent-replayed'] === 'true'

function expectSame(responses: Response[], status: number): void {
  const [first, ...more] = new Set(responses.map((each) => `${each.status} ${each.text}`))
  expect(more, first).to.deep.equal([])
  expect(responses[0]?.status, first).to.equal(status)
  expect(responses.filter(replayed)).to.have.length(responses.length - 1)
}

const sendText = (at: Service, method: Method, path: string, headers: object, text: string) =>
  at.http[method](`${api}${path}`)
    .set({ 'Content-Type': 'application/json', ...headers })
    .send(text)
    .then((response) => response)

function withCleanUps(): (() => unknown)[] {
  const cleanUps: (() => unknown)[] = []
  afterEach(() => {
    for (const cleanUp of cleanUps.splice(0)) cleanUp()
  })
  return cleanUps
}

describe('A write to a payment intent', () => {
  const service = withService()
  const beside = withSecondProcess(service)
  const merchant = withMerchantPerTest(service)
  const cleanUps = withCleanUps()
  beforeEach(() => loseResponses(service))

  const send = (act: Act, key = 'one', body: string = JSON.stringify(act.body), at: Service = service) =>
    sendText(at, 'post', act.path, merchant.write(key), body)
  const rows = () => service.deps.StoredResponse.find().lean()
  const pendingIntent = async () => (await createIntent(service, merchant, { amount: 100 })).referenceNumber

  async function onIntent(
    action: string,
    list: 'marks' | 'attempts' | 'refunds',
    rest: Pick<Act, 'body' | 'status' | 'later'>,
    reference?: string,
  ): Promise<Act> {
    const own = reference ?? (await pendingIntent())
    const effects = async () => (await storedIntent(service, own))[list].length
    return { path: `/intents/${own}/${action}`, effects, ...rest }
  }
  const refusedLater = { status: 400, effects: 1 }

  const acts = {
    create: async (): Promise<Act> => ({
      path: '/intents',
      body: { amount: 5 },
      status: 201,
      effects: () => service.deps.Intent.countDocuments({ businessId: merchant.businessId }),
      later: { status: 201, effects: 2 },
    }),
    cancel: (reference?: string) =>
      onIntent('cancel', 'marks', { body: {}, status: 200, later: refusedLater }, reference),
    'simulated payment': () =>
      onIntent('simulate-payment', 'attempts', { body: {}, status: 200, later: refusedLater }),
    'declined simulation'() {
      const body = { outcome: 'technical_error' }
      return onIntent('simulate-payment', 'attempts', { body, status: 402, later: refusedLater })
    },
    async refund() {
      const reference = await pendingIntent()
      await simulate(service, merchant, reference)
      await loseResponses(service)
      const later = { status: 200, effects: 2 }
      return onIntent('refund', 'refunds', { body: { amount: 10 }, status: 200, later }, reference)
    },
  }

  function hold(name: HeldBatcher, count = 1) {
    const { batchers } = service.deps
    const batcher = batchers[name] as Batcher<unknown, unknown>
    const { passed, open } = createGate()
    let arrived = 0
    const held: Batcher<unknown, unknown> = async (...args) => {
      arrived += 1
      if (arrived <= count) await passed
      return batcher(...args)
    }
    Object.assign(batchers, { [name]: held })
    cleanUps.push(open, () => Object.assign(batchers, { [name]: batcher }))
    return { arrived: () => arrived, open }
  }

  for (const [name, ready] of Object.entries(acts)) {
    const isStored = name !== 'create'
    const written = name === 'create' ? 'insertIntent' : 'updateIntent'

    it(`takes effect once even if all requests read before any of them writes: ${name}`, async () => {
      const act = await ready()
      // Otherwise the two processes would read different times.
      service.clock.freeze(new Date())
      cleanUps.push(() => service.clock.freeze(null))
      const { arrived, open } = hold(written, 3)
      const sent = [send(act), send(act), send(act)]
      await waitFor('all to be about to write', () => arrived() === 3)
      open()
      expectSame(await Promise.all(sent), act.status)
      expect([await act.effects(), (await rows()).length]).to.deep.equal([1, isStored ? 1 : 0])
    })

    it(`is recognised by a retry even if its process died before storing the response: ${name}`, async () => {
      const act = await ready()
      const first = await send(act)
      await loseResponses(service)
      const found = await send(act)
      expect([found.status, replayed(found)]).to.deep.equal([act.status, true])
      const withoutId = (text: string) => text.replace(/"requestId":"[^"]+"/, '')
      expect(withoutId(found.text)).to.equal(withoutId(first.text))
      expect(await rows()).to.have.length(isStored ? 1 : 0)
      expect((await send(act)).text).to.equal(found.text)
      expect(await act.effects()).to.equal(1)
    })
    const itIfStored = isStored ? it : () => undefined
    itIfStored(`is not acknowledged before its response is stored: ${name}`, async () => {
      const act = await ready()
      const { insertResponse } = service.deps.batchers
      cleanUps.push(() => Object.assign(service.deps.batchers, { insertResponse }))
      service.deps.batchers.insertResponse = () =>
        Promise.reject(new service.deps.mongo.base.mongo.MongoNetworkError('lost'))
      expect((await send(act)).status).to.equal(503)
      service.deps.batchers.insertResponse = insertResponse
      const found = await send(act)
      expect([found.status, replayed(found), await act.effects()]).to.deep.equal([act.status, true, 1])
    })

    it(`is recognised by a retry with an unreadable body or different parameters: ${name}`, async () => {
      const act = await ready()
      await send(act)
      for (const body of ['{"amount":', '{"label":7,"amount":true}']) {
        await loseResponses(service)
        const found = await send(act, 'one', body)
        expect([found.status, replayed(found)], body).to.deep.equal([act.status, true])
        expect(found.headers['idempotent-params-mismatch']).to.equal(name === 'cancel' ? undefined : 'true')
      }
      expect(await act.effects()).to.equal(1)
    })

    it(`can run again with the same key after 24 hours, even before the clean-up: ${name}`, async () => {
      const act = await ready()
      const first = await send(act)
      service.clock.advance(day - minute)
      expect((await send(act)).text).to.equal(first.text)
      service.clock.advance(minute + 1)
      const next = await send(act)
      expect([next.status, replayed(next)], next.text).to.deep.equal([act.later.status, false])
      expect((await send(act)).text).to.equal(next.text)
      expect(await act.effects()).to.equal(act.later.effects)
    })
    // A cancel ignores its body, so no duplicate of it can be refused.
    if (name === 'cancel') continue

    it(`takes effect and its response is kept, even if a concurrent duplicate is refused: ${name}`, async () => {
      const act = await ready()
      const { arrived, open } = hold(written)
      const first = send(act)
      await waitFor('the first to be about to write', () => arrived() === 1)
      const refused = await send(act, 'one', '{"amount":"x","outcome":7}')
      expect(refused.status).to.equal(400)
      expect(await rows()).to.have.length(1)
      open()
      const one = await first
      expect([one.status, replayed(one)]).to.deep.equal([act.status, false])
      const again = await send(act)
      expect([again.status, again.text, replayed(again)]).to.deep.equal([act.status, one.text, true])
      expect((await rows()).map(({ refusal }) => refusal)).to.deep.equal([false])
      expect(await act.effects()).to.equal(1)
    })

    it(`gives its response to a concurrent duplicate whose refusal is stored later: ${name}`, async () => {
      const act = await ready()
      const { arrived, open } = hold('insertResponse')
      const refused = send(act, 'one', '{"amount":"x","outcome":7}')
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
    cleanUps.push(() => service.clock.freeze(null))
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
      const { named } = service.deps.wallets
      service.deps.wallets.named = () => wallet
      cleanUps.push(() => Object.assign(service.deps.wallets, { named }))
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
      await waitFor('the twin to wait', () => service.deps.capacity.held('twins', merchant.businessId) === 1)
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

    it('never blocks a refund or a cancellation when payments have recorded too many keys', async () => {
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

describe('A retry of webhook deliveries through the API', () => {
  const service = withService()
  const merchant = withMerchantPerTest(service)
  const failing = withEndpointServer()
  let endpointId: string
  before(() => failing.respondWith((res) => void res.writeHead(500).end()))
  beforeEach(async () => {
    ;({ id: endpointId } = await subscribe(service, merchant, failing.url))
    await loseResponses(service)
  })
  const rows = () => service.deps.StoredResponse.find().lean()

  async function ready(isByFilter: boolean) {
    const [delivery = expect.fail()] = await deadDeliveries(service, merchant, 1)
    const path = isByFilter ? 'events/retry' : `events/${delivery._id}/retry`
    const write = JSON.stringify(isByFilter ? { endpointId } : {})
    const send = (body = write) => sendText(service, 'post', `/webhooks/${path}`, merchant.write('one'), body)
    async function effects() {
      const { requeues } = await storedDelivery(service, delivery)
      const act = { businessId: merchant.businessId, act: 'delivery.requeued' } as const
      return [requeues, await service.deps.AuditEvent.countDocuments(act)]
    }
    return { delivery, send, effects }
  }
  const lastPlan = () => service.deps.RequeuePlan.findOne({}).sort({ at: -1 }).orFail().lean<RequeuePlan>()

  for (const isByFilter of [false, true]) {
    const name = isByFilter ? 'by filter' : 'of one delivery'

    it(`takes effect once and returns the same bytes to five concurrent requests: ${name}`, async () => {
      const { send, effects } = await ready(isByFilter)
      const responses = await Promise.all(Array.from({ length: 5 }, () => send()))
      expectSame(responses, 200)
      expect(responses[0]?.text).to.match(isByFilter ? /"requeued":1/ : /"retried":true/)
      expect([await effects(), (await rows()).length]).to.deep.equal([[1, 1], 1])
    })

    it(`is continued by a repeated request if its process died after any of its writes: ${name}`, async () => {
      const { send, effects, delivery } = await ready(isByFilter)
      const { collection } = service.deps.Delivery
      const { bulkWrite } = collection
      collection.bulkWrite = () => Promise.reject(new service.deps.mongo.base.mongo.MongoNetworkError('lost'))
      expect((await send()).status).to.equal(503)
      collection.bulkWrite = bulkWrite
      const planned = await lastPlan()
      expect([planned.deliveries.length, await effects()]).to.deep.equal([1, [0, 1]])
      const found = await send()
      expect([found.status, replayed(found), await effects()]).to.deep.equal([200, true, [1, 1]])
      expect(found.text).to.match(isByFilter ? /"requeued":1/ : /"retried":true/)
      // As if the process had died before marking the plan as done, with the attempt failed by then.
      await attempt(service.deps, delivery._id)
      expect((await storedDelivery(service, delivery)).status).to.equal('DEAD')
      await loseResponses(service)
      const { _id, deliveries } = planned
      await service.deps.RequeuePlan.updateOne({ _id }, { $set: { deliveries } })
      const later = await send()
      expect([later.status, replayed(later), await effects()]).to.deep.equal([200, true, [1, 1]])
      expect((await send()).text).to.equal(later.text)
      expect((await lastPlan()).deliveries).to.deep.equal([])
    })

    it(`is recognised in a repeated request with different parameters or an unreadable body: ${name}`, async () => {
      const { send, effects } = await ready(isByFilter)
      const first = await send()
      for (const body of ['{"status":["DEAD","CANCELLED"]}', '{"status":7}', '{"status":']) {
        await loseResponses(service)
        const found = await send(body)
        expect([found.status, found.text, replayed(found)], body).to.deep.equal([200, first.text, true])
        expect(found.headers['idempotent-params-mismatch']).to.equal(isByFilter ? 'true' : undefined)
      }
      expect(await effects()).to.deep.equal([1, 1])
    })

    it(`can be repeated with the same key after 24 hours: ${name}`, async () => {
      const { send, effects, delivery } = await ready(isByFilter)
      const first = await send()
      await attempt(service.deps, delivery._id)
      service.clock.advance(day - minute)
      expect((await send()).text).to.equal(first.text)
      service.clock.advance(minute + 1)
      const next = await send()
      expect([next.status, replayed(next), await effects()]).to.deep.equal([200, false, [2, 2]])
      expect((await send()).text).to.equal(next.text)
    })

    it(`re-queues nothing for a concurrent duplicate if the first request found nothing: ${name}`, async () => {
      const { send, effects, delivery } = await ready(isByFilter)
      const become = (status: 'DELIVERED' | 'DEAD') =>
        service.deps.Delivery.updateOne({ _id: delivery._id }, { $set: { status } })
      await become('DELIVERED')
      const unchanged = await send()
      expect([unchanged.status, replayed(unchanged), await effects()]).to.deep.equal([200, false, [0, 0]])
      expect((await send()).text).to.equal(unchanged.text)
      // The duplicate looked for the response before it was stored.
      await loseResponses(service)
      await become('DEAD')
      const twin = await send()
      expect([twin.status, replayed(twin), await effects()]).to.deep.equal([200, true, [0, 0]])
      expect(twin.text).to.match(isByFilter ? /"requeued":0/ : /"retried":false,"reason":"delivered"/)
      expect((await send()).text).to.equal(twin.text)
    })
  }
})

describe('An endpoint change or a replay', () => {
  const service = withService()
  const beside = withSecondProcess(service)
  const merchant = withMerchantPerTest(service)
  const cleanUps = withCleanUps()
  /** `effects` counts the objects and audit lines of the change. */
  interface Change extends Act<[number, number]> {
    method: Method
    /** A body that is refused, or null if the operation ignores it. */
    wrong: object | null
  }

  const send = ({ method, path, body }: Change, { at = service, text = JSON.stringify(body) } = {}) =>
    sendText(at, method, `/webhooks/endpoints${path}`, merchant.write('one'), text)
  const ownRows = () => service.deps.StoredResponse.find({ _id: { $nin: [...others] } }).lean()
  const others = new Set<string>()
  const lines = (act: AuditAction) => {
    const { businessId } = merchant
    return service.deps.AuditEvent.countDocuments({ businessId, act, 'after.times': { $exists: false } })
  }

  const advance = (ms: number) => {
    for (const { clock } of [service, beside]) clock.advance(ms)
  }
  const url = 'https://shop.example/hook'
  const endpoint = async () => (await subscribe(service, merchant, url, ['payment.created'])).id
  const wrong = { events: ['unknown'], from: 'never' }

  const changeOf = (
    path: string,
    act: AuditAction,
    count: () => Promise<number>,
    rest: Partial<Change> & Pick<Change, 'later'>,
  ): Change => {
    const effects = async (): Promise<[number, number]> => [await count(), await lines(act)]
    return { method: 'post', path, body: {}, wrong: null, status: 200, effects, ...rest }
  }
  const endpointsWith = (filter: object) => () => service.deps.Endpoint.countDocuments(filter)
  const replaysWith = (filter: object) => () => service.deps.Replay.countDocuments(filter)
  const since = { from: '2026-01-01' }

  const changes: Record<string, () => Promise<Change>> = {
    'new endpoint': async () =>
      changeOf('', 'endpoint.created', endpointsWith({ businessId: merchant.businessId }), {
        body: { url, events: ['payment.created'] },
        wrong,
        status: 201,
        later: { status: 201, effects: [2, 2] },
      }),
    async 'changed endpoint'() {
      const [_id, events] = [await endpoint(), 'payment.expired']
      return changeOf(`/${_id}`, 'endpoint.changed', endpointsWith({ _id, events }), {
        method: 'put',
        body: { events: [events] },
        wrong,
        later: { status: 200, effects: [1, 1] },
      })
    },
    async 'rotated secret'() {
      const id = await endpoint()
      const secrets = async () =>
        (await service.deps.Endpoint.findById(id).orFail().lean()).previousSecrets.length
      const later: Change['later'] = { status: 200, effects: [2, 2] }
      return changeOf(`/${id}/rotate-secret`, 'endpoint.secret-rotated', secrets, { later })
    },
    async 'deleted endpoint'() {
      const _id = await endpoint()
      return changeOf(`/${_id}`, 'endpoint.deleted', endpointsWith({ _id, slot: { $exists: false } }), {
        method: 'delete',
        later: { status: 404, effects: [1, 1] },
      })
    },
    async 'new replay'() {
      const endpointId = await endpoint()
      return changeOf(`/${endpointId}/replay`, 'endpoint.replayed', replaysWith({ endpointId }), {
        body: since,
        wrong,
        status: 201,
        // The first one is still running.
        later: { status: 429, effects: [1, 1] },
      })
    },
    async 'cancelled replay'() {
      const path = `/${await endpoint()}/replay`
      const at = `/webhooks/endpoints${path}`
      const started = await sendText(service, 'post', at, merchant.write(), JSON.stringify(since))
      for (const row of await service.deps.StoredResponse.find().lean()) others.add(row._id)
      const { id: _id } = started.body.data
      const cancelled = replaysWith({ _id, status: 'CANCELLED' })
      const later: Change['later'] = { status: 200, effects: [1, 1] }
      return changeOf(`${path}s/${_id}/cancel`, 'endpoint.replay-cancelled', cancelled, { later })
    },
  }

  function holdTransactions({ deps: { transactions } }: Service, gate: Gate): () => number {
    const { oneAtATime } = transactions
    const keys: string[] = []
    transactions.oneAtATime = async (key, run) => {
      keys.push(key)
      await gate.passed
      return oneAtATime(key, run)
    }
    cleanUps.push(() => {
      transactions.oneAtATime = oneAtATime
      gate.open()
    })
    return () => keys.length
  }

  for (const [name, ready] of Object.entries(changes)) {
    it(`takes effect once even if all requests look for a stored response before any of them writes: ${name}`, async () => {
      const change = await ready()
      const before = (await ownRows()).length
      const gate = createGate()
      const [here, there] = [holdTransactions(service, gate), holdTransactions(beside, gate)]
      const sent = [send(change), send(change), send(change, { at: beside })]
      await waitFor('all to be about to write', () => here() === 2 && there() === 1)
      gate.open()
      expectSame(await Promise.all(sent), change.status)
      expect([await change.effects(), (await ownRows()).length - before]).to.deep.equal([[1, 1], 1])
    })

    it(`gives its response to a concurrent duplicate even if a majority read doesn't see it yet: ${name}`, async () => {
      const change = await ready()
      const first = await send(change)
      const { batchers } = service.deps
      const { findResponse } = batchers
      cleanUps.push(() => Object.assign(batchers, { findResponse }))
      let hidden = 3
      batchers.findResponse = async (...args) => {
        hidden -= 1
        return hidden < 0 ? findResponse(...args) : null
      }
      const twin = await send(change)
      expect([twin.status, twin.text, replayed(twin)]).to.deep.equal([change.status, first.text, true])
      expect(await change.effects()).to.deep.equal([1, 1])
    })

    it(`leaves nothing behind and can be retried if its audit line or response can't be written: ${name}`, async () => {
      const change = await ready()
      const { AuditEvent, StoredResponse, mongo } = service.deps
      for (const [collection, write] of [
        [AuditEvent.collection, 'insertMany'],
        [StoredResponse.collection, 'replaceOne'],
      ] as const) {
        const fail = () => Promise.reject(new mongo.base.mongo.MongoNetworkError('lost'))
        Object.assign(collection, { [write]: fail })
        expect((await send(change)).status).to.equal(503)
        Reflect.deleteProperty(collection, write)
        expect(await change.effects()).to.deep.equal([0, 0])
      }
      const first = await send(change)
      expect([first.status, replayed(first)]).to.deep.equal([change.status, false])
      expect(await change.effects()).to.deep.equal([1, 1])
    })

    it(`repeats its first response to an unreadable body or different parameters: ${name}`, async () => {
      const change = await ready()
      const first = await send(change)
      for (const text of ['{"url":', '{"url":7,"from":7}']) {
        const found = await send(change, { text })
        expect([found.text, replayed(found)], text).to.deep.equal([first.text, true])
        const mismatch = change.wrong === null ? undefined : 'true'
        expect(found.headers['idempotent-params-mismatch']).to.equal(mismatch)
      }
      expect(await change.effects()).to.deep.equal([1, 1])
    })

    it(`can run again with the same key after 24 hours, even before the clean-up: ${name}`, async () => {
      const change = await ready()
      const first = await send(change)
      advance(day - minute)
      expect((await send(change)).text).to.equal(first.text)
      advance(minute + 1)
      const next = await send(change)
      expect([next.status, replayed(next)], next.text).to.deep.equal([change.later.status, false])
      if (next.status !== 429) expect((await send(change)).text).to.equal(next.text)
      expect(await change.effects()).to.deep.equal(change.later.effects)
    })

    it(`does not take effect once a concurrent duplicate has been refused: ${name}`, async () => {
      const change = await ready()
      if (change.wrong === null) return
      const gate = createGate()
      const arrived = holdTransactions(service, gate)
      const first = send(change)
      await waitFor('the first to be about to write', () => arrived() === 1)
      const refused = await send(change, { text: JSON.stringify(change.wrong) })
      expect(refused.status).to.equal(400)
      gate.open()
      const one = await first
      expect([one.status, one.text, replayed(one)]).to.deep.equal([400, refused.text, true])
      expect(await change.effects()).to.deep.equal([0, 0])
      expect((await send(change)).text).to.equal(refused.text)
    })
  }
})
