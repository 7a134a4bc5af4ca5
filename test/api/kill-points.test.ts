import type { AuditAction } from '../../src/audit/acts.ts'
import { expireIntent } from '../../src/intents/expire.ts'
import { relayOutboxes } from '../../src/relay/relay.ts'
import { wakeDelivery } from '../../src/webhooks/attempts/attempt-due.ts'
import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import type { Endpoint } from '../../src/webhooks/endpoints/endpoint.ts'
import { signingSecretField } from '../../src/webhooks/endpoints/stored-secrets.ts'
import {
  attempt,
  createIntent,
  deliveriesOf,
  freshDelivery,
  outboxEvents,
  relay,
  storedBody,
  storedDelivery,
  subscribe,
} from '../support/actions.ts'
import { deadDeliveries } from '../support/dead-deliveries.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { killAtEveryStep, landDuringRetry, type Operation } from '../support/kill-at-every-step.ts'
import { type Merchant, withService } from '../support/service.ts'
import type { Victim } from '../support/victim.ts'
import { type Sent, type Write, writeOnce } from '../support/write-once.ts'

const dayMs = 86_400_000

describe('If a process is killed between any two steps, the service', () => {
  const service = withService()
  const endpointServer = withEndpointServer()
  const failing = withEndpointServer()
  before(() => failing.respondWith((res) => void res.writeHead(500).end()))

  const kill = <Case>(operation: Operation<Case>, waitMs?: number) =>
    killAtEveryStep(service, operation, waitMs)
  const land = <Case>(operation: Operation<Case>, effectStep: number) =>
    landDuringRetry(service, operation, effectStep)

  async function hookedMerchant() {
    const merchant = await service.merchant()
    for (let n = 0; n < 2; n += 1) await subscribe(service, merchant, endpointServer.url)
    return merchant
  }

  async function soleEndpoint() {
    const merchant = await service.merchant()
    const { id } = await subscribe(service, merchant, endpointServer.url)
    return { merchant, path: `/webhooks/endpoints/${id}` }
  }
  const endpointOf = ({ businessId }: Pick<Merchant, 'businessId'>) =>
    service.deps.Endpoint.findOne({ businessId }).orFail().lean<Endpoint>()
  type Check = (merchant: Merchant, data: Record<string, unknown>, label: string) => Promise<unknown>

  const request = (status: number, prepare: () => Promise<Write>, check: Check): Operation<Sent> => {
    const once = writeOnce(service, status, prepare, ({ merchant }, ...found) => check(merchant, ...found))
    return { ...once, repeat: (each: Sent) => once.repeat(each).then(() => workThrough(each.merchant)) }
  }

  /** Acts as a worker with slots, and waits for the attempts that `act` starts. */
  async function asWorker({ deps }: Victim, act: () => Promise<unknown>): Promise<unknown> {
    deps.slots.open()
    await act()
    return deps.backgroundWork.ended()
  }
  const attemptFirst = (victim: Victim, { _id }: Delivery) =>
    asWorker(victim, () => wakeDelivery(victim.deps, { _id, attempts: 0, requeues: 0 }))

  async function workThrough(merchant: Merchant) {
    await relay(service, merchant)
    for (const { _id } of await deliveriesOf(service, merchant)) await attempt(service.deps, _id)
  }

  async function expectDelivered(merchant: Merchant, events: string[], label: string) {
    const [made, endpoints] = await Promise.all([
      deliveriesOf(service, merchant),
      service.deps.Endpoint.countDocuments({ businessId: merchant.businessId }),
    ])
    const results = made.map((each) => [each.event, each.endpointId, each.status, each.attempts])
    const ids = [...new Set(made.map(({ endpointId }) => endpointId))]
    expect(ids, label).to.have.length(endpoints)
    const expected = ids.flatMap((id) => events.map((event) => [event, id, 'DELIVERED', 1]))
    expect(results, label).to.have.deep.members(expected)
    expect(await outboxEvents(service, merchant), label).to.deep.equal([])
    for (const delivery of made) {
      const body = await storedBody(service, delivery)
      const arrived = endpointServer.received.filter(({ json }) => json.id === delivery._id)
      // Two if the process died before recording the result.
      expect(arrived.length, label).to.be.within(1, 2)
      for (const each of arrived) expect(each.body, label).to.equal(body)
    }
  }
  const countIntents = ({ businessId }: Merchant) => service.deps.Intent.countDocuments({ businessId })
  const named = { amount: 700, merchantReference: '1042' }

  it('neither loses nor duplicates anything when it creates an intent', async () => {
    const operation = request(
      201,
      async () => ({ merchant: await hookedMerchant(), path: '/intents', body: named }),
      async (merchant, _data, label) => {
        expect(await countIntents(merchant), label).to.equal(1)
        await expectDelivered(merchant, ['payment.created'], label)
      },
    )
    const steps = await kill(operation)
    await land(operation, steps.indexOf('mongodb insert') + 1)
  })

  it("neither loses nor duplicates anything when it creates an intent that reuses an overdue intent's reference", async () => {
    const operation = request(
      201,
      async () => {
        const merchant = await hookedMerchant()
        await createIntent(service, merchant, named)
        return { merchant, path: '/intents', body: named }
      },
      async (merchant, _data, label) => {
        expect(await countIntents(merchant), label).to.equal(2)
        await expectDelivered(merchant, ['payment.created', 'payment.expired', 'payment.created'], label)
      },
    )
    expect(await kill(operation, dayMs)).to.include('mongodb update')
  })

  it('neither loses nor duplicates anything when it cancels an intent', async () => {
    const operation = request(
      200,
      async () => {
        const merchant = await hookedMerchant()
        const { referenceNumber } = await createIntent(service, merchant, named)
        return { merchant, path: `/intents/${referenceNumber}/cancel`, body: {} }
      },
      async (merchant, data, label) => {
        expect(data['status'], label).to.equal('CANCELLED')
        await expectDelivered(merchant, ['payment.created', 'payment.cancelled'], label)
        await createIntent(service, merchant, named)
      },
    )
    const steps = await kill(operation)
    for (const write of ['mongodb update', 'mongodb insert']) await land(operation, steps.indexOf(write) + 1)
  })

  /** Changes the merchant's only endpoint. All commit alike, so three late commits are enough. */
  function itChanges(
    [what, act, lands]: [string, AuditAction, 'lands'?],
    [status, path, body = {}, method = 'POST']: [
      status: number,
      path: string,
      body?: object,
      method?: string,
    ],
    check: Check,
    prepare = soleEndpoint,
  ): void {
    it(`neither loses nor duplicates anything when it ${what}`, async () => {
      const operation = request(
        status,
        async () => {
          const made = await prepare()
          return { ...made, path: made.path + path, body, method }
        },
        async (merchant, data, label) => {
          await check(merchant, data, label)
          const { businessId, keyId: name } = merchant
          const lines = await service.deps.AuditEvent.find({ businessId, act }).lean()
          const actors = lines.map(({ actor }) => actor)
          expect(actors, label).to.deep.equal([{ kind: 'merchant', name, from: '127.0.0.1' }])
        },
      )
      const steps = await kill(operation)
      if (lands) await land(operation, steps.indexOf('mongodb commitTransaction') + 1)
    })
  }
  const secretOf = ({ _id, secret }: Endpoint) =>
    service.deps.secrets.decrypt(secret, signingSecretField(_id))

  itChanges(
    ['creates an endpoint', 'endpoint.created', 'lands'],
    [201, '', { url: 'https://example.com/hook', events: ['payment.created'] }],
    async (merchant, { id, secret }, label) => {
      const { businessId } = merchant
      expect(await service.deps.Endpoint.countDocuments({ businessId }), label).to.equal(1)
      const made = await endpointOf(merchant)
      expect([made._id, secretOf(made)], label).to.deep.equal([id, secret])
    },
    async () => ({ merchant: await service.merchant(), path: '/webhooks/endpoints' }),
  )
  const moved = { url: 'https://example.com/moved', active: false }
  itChanges(
    ['updates an endpoint', 'endpoint.changed'],
    [200, '', moved, 'PUT'],
    async (merchant, data, label) => {
      for (const each of [data, await endpointOf(merchant)]) expect(each, label).to.include(moved)
    },
  )

  itChanges(
    ['rotates a secret', 'endpoint.secret-rotated'],
    [200, '/rotate-secret'],
    async (merchant, data, label) => {
      const endpoint = await endpointOf(merchant)
      const { length } = endpoint.previousSecrets
      expect([secretOf(endpoint), length], label).to.deep.equal([data['secret'], 1])
    },
  )
  const since = { from: '2026-01-01' }
  itChanges(
    ['starts a replay', 'endpoint.replayed', 'lands'],
    [201, '/replay', since],
    async ({ businessId }, data, label) => {
      const stored = await service.deps.Replay.find({ businessId }).lean()
      const replays = stored.map(({ _id, status, numberOfDay }) => [_id, status, numberOfDay])
      expect(replays, label).to.deep.equal([[data['id'], 'RUNNING', 1]])
    },
  )

  itChanges(
    ['cancels a replay', 'endpoint.replay-cancelled'],
    [200, '/cancel'],
    async ({ businessId }, data, label) => {
      const replay = await service.deps.Replay.findOne({ businessId }).orFail().lean()
      const cancelled = ['CANCELLED', data['finishedAt'], undefined]
      expect([replay.status, replay.finishedAt?.toJSON(), replay.running], label).to.deep.equal(cancelled)
    },
    async () => {
      const { merchant, path } = await soleEndpoint()
      const started = await service.http.post(`/api/v1/dev${path}/replay`).set(merchant.write()).send(since)
      return { merchant, path: `${path}/replays/${started.body.data.id}` }
    },
  )

  itChanges(
    ['deletes an endpoint and cancels its deliveries', 'endpoint.deleted', 'lands'],
    [200, '', {}, 'DELETE'],
    async (merchant, data, label) => {
      const { _id, deletedAt, slot } = await endpointOf(merchant)
      expect(data, label).to.deep.equal({ id: _id, deleted: true })
      expect([deletedAt === null, slot], label).to.deep.equal([false, undefined])
      const [delivery] = await deliveriesOf(service, merchant)
      expect(delivery, label).to.include({ status: 'CANCELLED', nextAttemptAt: null, attempts: 0 })
    },
    async () => {
      const { merchant, path } = await soleEndpoint()
      await freshDelivery(service, merchant)
      return { merchant, path }
    },
  )

  it('re-queues exactly the same deliveries when it retries deliveries by filter', async () => {
    const operation = request(
      200,
      async () => {
        const { merchant } = await soleEndpoint()
        await deadDeliveries(service, merchant, 2)
        return { merchant, path: '/webhooks/events/retry', body: { status: ['DEAD'] } }
      },
      async (merchant, data, label) => {
        expect(data, label).to.include({ requeued: 2, hasMore: false })
        for (const { status, requeues, attemptLog } of await deliveriesOf(service, merchant))
          expect([status, requeues], `${label}: ${attemptLog.at(-1)?.error}`).to.eql(['DELIVERED', 1])
        const { businessId } = merchant
        const lines = await service.deps.AuditEvent.find({ businessId, act: 'delivery.requeued' }).lean()
        expect(lines.map(({ after }) => [label, after?.requeued])).to.deep.equal([[label, 2]])
      },
    )
    await kill(operation)
  })

  const relays: Record<string, typeof asWorker> = {
    'while no slot is free': (_, act) => act(),
    'and starts their first attempts': asWorker,
  }
  for (const [what, run] of Object.entries(relays))
    it(`neither loses nor duplicates anything when it relays events ${what}`, async () => {
      const steps = await kill<{ merchant: Merchant; intentIds: string[] }>({
        async prepare() {
          const merchant = await hookedMerchant()
          await Promise.all([createIntent(service, merchant), createIntent(service, merchant)])
          const intents = await service.deps.Intent.find({ businessId: merchant.businessId }).lean()
          return { merchant, intentIds: intents.map(({ _id }) => _id) }
        },
        run: (victim, { intentIds }) =>
          run(victim, () => relayOutboxes(victim.deps, { intentIds, orderIds: [] })),
        repeat: ({ merchant }) => workThrough(merchant),
        check: ({ merchant }, label) =>
          expectDelivered(merchant, ['payment.created', 'payment.created'], label),
      })
      expect(steps).to.include.members(['mongodb insert', 'mongodb update'])
      expect(steps.includes('enqueue webhook-delivery')).to.equal(run !== asWorker)
    })

  it('neither loses nor duplicates anything when an attempt succeeds', async () => {
    await kill({
      async prepare() {
        const merchant = await hookedMerchant()
        return { merchant, delivery: await freshDelivery(service, merchant) }
      },
      run: (victim, { delivery }) => attemptFirst(victim, delivery),
      repeat: ({ merchant }) => workThrough(merchant),
      check: ({ merchant }, label) => expectDelivered(merchant, ['payment.created'], label),
    })
  })

  it('counts a failed delivery attempt exactly once', async () => {
    await kill<Delivery>({
      async prepare() {
        const merchant = await service.merchant()
        await subscribe(service, merchant, failing.url)
        return freshDelivery(service, merchant)
      },
      run: attemptFirst,
      repeat: ({ _id }) => attempt(service.deps, _id),
      async check({ _id }, label) {
        const { status, attempts, attemptLog } = await storedDelivery(service, { _id })
        expect([status, attempts, attemptLog.length], label).to.deep.equal(['RETRYING', 1, 1])
      },
    })
  })

  it('neither loses nor duplicates anything when an intent expires', async () => {
    await kill<{ merchant: Merchant; referenceNumber: string }>(
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
      dayMs,
    )
  })
})
