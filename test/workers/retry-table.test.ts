import { type AttemptResult, attempt, freshDelivery, storedDelivery, subscribe } from '../support/actions.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { withServiceAndMerchant } from '../support/service.ts'

/** SPEC 6.4: the waits before attempts 2 to 8. */
const waitsMs = [30, 120, 900, 3600, 14_400, 43_200, 86_400].map((seconds) => seconds * 1000)
const dayMs = 86_400_000

describe('The retry table', () => {
  const { service, merchant } = withServiceAndMerchant()
  const endpointServer = withEndpointServer()
  before(() => subscribe(service, merchant, endpointServer.url))
  beforeEach(() => {
    service.clock.freeze(new Date('2031-05-06T07:08:09.010Z'))
    endpointServer.respondWith((res) => void res.writeHead(500).end())
  })
  const attemptsAt = (id: string) => endpointServer.received.filter(({ json }) => json.id === id).length
  const dueAt = (done: AttemptResult) => done.nextAttemptAt?.getTime() ?? Number.NaN

  it('sets the times of all 8 attempts to the millisecond', async () => {
    const { _id } = await freshDelivery(service, merchant)
    for (const [index, waitMs] of waitsMs.entries()) {
      const failed = await attempt(service.deps, _id)
      const next = new Date(service.clock.now().getTime() + waitMs)
      expect(failed).to.deep.include({ outcome: 'retrying', attempts: index + 1, nextAttemptAt: next })
      const retrying = { status: 'RETRYING', attempts: index + 1, leaseToken: null }
      expect(await storedDelivery(service, { _id })).to.include(retrying)
      service.clock.advance(waitMs - 1)
      const notDue = { outcome: 'not-due', nextAttemptAt: next, attempts: index + 1 }
      expect(await attempt(service.deps, _id)).to.deep.equal(notDue)
      expect(attemptsAt(_id)).to.equal(index + 1)
      service.clock.freeze(next)
    }
    const deadAfterEight = { outcome: 'dead', attempts: 8, nextAttemptAt: null }
    expect(await attempt(service.deps, _id)).to.deep.include(deadAfterEight)
    for (const wait of [0, dayMs, 100 * dayMs]) {
      service.clock.advance(wait)
      const stillDead = { outcome: 'dead', nextAttemptAt: null, attempts: 8 }
      expect(await attempt(service.deps, _id)).to.deep.equal(stillDead)
    }
    expect(attemptsAt(_id)).to.equal(8)
    const { status, attempts, attemptLog } = await storedDelivery(service, { _id })
    expect([status, attempts, attemptLog.length]).to.deep.equal(['DEAD', 8, 8])
  })

  it('counts each wait from the end of the failed attempt', async () => {
    const { _id } = await freshDelivery(service, merchant)
    const startedAt = service.clock.now().getTime()
    endpointServer.respondWith((res) => {
      service.clock.advance(20_000)
      res.writeHead(500).end()
    })
    expect(dueAt(await attempt(service.deps, _id)) - startedAt).to.equal(20_000 + 30_000)
  })

  it("isn't affected by a response's Retry-After header", async () => {
    const waits = []
    const values: [status: number, value: string][] = [
      [503, '45'],
      [503, '3600'],
      [429, '59'],
      [500, '5'],
      [301, '0'],
      [503, 'Wed, 01 Jan 2031 00:00:00 GMT'],
    ]
    for (const [status, value] of values) {
      endpointServer.respondWith((res) => void res.writeHead(status, { 'Retry-After': value }).end())
      const { _id } = await freshDelivery(service, merchant)
      waits.push((dueAt(await attempt(service.deps, _id)) - service.clock.now().getTime()) / 1000)
    }
    expect(waits).to.deep.equal(values.map(() => 30))
  })
})
