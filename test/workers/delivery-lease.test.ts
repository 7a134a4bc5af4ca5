import type { ServerResponse } from 'node:http'
import { noDeadline } from '../../src/mongo/batchers.ts'
import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import { endLease } from '../../src/webhooks/deliveries/lease.ts'
import { attempt, freshDelivery, storedDelivery, subscribe } from '../support/actions.ts'
import { type EndpointServer, startEndpointServer } from '../support/endpoint-server.ts'
import { type Merchant, withSecondProcess, withService } from '../support/service.ts'
import { withBatchers } from './set-up.ts'

describe("A delivery's lease", () => {
  const service = withService()
  const beside = withSecondProcess(service)
  let endpointServer: EndpointServer
  let merchant: Merchant
  let delivery: Delivery
  beforeEach(async () => {
    service.clock.freeze(new Date('2031-05-06T07:08:09.010Z'))
    ;[merchant, endpointServer] = await Promise.all([service.merchant(), startEndpointServer()])
    await subscribe(service, merchant, endpointServer.url)
    beside.allowHost(endpointServer.host)
    delivery = await freshDelivery(service, merchant)
    beside.clock.freeze(service.clock.now())
  })
  afterEach(() => endpointServer.close())
  const inMs = (ms: number) => new Date(service.clock.now().getTime() + ms)

  it('allows only one attempt if two processes each lease the delivery twice in parallel', async () => {
    const outcomes = await Promise.all(
      [service, beside, service, beside].map(({ deps }) => attempt(deps, delivery._id)),
    )
    expect(outcomes.filter(({ outcome }) => outcome === 'delivered')).to.have.length(1)
    expect(endpointServer.received).to.have.length(1)
    expect(await storedDelivery(service, delivery)).to.include({ status: 'DELIVERED', attempts: 1 })
  })

  it('allows no attempt if MongoDB is so slow that the lease might end before it is renewed', async () => {
    const { leaseDelivery } = service.deps.batchers
    const slow = withBatchers(service.deps, {
      async leaseDelivery(id, deadlineAt) {
        const leased = await leaseDelivery(id, deadlineAt)
        service.clock.advance(5_001)
        return leased
      },
    })
    const endsAt = inMs(10_000)
    const lostLease = { outcome: 'lost', nextAttemptAt: endsAt, attempts: 0 }
    expect(await attempt(slow, delivery._id)).to.deep.equal(lostLease)
    expect(endpointServer.received).to.have.length(0)
    service.clock.freeze(endsAt)
    expect(await attempt(service.deps, delivery._id)).to.deep.include({ outcome: 'delivered', attempts: 1 })
  })

  it('lasts 10 s from its start and from each renewal', async () => {
    const held: ServerResponse[] = []
    endpointServer.respondWith((res) => void held.push(res))
    const running = attempt(service.deps, delivery._id)
    await endpointServer.atLeast(1)
    const leasedAt = service.clock.now().getTime()
    expect((await storedDelivery(service, delivery)).nextAttemptAt?.getTime()).to.equal(leasedAt + 10_000)
    service.clock.advance(9_000)
    await service.deps.leases.renew()
    expect((await storedDelivery(service, delivery)).nextAttemptAt?.getTime()).to.equal(leasedAt + 19_000)
    beside.clock.freeze(new Date(leasedAt + 18_999))
    expect((await attempt(beside.deps, delivery._id)).outcome).to.equal('superseded')
    held[0]?.end()
    expect((await running).outcome).to.equal('delivered')
    await service.deps.leases.renew()
    expect(await storedDelivery(service, delivery)).to.include({ status: 'DELIVERED', leaseToken: null })
  })

  it("can't be ended by a process that has lost it", async () => {
    const [first, second] = [service, beside].map(({ deps: { batchers } }) => batchers.leaseDelivery)
    const lost = await first?.(delivery._id, noDeadline)
    beside.clock.freeze(inMs(10_000))
    const held = await second?.(delivery._id, noDeadline)
    await endLease(service.deps, lost ?? expect.fail())
    const { leaseToken, nextAttemptAt } = held ?? expect.fail()
    expect(await storedDelivery(service, delivery)).to.deep.include({ leaseToken, nextAttemptAt })
  })

  it('lets only its holder write a result', async () => {
    const held: ServerResponse[] = []
    endpointServer.respondWith((res, count) => void (count === 1 ? held.push(res) : res.end()))
    const slow = attempt(service.deps, delivery._id)
    await endpointServer.atLeast(1)
    beside.clock.freeze(inMs(10_000))
    expect((await attempt(beside.deps, delivery._id)).outcome).to.equal('delivered')
    const before = await storedDelivery(service, delivery)
    held[0]?.writeHead(500).end()
    await slow
    expect(await storedDelivery(service, delivery)).to.deep.equal(before)
    expect(before).to.include({ status: 'DELIVERED', attempts: 1 })
  })
})
