import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { settleRefund } from '../../src/intents/refunds/settle.ts'
import { breaks } from '../invariants/expect-invariants.ts'
import { createIntent, outboxEvents, relay, subscribe } from '../support/actions.ts'
import { bytesOf, cause, fullMetadata, paymentsOf } from '../support/large-intents.ts'
import { beginOwnRefund, newRefund, storedIntent } from '../support/pay.ts'
import { withMerchant, withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

const many = 1_000

/** An endpoint that keeps only the id and the size of each webhook. */
async function startCounter() {
  const ids: string[] = []
  let bytes = 0
  const server = createServer((req, res) => {
    let id = ''
    req.on('data', (chunk: Buffer) => {
      if (id === '') id = chunk.toString('latin1', 7, 39)
      bytes += chunk.length
    })
    req.on('end', () => {
      ids.push(id)
      res.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    ids,
    bytes: () => bytes,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

describe('An intent with thousands of events', () => {
  const service = withService()
  const merchant = withMerchant(service)
  before(() => breaks(service, 'wallet movements'))

  /** Makes this many declined payments, one that succeeds, and this many refunds. No relay runs meanwhile. */
  async function makeEvents(referenceNumber: string): Promise<void> {
    const { intent, decline, succeed } = await paymentsOf(service, referenceNumber, many)
    for (let at = 0; at < many; at += 1) await decline()
    await succeed()
    const paid = await storedIntent(service, referenceNumber)
    for (let at = 0; at < many; at += 1) {
      const refund = { ...newRefund(service.deps, 1), reason: '💰'.repeat(200) }
      expect(await beginOwnRefund(service.deps, intent, { refundsCommitted: { $lte: many - 1 } }, refund)).to.equal(
        true,
      )
      const settled = await settleRefund(service.deps, paid, refund, { outcome: 'done' }, cause)
      expect(settled).to.equal(true)
    }
  }

  it('can have 1 000 refunds and 1 000 declined payments with full metadata, and each event is delivered exactly once', async () => {
    const endpointServer = await startCounter()
    const events = ['payment.created', 'payment.failed', 'payment.confirmed', 'payment.refunded']
    await subscribe(service, merchant, endpointServer.url, events)
    const input = { amount: many, metadata: fullMetadata }
    const { referenceNumber } = await createIntent(service, merchant, input)
    expect(await bytesOf(service, referenceNumber)).to.be.above(100_000)
    await makeEvents(referenceNumber)
    const bytes = await bytesOf(service, referenceNumber)
    expect(bytes).to.be.within(1_000_000, 4_000_000)
    const all = 2 * many + 2
    expect(await outboxEvents(service, merchant)).to.have.length(all)
    service.startWorkers()
    await relay(service, merchant)
    await waitFor('every event is delivered', () => endpointServer.ids.length >= all, 180_000)
    const open = { nextAttemptAt: { $type: 'date' } } as const
    const hasEnded = async () => (await service.deps.Delivery.countDocuments(open)) === 0
    await waitFor('every delivery has ended', hasEnded, 60_000)
    expect(await outboxEvents(service, merchant)).to.deep.equal([])
    expect(endpointServer.ids).to.have.length(all)
    expect(new Set(endpointServer.ids)).to.have.property('size', all)
    expect(endpointServer.bytes()).to.be.above(all * 100_000)
    endpointServer.close()
  })
})
