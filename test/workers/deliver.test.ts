import type { Deps } from '../../src/platform/deps.ts'
import { packageVersion } from '../../src/platform/version.ts'
import { eventIdOf } from '../../src/webhooks/deliveries/delivery.ts'
import { breaks } from '../invariants/expect-invariants.ts'
import {
  attempt,
  cancelIntent,
  createIntent,
  deliveriesOf,
  freshDelivery,
  openSecondProcess,
  post,
  relay,
  storedDelivery,
  subscribe,
} from '../support/actions.ts'
import { isSignedWith, withEndpointServerPerTest } from '../support/endpoint-server.ts'
import { withServiceAndMerchantPerTest } from '../support/service.ts'

describe('A delivery', () => {
  const { service, merchant } = withServiceAndMerchantPerTest()
  const endpointServer = withEndpointServerPerTest()
  let secret: string
  let endpointId: string
  beforeEach(async () => {
    ;({ secret, id: endpointId } = await subscribe(service, merchant, endpointServer.url))
  })
  afterEach(() => service.clock.freeze(null))
  const later = (ms: number) => new Date(service.clock.now().getTime() + ms)

  it('has the headers listed in SPEC 6.2, spelled exactly as there', async () => {
    await cancelIntent(service, merchant, (await createIntent(service, merchant)).referenceNumber)
    await relay(service, merchant)
    const made = await deliveriesOf(service, merchant)
    for (const { _id } of made) await attempt(service.deps, _id)
    const [, one] = endpointServer.received
    const names = one?.rawHeaders.filter((_, index) => index % 2 === 0)
    const requiredNames = ['Content-Type', 'X-Service-Signature', 'X-Service-Timestamp', 'X-Service-Event']
    expect(names).to.include.members(requiredNames)
    expect(names?.filter((name) => /^x-/i.test(name))).to.have.length(4)
    const sentHeaders = {
      'content-type': 'application/json',
      'user-agent': `Service-Webhooks/${packageVersion} (+${service.deps.config.publicUrl}/docs)`,
      accept: '*/*',
      'x-service-event': 'payment.cancelled',
      'x-service-event-id': eventIdOf(made[1]?._id ?? ''),
    }
    expect(one?.headers).to.include(sentHeaders)
    expect(one?.headers['x-service-signature']).to.match(/^sha256=[0-9a-f]{64}$/)
    expect(one && isSignedWith(secret, one)).to.equal(true)
    expect(one?.json.event).to.equal('payment.cancelled')
  })

  it('has the same bytes in every attempt and process, even after the intent has changed', async () => {
    const subscribed = ['payment.confirmed', 'payment.failed', 'payment.refunded']
    await subscribe(service, merchant, endpointServer.url, subscribed)
    const open = { amountType: 'OPEN', metadata: { 'a.b': '1', $x: '2', é: '💰' } }
    const { referenceNumber } = await createIntent(service, merchant, open)
    const act = async (path: string, body: object, status: number) =>
      expect(
        (await post(service, merchant, `/intents/${referenceNumber}/${path}`, JSON.stringify(body))).status,
      ).to.equal(status)
    await relay(service, merchant)
    await act('simulate-payment', { outcome: 'insufficient_funds' }, 402)
    await relay(service, merchant)
    endpointServer.respondWith((res) => void res.writeHead(500).end())
    const attemptAll = async (deps: Deps) => {
      for (const { _id } of await deliveriesOf(service, merchant)) await attempt(deps, _id)
      return endpointServer.received.splice(0).map(({ body }) => body)
    }
    const first = await attemptAll(service.deps)
    expect(first.map((body) => JSON.parse(body).data.amount)).to.deep.equal([null, null])
    await act('simulate-payment', { amount: 700 }, 200)
    await act('refund', { amount: 300, reason: 'torn' }, 200)
    await act('refund', {}, 200)
    service.clock.freeze(later(60_000))
    const beside = await openSecondProcess(service)
    beside.allowHost(endpointServer.host)
    beside.clock.freeze(service.clock.now())
    expect(await attemptAll(beside.deps)).to.deep.equal(first)
    await beside.close()
  })

  it('is cancelled without an attempt if its intent has been removed', async () => {
    const delivery = await freshDelivery(service, merchant)
    breaks(service, 'events once', delivery.referenceNumber)
    await service.deps.Intent.deleteOne({ referenceNumber: delivery.referenceNumber })
    const cancelled = { outcome: 'cancelled', nextAttemptAt: null, attempts: 0 }
    expect(await attempt(service.deps, delivery._id)).to.deep.equal(cancelled)
    const storedCancelled = { status: 'CANCELLED', attempts: 0, nextAttemptAt: null }
    expect(await storedDelivery(service, delivery)).to.include(storedCancelled)
    expect(endpointServer.received).to.deep.equal([])
    const path = `/api/v1/dev/webhooks/events/${delivery._id}`
    const { body } = await service.http.get(path).set(merchant.read()).expect(200)
    expect(body.data).to.include({ status: 'CANCELLED', payload: null })
  })

  it('has the same id but a fresh timestamp and signature in each attempt', async () => {
    endpointServer.respondWith((res, count) => void res.writeHead(count < 3 ? 500 : 200).end())
    service.clock.freeze(later(0))
    const { _id } = await freshDelivery(service, merchant)
    const times: string[] = []
    for (const waitMs of [0, 30_000, 120_000]) {
      service.clock.advance(waitMs)
      times.push(String(Math.floor(service.clock.now().getTime() / 1000)))
      await attempt(service.deps, _id)
    }
    expect(endpointServer.received.map(({ headers }) => headers['x-service-timestamp'])).to.deep.equal(times)
    expect(new Set(endpointServer.received.map(({ body }) => body))).to.have.property('size', 1)
    expect(new Set(endpointServer.received.map(({ json }) => json.id))).to.deep.equal(new Set([_id]))
    expect(endpointServer.received.map((one) => isSignedWith(secret, one))).to.deep.equal([true, true, true])
    const signatures = endpointServer.received.map(({ headers }) => headers['x-service-signature'])
    expect(new Set(signatures)).to.have.property('size', 3)
  })

  for (const [what, end] of [
    ['is disabled', () => service.deps.Endpoint.updateOne({ _id: endpointId }, { $set: { active: false } })],
    ['is gone', () => service.deps.Endpoint.deleteOne({ _id: endpointId })],
  ] as const)
    it(`is cancelled without an attempt if its endpoint ${what}`, async () => {
      endpointServer.respondWith((res) => void res.writeHead(500).end())
      const [fresh, failed] = [await freshDelivery(service, merchant), await freshDelivery(service, merchant)]
      await attempt(service.deps, failed._id)
      service.clock.advance(30_000)
      const waiting = await freshDelivery(service, merchant)
      await attempt(service.deps, waiting._id)
      await end()
      if (what === 'is gone') breaks(service, 'delivery of event', fresh._id, failed._id, waiting._id)
      // The endpoint may be enabled again before this delivery is due.
      expect((await attempt(service.deps, waiting._id)).outcome).to.equal('not-due')
      for (const delivery of [fresh, failed]) {
        for (const _again of [1, 2])
          expect((await attempt(service.deps, delivery._id)).outcome).to.equal('cancelled')
        const cancelledUnleased = { status: 'CANCELLED', nextAttemptAt: null, leaseToken: null }
        expect(await storedDelivery(service, delivery)).to.include(cancelledUnleased)
      }
      expect((await storedDelivery(service, fresh)).attempts).to.equal(0)
      expect((await storedDelivery(service, failed)).attempts).to.equal(1)
      expect(endpointServer.received).to.have.length(2)
    })
})
