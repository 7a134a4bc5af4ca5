import { createAttemptSlots, fastAttemptMs } from '../../src/webhooks/attempts/slots.ts'
import { cancelIntent, createIntent, recordRecentSuccess, subscribe } from '../support/actions.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { withMerchant, withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { allDelivered, createIntents, holdRequests } from './set-up.ts'

describe('A slow or unresponsive endpoint', () => {
  const service = withService({ WEBHOOK_TIMEOUT_SECONDS: '60' })
  const [hanging, other] = [withEndpointServer(), withEndpointServer()]
  const merchant = withMerchant(service)
  const slowTimers = new Set<() => unknown>()
  before(() => {
    const after = (ms: number, act: () => unknown) => {
      if (ms === fastAttemptMs) slowTimers.add(act)
      const timer = ms === fastAttemptMs ? undefined : setTimeout(act, ms)
      return () => {
        slowTimers.delete(act)
        clearTimeout(timer)
      }
    }
    service.deps.slots = createAttemptSlots({ elapsedMs: () => performance.now(), after })
    service.startWorkers()
  })
  /** Lets 5 s pass for the attempts in flight. */
  const becomeSlow = () => {
    const due = [...slowTimers]
    slowTimers.clear()
    for (const act of due) act()
  }

  it("delays neither its business's other endpoints nor other businesses on its host", async () => {
    const { id } = await subscribe(service, merchant, hanging.url, ['payment.created'])
    await recordRecentSuccess(service, id)
    const requests = holdRequests(hanging)
    await createIntents(service, merchant, 55)
    await hanging.atLeast(50)
    await subscribe(service, merchant, other.url, ['payment.cancelled'])
    await cancelIntent(service, merchant, (await createIntent(service, merchant)).referenceNumber)
    await other.atLeast(1)
    expect(hanging.received).to.have.length(50)
    const neighbour = await service.merchant()
    await subscribe(service, neighbour, hanging.url, ['payment.created'])
    const [intent] = await createIntents(service, neighbour, 1)
    expect((await hanging.atLeast(51)).at(-1)?.json.data.reference_number).to.equal(intent?.referenceNumber)
    becomeSlow()
    // From now on it gets two attempts at a time.
    await hanging.atLeast(53)
    expect(hanging.received).to.have.length(53)
    requests.release()
    await Promise.all([
      allDelivered(service, merchant, 57, 20_000),
      allDelivered(service, neighbour, 1, 20_000),
    ])
    await waitFor('the slots are free', () => service.deps.slots.inFlight() === 0)
  })
})
