import type { ServerResponse } from 'node:http'
import { deliveryLeaseMs } from '../../src/webhooks/deliveries/delivery.ts'
import { deliveriesOf, recordFailures, relay, subscribe } from '../support/actions.ts'
import { withEndpointServerPerTest } from '../support/endpoint-server.ts'
import { withServiceAndMerchantPerTest } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { beforeInsert, createIntents } from './set-up.ts'

describe('Deleting or disabling an endpoint', () => {
  const { service, merchant } = withServiceAndMerchantPerTest()
  const endpointServer = withEndpointServerPerTest()
  let endpointId: string
  beforeEach(async () => {
    ;({ id: endpointId } = await subscribe(service, merchant, endpointServer.url, ['payment.created']))
  })
  const path = () => `/api/v1/dev/webhooks/endpoints/${endpointId}`
  const ways = {
    deleted: () => service.http.delete(path()).set(merchant.write()).expect(200),
    disabled: () => service.http.put(path()).set(merchant.write()).send({ active: false }).expect(200),
  }
  const statuses = async () => (await deliveriesOf(service, merchant)).map(({ status }) => status)
  /** Holds each request. Returns the responses to those that the sender has not ended. */
  function holdOpen() {
    const open = new Set<ServerResponse>()
    endpointServer.respondWith((res) => {
      open.add(res)
      res.on('close', () => open.delete(res))
    })
    return open
  }
  const create = (count: number) => createIntents(service, merchant, count)

  for (const [what, stop] of Object.entries(ways)) {
    it(`cancels the endpoint's deliveries that are in flight or waiting for a slot (${what})`, async () => {
      await recordFailures(service, endpointId)
      const open = holdOpen()
      const workers = service.startWorkers()
      await create(5)
      await waitFor('all are inserted', async () => (await statuses()).length === 5)
      await endpointServer.atLeast(2)
      expect(service.deps.slots.inFlight()).to.equal(2)
      await stop()
      await waitFor('all are cancelled', async () => {
        await service.deps.leases.renew()
        return (await statuses()).every((status) => status === 'CANCELLED')
      })
      await waitFor('the requests end', () => open.size === 0)
      await waitFor('the slots are free', () => service.deps.slots.inFlight() === 0)
      await waitFor('no endpoint waits', () => service.deps.slots.waiting().length === 0)
      expect(endpointServer.received).to.have.length(2)
      const untriedCancelled = { status: 'CANCELLED', attempts: 0, nextAttemptAt: null, leaseToken: null }
      for (const delivery of await deliveriesOf(service, merchant))
        expect(delivery).to.include(untriedCancelled)
      const counted: Record<string, unknown>[] = (await service.deps.metrics.attempts.get()).values
        .filter(({ value }) => value > 0)
        .map(({ labels }) => labels)
      const lost = counted.filter(({ outcome }) => outcome === 'lease-lost')
      expect(lost.map(({ stage }) => stage)).to.deep.equal(['none'])
      await workers.close()
    })
    it(`cancels a leased delivery, even if a process with a fast clock renewed the lease (${what})`, async () => {
      await create(1)
      await relay(service, merchant)
      const ahead = new Date(service.deps.now().getTime() + deliveryLeaseMs + 1_000)
      const leased = { leaseToken: 'of another process', nextAttemptAt: ahead }
      await service.deps.Delivery.updateMany({ endpointId }, { $set: leased })
      await stop()
      expect(await statuses()).to.deep.equal(['CANCELLED'])
    })
    it(`cancels a delivery inserted by a relay that read the endpoint earlier (${what})`, async () => {
      const late = beforeInsert(service.deps, stop)
      await create(1)
      service.deps.slots.open()
      expect(await relay(service, merchant, late)).to.deep.equal({ events: 1, deliveries: 1 })
      await service.deps.backgroundWork.ended()
      service.deps.slots.close()
      expect(await statuses()).to.deep.equal(['CANCELLED'])
      expect(endpointServer.received).to.have.length(0)
      expect(service.deps.slots.inFlight()).to.equal(0)
    })
  }

  it('ends attempts in flight within 3 s', async () => {
    const open = holdOpen()
    const workers = service.startWorkers()
    await create(1)
    await endpointServer.atLeast(1)
    await ways.deleted()
    expect(await statuses()).to.deep.equal(['CANCELLED'])
    await waitFor('the request ends', () => open.size === 0, 4_500)
    await workers.close()
  })
})
