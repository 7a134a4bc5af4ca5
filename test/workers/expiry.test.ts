import { expireDueIntents, expireIntent } from '../../src/intents/expire.ts'
import { createIntent, deliveriesOf, readIntent, relay, storedBodies, subscribe } from '../support/actions.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { withSecondProcess, withServiceAndMerchantPerTest } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { createIntents } from './set-up.ts'

const dayMs = 86_400_000

describe("An intent's expiry", () => {
  const { service, merchant } = withServiceAndMerchantPerTest()
  const beside = withSecondProcess(service)
  afterEach(() => service.clock.freeze(null))
  const reach = (instant: string, ms = 0) => service.clock.freeze(new Date(Date.parse(instant) + ms))
  const storedIntent = (referenceNumber: string) => service.deps.Intent.findOne({ referenceNumber }).lean()

  it('looks the same to a reader before and after a worker records it', async () => {
    const { referenceNumber, createdAt, expiresAt } = await createIntent(service, merchant)
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).to.equal(dayMs)
    reach(expiresAt)
    const read = await readIntent(service, merchant, referenceNumber)
    expect(read).to.include({ status: 'CANCELLED', cancellationReason: 'expired', updatedAt: expiresAt })
    expect((await storedIntent(referenceNumber))?.status).to.equal('PENDING')
    reach(expiresAt, 3_600_000)
    await expireIntent(service.deps, referenceNumber)
    expect((await storedIntent(referenceNumber))?.status).to.equal('CANCELLED')
    expect(await readIntent(service, merchant, referenceNumber)).to.deep.equal(read)
  })

  it('changes nothing if a worker runs it too early', async () => {
    const { referenceNumber, expiresAt } = await createIntent(service, merchant)
    reach(expiresAt, -1)
    const notExpired = { expired: false, dueAt: new Date(expiresAt) }
    for (const _again of [1, 2])
      expect(await expireIntent(service.deps, referenceNumber)).to.deep.equal(notExpired)
    expect((await storedIntent(referenceNumber))?.status).to.equal('PENDING')
  })

  it('adds exactly one event even if several processes record it concurrently', async () => {
    await subscribe(service, merchant, 'https://shop.example/hooks')
    const { referenceNumber, expiresAt } = await createIntent(service, merchant)
    reach(expiresAt, 90_000)
    beside.clock.freeze(service.clock.now())
    const outcomes = await Promise.all(
      [service, beside, service, beside].map(({ deps }) => expireIntent(deps, referenceNumber)),
    )
    expect(outcomes.filter(({ expired }) => expired)).to.have.length(1)
    expect(await expireIntent(service.deps, referenceNumber)).to.deep.equal({ expired: false, dueAt: null })
    await relay(service, merchant)
    const bodies = await storedBodies(service, await deliveriesOf(service, merchant))
    expect(bodies.map(({ event }) => event)).to.deep.equal(['payment.created', 'payment.expired'])
    expect(bodies[1].created_at).to.equal(expiresAt)
    const expiredData = { reference_number: referenceNumber, status: 'CANCELLED', paid_at: null }
    expect(bodies[1].data).to.include(expiredData)
  })
})

describe('Expiry by the workers', () => {
  const { service, merchant } = withServiceAndMerchantPerTest({ INTENT_LIFETIME_SECONDS: '1' })
  const endpointServer = withEndpointServer()

  it('sends payment.expired exactly once for intents with a lifetime of one second', async () => {
    service.startWorkers()
    await subscribe(service, merchant, endpointServer.url, ['payment.expired'])
    const made = await createIntents(service, merchant, 4)
    await endpointServer.atLeast(4, 5_000)
    const expiresAt = new Map(made.map((intent) => [intent.referenceNumber, Date.parse(intent.expiresAt)]))
    for (const { at, json } of endpointServer.received) {
      expect(json.event).to.equal('payment.expired')
      expect(at).to.be.at.least(expiresAt.get(String(json.data.reference_number)) ?? Number.NaN)
    }
    await Promise.all(made.map(({ referenceNumber }) => expireIntent(service.deps, referenceNumber)))
    expect(await expireDueIntents(service.deps)).to.equal(0)
    const delivered = async () =>
      (await deliveriesOf(service, merchant)).every(({ status }) => status === 'DELIVERED')
    await waitFor('all is written down', delivered)
    expect(await deliveriesOf(service, merchant)).to.have.length(4)
    expect(endpointServer.received.map(({ json }) => json.data.reference_number)).to.have.members([
      ...expiresAt.keys(),
    ])
  })
})
