import { expect } from 'chai'
import { createIntent, deliveriesOf, recordRecentSuccess, subscribe } from '../support/actions.ts'
import { type EndpointServer, type Received, startEndpointServer } from '../support/endpoint-server.ts'
import { type Merchant, withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { allDelivered, createIntents, holdRequests } from './set-up.ts'

/** A merchant with one endpoint. */
interface Shop {
  merchant: Merchant
  endpointServer: EndpointServer
  endpointId: string
}

/** From the API to the endpoint, with real workers. */
describe('An endpoint that is hanging or slow', () => {
  const service = withService()
  const endpointServers: EndpointServer[] = []
  before(() => {
    service.startWorkers()
  })
  after(() => Promise.all(endpointServers.map((endpointServer) => endpointServer.close())))

  async function openShop(shared?: EndpointServer): Promise<Shop> {
    const [merchant, endpointServer] = [await service.merchant(), shared ?? (await startEndpointServer())]
    if (shared === undefined) endpointServers.push(endpointServer)
    const { id: endpointId } = await subscribe(service, merchant, endpointServer.url, ['payment.created'])
    return { merchant, endpointServer, endpointId }
  }

  const sell = ({ merchant }: Shop, count: number) => createIntents(service, merchant, count)

  const isDone = ({ merchant }: Shop, count: number, withinMs?: number) =>
    allDelivered(service, merchant, count, withinMs)

  it('has only 2 attempts in flight if its health is unknown, and gets the remaining attempts once it responds again', async () => {
    const [bad, good] = [await openShop(), await openShop()]
    const requests = holdRequests(bad.endpointServer)
    await sell(bad, 12)
    await waitFor('the others wait', async () => (await deliveriesOf(service, bad.merchant)).length === 12)
    await bad.endpointServer.atLeast(2)
    expect(bad.endpointServer.received).to.have.length(2)

    await sell(good, 20)
    await isDone(good, 20)
    expect(bad.endpointServer.received).to.have.length(2)

    requests.release()
    const done = await isDone(bad, 12, 15_000)
    expect(bad.endpointServer.received).to.have.length(12)
    expect(new Set(done.map(({ attempts }) => attempts))).to.deep.equal(new Set([1]))
  })

  it("frees its fast slots after 5 s, so that the business's other endpoints are served", async () => {
    const bad = await openShop()
    await recordRecentSuccess(service, bad.endpointId)
    const requests = holdRequests(bad.endpointServer)
    const other = await startEndpointServer()
    endpointServers.push(other)
    await sell(bad, 60)
    await bad.endpointServer.atLeast(50)
    await subscribe(service, bad.merchant, other.url, ['payment.cancelled'])
    const { referenceNumber } = await createIntent(service, bad.merchant)
    const path = `/api/v1/dev/intents/${referenceNumber}/cancel`
    await service.http.post(path).set(bad.merchant.write()).expect(200)
    await other.atLeast(1, 5_000)
    expect(bad.endpointServer.received).to.have.length(50)
    // From now on it gets two attempts at a time.
    await bad.endpointServer.atLeast(52, 10_000)
    requests.release()
    await waitFor(
      'all are delivered',
      async () =>
        (await deliveriesOf(service, bad.merchant)).filter(({ status }) => status === 'DELIVERED').length ===
        62,
      20_000,
    )
    await waitFor('the slots are free', () => service.deps.slots.inFlight() === 0)
  })

  it("does not delay another business's endpoint on the same host", async () => {
    const bad = await openShop()
    await recordRecentSuccess(service, bad.endpointId)
    const requests = holdRequests(bad.endpointServer)
    await sell(bad, 60)
    await bad.endpointServer.atLeast(50)
    const good = await openShop(bad.endpointServer)
    const [intent] = await sell(good, 1)
    const isOfGood = ({ json }: Received) => json.data.reference_number === intent?.referenceNumber
    await waitFor('its webhook', () => bad.endpointServer.received.some(isOfGood))
    requests.release()
    await Promise.all([isDone(bad, 60, 20_000), isDone(good, 1)])
  })

  it('gets all events immediately if it takes only a second for each response', async () => {
    const slow = await openShop()
    slow.endpointServer.respondWith((res) => void setTimeout(() => res.end(), 1_000))
    // The endpoint begins with 2 slots and gets one more with each success.
    for (const count of [2, 4, 8, 16]) {
      const before = slow.endpointServer.received.length
      await sell(slow, count)
      const arrived = await slow.endpointServer.atLeast(before + count)
      const first = arrived[before]?.at ?? 0
      expect((arrived.at(-1)?.at ?? 0) - first, `${count} at once`).to.be.below(900)
      await isDone(slow, before + count)
    }
  })
})
