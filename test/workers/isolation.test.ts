import { expect } from 'chai'
import { createSlots, fastForMs } from '../../src/webhooks/attempts/slots.ts'
import {
  cancelIntent,
  createIntent,
  deliveriesOf,
  recordRecentSuccess,
  subscribe,
} from '../support/actions.ts'
import { type EndpointServer, startEndpointServer } from '../support/endpoint-server.ts'
import { type Merchant, withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { allDelivered, createIntents, holdRequests } from './set-up.ts'

interface Shop {
  merchant: Merchant
  endpointServer: EndpointServer
  endpointId: string
}

/** These tests go from the outbox to the endpoint, with real workers. */
describe('A slow or unresponsive endpoint', () => {
  const service = withService({ WEBHOOK_TIMEOUT_SECONDS: '60' })
  const endpointServers: EndpointServer[] = []
  const slowTimers = new Set<() => unknown>()
  before(() => {
    const after = (ms: number, act: () => unknown) => {
      if (ms === fastForMs) slowTimers.add(act)
      const timer = ms === fastForMs ? undefined : setTimeout(act, ms)
      return () => {
        slowTimers.delete(act)
        clearTimeout(timer)
      }
    }
    service.deps.slots = createSlots({ elapsedMs: () => performance.now(), after })
    service.startWorkers()
  })
  /** Lets 5 s pass for the attempts in flight. */
  const becomeSlow = () => {
    const due = [...slowTimers]
    slowTimers.clear()
    for (const act of due) act()
  }
  after(() => Promise.all(endpointServers.map((endpointServer) => endpointServer.close())))

  async function openShop(shared?: EndpointServer): Promise<Shop> {
    const [merchant, endpointServer] = [await service.merchant(), shared ?? (await startEndpointServer())]
    if (shared === undefined) endpointServers.push(endpointServer)
    const { id: endpointId } = await subscribe(service, merchant, endpointServer.url, ['payment.created'])
    return { merchant, endpointServer, endpointId }
  }

  const sell = ({ merchant }: Shop, count: number) => createIntents(service, merchant, count)

  const isDone = ({ merchant }: Shop, count: number) => allDelivered(service, merchant, count, 20_000)

  it('has at most 20 attempts in flight if it is new', async () => {
    const [bad, good] = [await openShop(), await openShop()]
    const requests = holdRequests(bad.endpointServer)
    await sell(bad, 24)
    await waitFor('the others wait', async () => (await deliveriesOf(service, bad.merchant)).length === 24)
    await bad.endpointServer.atLeast(20)
    expect(bad.endpointServer.received).to.have.length(20)

    await sell(good, 3)
    await isDone(good, 3)
    expect(bad.endpointServer.received).to.have.length(20)

    requests.release()
    const done = await isDone(bad, 24)
    expect(bad.endpointServer.received).to.have.length(24)
    expect(new Set(done.map(({ attempts }) => attempts))).to.deep.equal(new Set([1]))
  })

  it("delays neither its business's other endpoints nor other businesses on its host", async () => {
    const bad = await openShop()
    await recordRecentSuccess(service, bad.endpointId)
    const requests = holdRequests(bad.endpointServer)
    const other = await startEndpointServer()
    endpointServers.push(other)
    await sell(bad, 55)
    await bad.endpointServer.atLeast(50)
    await subscribe(service, bad.merchant, other.url, ['payment.cancelled'])
    const { referenceNumber } = await createIntent(service, bad.merchant)
    await cancelIntent(service, bad.merchant, referenceNumber)
    await other.atLeast(1)
    expect(bad.endpointServer.received).to.have.length(50)
    const good = await openShop(bad.endpointServer)
    const [intent] = await sell(good, 1)
    const last = (await bad.endpointServer.atLeast(51)).at(-1)
    expect(last?.json.data.reference_number).to.equal(intent?.referenceNumber)
    becomeSlow()
    // From now on it gets two attempts at a time.
    await bad.endpointServer.atLeast(53)
    expect(bad.endpointServer.received).to.have.length(53)
    requests.release()
    await Promise.all([isDone(bad, 57), isDone(good, 1)])
    await waitFor('the slots are free', () => service.deps.slots.inFlight() === 0)
  })
})
