import { presentEvents } from '../../src/events/list.ts'
import type { LoggedEvent } from '../../src/events/log.ts'
import { type EventDraft, openEventLog } from '../../src/events/log.ts'
import { noDeadline } from '../../src/mongo/batchers.ts'
import { newId } from '../../src/platform/ids.ts'
import { runCleanUp } from '../../src/retention/clean-up.ts'
import { startCounts } from '../../src/retention/cleaning.ts'
import { attempt, cancelIntent, createIntent, deliveriesOf, relay, subscribe } from '../support/actions.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { storeOrder } from '../support/orders.ts'
import { withServiceAndMerchant } from '../support/service.ts'

const dayMs = 86_400_000

describe('The event log', () => {
  const { service, merchant } = withServiceAndMerchant()
  const endpointServer = withEndpointServer()
  afterEach(() => service.clock.freeze(null))

  const log = () =>
    service.deps.LoggedEvent.find({ businessId: merchant.businessId }, {}, { sort: { number: 1 } }).lean<
      LoggedEvent[]
    >()
  const draft = (): EventDraft => ({
    _id: newId(),
    event: 'payment.created',
    referenceNumber: 'PI-2222222222222222',
    createdAt: service.clock.now(),
    format: 1,
    facts: { status: 'PENDING' },
  })

  it('contains every payment and order event, even if the merchant has no endpoint', async () => {
    const { referenceNumber } = await createIntent(service, merchant)
    await relay(service, merchant)
    await subscribe(service, merchant, endpointServer.url, ['payment.cancelled'])
    await cancelIntent(service, merchant, referenceNumber)
    await relay(service, merchant)
    const order = await storeOrder(service, merchant)
    await relay(service, merchant)
    const logged = await log()
    expect(logged.map((each) => [each.number, each.event, each.referenceNumber, each.sandbox])).to.deep.equal(
      [
        [1, 'payment.created', referenceNumber, true],
        [2, 'payment.cancelled', referenceNumber, true],
        [3, 'order.new', order.number, true],
      ],
    )
    const [delivery] = await deliveriesOf(service, merchant)
    await attempt(service.deps, delivery?._id ?? '')
    const [, cancelled] = await presentEvents(service.deps, logged)
    const received = endpointServer.received.at(0)
    expect(received?.headers['x-service-event-id']).to.equal(cancelled?.id)
    expect(cancelled?.body).to.deep.equal({ ...received?.json, id: cancelled?.id })
    expect(received?.json.id).to.equal(delivery?._id)
  })

  it('counts each stored event once, even if a batch contains an event that is already in the log', async () => {
    const counted: object[] = []
    const { appendEvents } = openEventLog(service.deps, service.clock.now, (_owner, stored) =>
      counted.push(...stored),
    )
    const owner = { businessId: newId(), sandbox: true }
    const [older, newer] = [draft(), draft()]
    for (const drafts of [[older], [newer, older]]) await appendEvents(owner, drafts, noDeadline)
    expect(counted).to.deep.equal(await service.deps.LoggedEvent.find(owner).sort({ number: 1 }).lean())
  })

  it('never reuses the number of a removed event', async () => {
    const { deps, clock } = service
    const clean = async () => {
      const { counts, watch } = startCounts({ count: () => undefined, done: () => undefined })
      expect(await runCleanUp(deps, new AbortController().signal, watch)).to.equal('cleaned')
      return counts.events
    }
    await deps.LoggedEvent.updateMany(
      { referenceNumber: 'PI-2222222222222222' },
      { $set: { event: 'endpoint.failing', referenceNumber: newId() } },
    )
    await cancelIntent(service, merchant, (await createIntent(service, merchant)).referenceNumber)
    await relay(service, merchant)
    for (const { _id } of await deliveriesOf(service, merchant)) await attempt(deps, _id)
    const last = (await log()).at(-1)
    clock.freeze(new Date(Date.now() + 30 * dayMs + 60_000))
    expect(await clean()).to.equal(4)
    expect((await log()).map(({ number, event }) => [number, event])).to.deep.equal([
      [last?.number, 'cleaned'],
    ])
    await createIntent(service, merchant)
    await relay(service, merchant)
    expect((await log()).map(({ number }) => number)).to.deep.equal([last?.number, (last?.number ?? 0) + 1])
  })
})
