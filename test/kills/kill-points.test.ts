import { expect } from 'chai'
import { expireIntent } from '../../src/intents/expire.ts'
import { relayOutboxes } from '../../src/outbox/relay.ts'
import { wakeDelivery } from '../../src/webhooks/attempts/wake.ts'
import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import type { Endpoint } from '../../src/webhooks/endpoints/endpoint.ts'
import { secretField } from '../../src/webhooks/endpoints/signing-secrets.ts'
import {
  attempt,
  createIntent,
  deliveriesOf,
  freshDelivery,
  outboxEvents,
  relay,
  storedBody,
  subscribe,
} from '../support/actions.ts'
import { closeInBackground } from '../support/closing.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { killAtEveryStep, landDuringRetry, type Operation } from '../support/kill-at-every-step.ts'
import { type Merchant, withService } from '../support/service.ts'
import type { Victim } from '../support/victim.ts'

const dayMs = 86_400_000

type Method = 'POST' | 'PUT' | 'DELETE'

interface Asked {
  merchant: Merchant
  path: string
  body: object
}

describe('A process that is killed between any two steps of a payment', function () {
  this.timeout(60_000)
  const service = withService()
  const endpointServer = withEndpointServer()
  const failing = withEndpointServer()
  before(() => {
    failing.respondWith((res) => void res.writeHead(500).end())
  })
  const closings: Promise<unknown>[] = []
  after(() => closeInBackground(closings))

  const send = (method: Method, origin: string, { path, merchant, body }: Asked) =>
    fetch(`${origin}/api/v1/dev${path}`, {
      method,
      headers: { ...merchant.write('the-same-key'), 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })

  /** A merchant with two endpoints. */
  async function hookedMerchant() {
    const merchant = await service.merchant()
    await Promise.all([
      subscribe(service, merchant, endpointServer.url),
      subscribe(service, merchant, endpointServer.url),
    ])
    return merchant
  }

  /** A merchant with one, and its path. */
  async function soleEndpoint() {
    const merchant = await service.merchant()
    const { id } = await subscribe(service, merchant, endpointServer.url)
    return { merchant, path: `/webhooks/endpoints/${id}` }
  }

  const endpointOf = ({ businessId }: Merchant) =>
    service.deps.Endpoint.findOne({ businessId }).orFail().lean<Endpoint>()

  /** Key, claim, the one write that is the effect, the answer kept. */
  const changing = ['mongodb aggregate', 'mongodb insert', 'mongodb findAndModify', 'mongodb update']

  /** A request that must have one effect and one answer, however often it is sent. */
  interface Request extends Asked {
    answers: string[]
  }

  const request = (status: number, prepare: () => Promise<Asked>, method: Method = 'POST') => ({
    prepare: async (): Promise<Request> => ({ ...(await prepare()), answers: [] }),
    async run(victim: Victim, { answers, ...asked }: Request) {
      const response = await send(method, victim.origin, asked)
      const answer = await response.text()
      // What a process said after its database was gone is no answer that the merchant could go by.
      if (response.status < 500) answers.push(answer)
    },
    async repeat({ answers, ...asked }: Request) {
      const response = await send(method, service.origin, asked)
      answers.push(await response.text())
      expect(response.status, answers.at(-1)).to.equal(status)
      await workThrough(asked.merchant)
    },
  })

  /** Does something as a worker does, which has slots, and waits for the attempts that it began. */
  async function asWorker({ deps }: Victim, act: () => Promise<unknown>) {
    deps.slots.open()
    await act()
    await deps.backgroundWork.ended()
  }

  /** Makes the first attempt at a delivery, as its job would. */
  const attemptFirst = (victim: Victim, { _id }: Delivery) =>
    asWorker(victim, () => wakeDelivery(victim.deps, { deliveryId: _id, attempts: 0, requeues: 0 }))

  /** What the workers do with all that is due. */
  async function workThrough(merchant: Merchant) {
    await relay(service, merchant)
    for (const { _id } of await deliveriesOf(service, merchant)) await attempt(service.deps, _id)
  }

  /** Each of these events reached each of the merchant's endpoints by one delivery, and nothing is left to do. */
  async function expectDelivered(merchant: Merchant, events: string[], label: string) {
    const [made, endpoints] = await Promise.all([
      deliveriesOf(service, merchant),
      service.deps.Endpoint.countDocuments({ businessId: merchant.businessId }),
    ])
    const told = made.map(({ event, endpointId, status, attempts }) => [event, endpointId, status, attempts])
    const expected = [...new Set(made.map(({ endpointId }) => endpointId))].flatMap((id) =>
      events.map((event) => [event, id, 'DELIVERED', 1]),
    )
    expect(told, label).to.have.deep.members(expected)
    expect(made, label).to.have.length(events.length * endpoints)
    expect(await outboxEvents(service, merchant), label).to.deep.equal([])
    for (const delivery of made) await expectSame(delivery, label)
  }

  /** The endpoint got it once; twice at most, if the process died before it wrote down the answer, and then the same. */
  async function expectSame(delivery: Delivery, label: string) {
    const body = await storedBody(service, delivery)
    const arrived = endpointServer.received.filter(({ json }) => json.id === delivery._id)
    expect(arrived.length, label).to.be.within(1, 2)
    for (const each of arrived) expect(each.body, label).to.equal(body)
  }

  it('loses and doubles nothing in a create', async () => {
    const operation = {
      ...request(201, async () => ({
        merchant: await hookedMerchant(),
        path: '/intents',
        body: { amount: 700 },
      })),
      async check({ merchant, answers }: Request, label: string) {
        expect(new Set(answers), label).to.have.property('size', 1)
        const { businessId } = merchant
        expect(await service.deps.Intent.countDocuments({ businessId }), label).to.equal(1)
        await expectDelivered(merchant, ['payment.created'], label)
      },
    }
    // Key, claim, intent: what a create costs (docs/merchants/retries.md).
    const steps = await killAtEveryStep(service, operation, closings, 0)
    await landDuringRetry(service, operation, closings, 3)
    expect(steps).to.deep.equal([
      'mongodb aggregate',
      'mongodb insert',
      'mongodb insert',
      'enqueue outbox-relay',
    ])
  })

  it('loses and doubles nothing in a cancellation', async () => {
    const operation = {
      ...request(200, async () => {
        const merchant = await hookedMerchant()
        const { referenceNumber } = await createIntent(service, merchant)
        return { merchant, path: `/intents/${referenceNumber}/cancel`, body: {} }
      }),
      async check({ merchant, answers }: Request, label: string) {
        expect(new Set(answers), label).to.have.property('size', 1)
        expect(JSON.parse(answers[0] ?? '').data.status, label).to.equal('CANCELLED')
        await expectDelivered(merchant, ['payment.created', 'payment.cancelled'], label)
      },
    }
    const steps = await killAtEveryStep(service, operation, closings, 0)
    await landDuringRetry(service, operation, closings, steps.indexOf('mongodb findAndModify') + 1)
    expect(steps).to.include.members(['mongodb findAndModify', 'mongodb update', 'enqueue outbox-relay'])
  })

  it('loses and doubles nothing in the creation of an endpoint', async () => {
    const operation = {
      ...request(201, async () => ({
        merchant: await service.merchant(),
        path: '/webhooks/endpoints',
        body: { url: 'https://example.com/hook', events: ['payment.created'] },
      })),
      async check({ merchant, answers }: Request, label: string) {
        expect(new Set(answers), label).to.have.property('size', 1)
        const made = await service.deps.Endpoint.find({ businessId: merchant.businessId }).lean()
        expect(made, label).to.have.length(1)
        const { id, secret } = JSON.parse(answers[0] ?? '').data
        expect(
          [made[0]?._id, service.deps.secrets.unseal(made[0]?.secret ?? '', secretField(id))],
          label,
        ).to.deep.equal([id, secret])
      },
    }
    const steps = await killAtEveryStep(service, operation, closings, 0)
    await landDuringRetry(service, operation, closings, 3)
    expect(steps).to.deep.equal(['mongodb aggregate', 'mongodb insert', 'mongodb insert'])
  })

  it('loses and doubles nothing in an update of an endpoint', async () => {
    const operation = {
      ...request(
        200,
        async () => ({
          ...(await soleEndpoint()),
          body: { url: 'https://example.com/moved', active: false },
        }),
        'PUT',
      ),
      async check({ merchant, answers }: Request, label: string) {
        expect(new Set(answers), label).to.have.property('size', 1)
        const { effects, ...kept } = await endpointOf(merchant)
        expect(JSON.parse(answers[0] ?? '').data, label).to.include({ url: kept.url, active: false })
        expect([kept.url, effects.length], label).to.deep.equal(['https://example.com/moved', 1])
      },
    }
    const steps = await killAtEveryStep(service, operation, closings, 0)
    await landDuringRetry(service, operation, closings, 3)
    // Disabled, it cancels what is being attempted: here nothing.
    expect(steps).to.deep.equal([...changing.slice(0, 3), 'mongodb find', 'mongodb update'])
  })

  it('loses and doubles nothing in a rotation of a secret', async () => {
    const operation = {
      ...request(200, async () => {
        const { merchant, path } = await soleEndpoint()
        return { merchant, path: `${path}/rotate-secret`, body: {} }
      }),
      async check({ merchant, answers }: Request, label: string) {
        expect(new Set(answers), label).to.have.property('size', 1)
        const { _id, secret, previousSecrets } = await endpointOf(merchant)
        const { data } = JSON.parse(answers[0] ?? '')
        expect(
          [service.deps.secrets.unseal(secret, secretField(_id)), previousSecrets.length],
          label,
        ).to.deep.equal([data.secret, 1])
      },
    }
    const steps = await killAtEveryStep(service, operation, closings, 0)
    await landDuringRetry(service, operation, closings, 3)
    expect(steps).to.deep.equal(changing)
  })

  it('leaves no delivery behind in a deletion of an endpoint', async () => {
    const operation = {
      ...request(
        200,
        async () => {
          const { merchant, path } = await soleEndpoint()
          await freshDelivery(service, merchant)
          return { merchant, path, body: {} }
        },
        'DELETE',
      ),
      async check({ merchant, answers }: Request, label: string) {
        expect(new Set(answers), label).to.have.property('size', 1)
        const { _id, deletedAt, slot, effects } = await endpointOf(merchant)
        expect(JSON.parse(answers[0] ?? '').data, label).to.deep.equal({ id: _id, deleted: true })
        expect([deletedAt === null, slot, effects.length], label).to.deep.equal([false, undefined, 1])
        const [delivery] = await deliveriesOf(service, merchant)
        expect(delivery, label).to.include({ status: 'CANCELLED', nextAttemptAt: null, attempts: 0 })
      },
    }
    const steps = await killAtEveryStep(service, operation, closings, 0)
    await landDuringRetry(service, operation, closings, 3)
    // Attempts in flight first: here there are none.
    const stopping = ['mongodb find', 'mongodb find', 'mongodb update']
    const removing = 'mongodb aggregate'
    expect(steps).to.deep.equal([...changing.slice(0, 3), ...stopping, removing, 'mongodb update'])
  })

  /** The relay of two events, each to two endpoints. */
  const relaying = (
    run: (victim: Victim, act: () => Promise<unknown>) => Promise<unknown>,
  ): Operation<{ merchant: Merchant; ids: string[] }> => ({
    async prepare() {
      const merchant = await hookedMerchant()
      await Promise.all([createIntent(service, merchant), createIntent(service, merchant)])
      const intents = await service.deps.Intent.find({ businessId: merchant.businessId }).lean()
      return { merchant, ids: intents.map(({ _id }) => _id) }
    },
    run: (victim, { ids }) => run(victim, () => relayOutboxes(victim.deps, { intentIds: ids, orderIds: [] })),
    repeat: ({ merchant }) => workThrough(merchant),
    check: ({ merchant }, label) => expectDelivered(merchant, ['payment.created', 'payment.created'], label),
  })

  it('loses and doubles nothing in a relay without slots', async () => {
    const steps = await killAtEveryStep(
      service,
      relaying((_, act) => act()),
      closings,
      0,
    )
    expect(steps).to.include.members(['mongodb insert', 'mongodb update', 'enqueue webhook-delivery'])
  })

  it('loses and doubles nothing in a relay and the attempts that it starts', async () => {
    const steps = await killAtEveryStep(service, relaying(asWorker), closings, 0)
    expect(steps).to.include.members(['mongodb insert', 'mongodb update'])
    expect(steps).to.not.include('enqueue webhook-delivery')
  })

  /** The endpoint's slot, the claim and what was claimed, the endpoint again, the source of the body, the result. */
  const attempting = [
    'mongodb find',
    'mongodb update',
    'mongodb find',
    'mongodb find',
    'mongodb find',
    'mongodb update',
  ]

  it('loses and doubles nothing in a successful attempt', async () => {
    const steps = await killAtEveryStep(
      service,
      {
        async prepare() {
          const merchant = await hookedMerchant()
          return { merchant, delivery: await freshDelivery(service, merchant) }
        },
        run: (victim, { delivery }) => attemptFirst(victim, delivery),
        repeat: ({ merchant }) => workThrough(merchant),
        check: ({ merchant }, label) => expectDelivered(merchant, ['payment.created'], label),
      },
      closings,
      0,
    )
    expect(steps).to.deep.equal(attempting)
  })

  it('uses up one attempt and no more in a failed attempt', async () => {
    const steps = await killAtEveryStep(
      service,
      {
        async prepare() {
          const merchant = await service.merchant()
          await subscribe(service, merchant, failing.url)
          return freshDelivery(service, merchant)
        },
        run: attemptFirst,
        repeat: ({ _id }) => attempt(service.deps, _id),
        async check({ _id }, label) {
          const { status, attempts, attemptLog } =
            (await service.deps.Delivery.findById(_id).lean<Delivery>()) ?? expect.fail(label)
          expect([status, attempts, attemptLog.length], label).to.deep.equal(['RETRYING', 1, 1])
        },
      },
      closings,
      0,
    )
    expect(steps).to.deep.equal([...attempting, 'enqueue webhook-delivery'])
  })

  it('loses and doubles nothing in an expiry', async () => {
    const steps = await killAtEveryStep(
      service,
      {
        async prepare() {
          const merchant = await hookedMerchant()
          return { merchant, ...(await createIntent(service, merchant)) }
        },
        run: (victim, { referenceNumber }) => expireIntent(victim.deps, referenceNumber),
        async repeat({ merchant, referenceNumber }) {
          await expireIntent(service.deps, referenceNumber)
          await workThrough(merchant)
        },
        check: ({ merchant }, label) =>
          expectDelivered(merchant, ['payment.created', 'payment.expired'], label),
      },
      closings,
      dayMs,
    )
    expect(steps).to.deep.equal(['mongodb find', 'mongodb update', 'enqueue outbox-relay'])
  })
})
