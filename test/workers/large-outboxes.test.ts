import { expect } from 'chai'
import { mongo } from 'mongoose'
import { maxRefunds } from '../../schemas/intents.ts'
import type { Refund } from '../../src/intents/records.ts'
import { settleRefund } from '../../src/intents/refunds/begin-and-settle.ts'
import { noDeadline } from '../../src/mongo/batchers.ts'
import { newId } from '../../src/platform/ids.ts'
import { excuse } from '../invariants/expect-invariants.ts'
import { createIntent, outboxEvents, relay, subscribe } from '../support/actions.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { bytesOf, cause, fullMetadata, paymentsOf } from '../support/large-intents.ts'
import { beginOwnRefund, newRefund, simulate, storedIntent } from '../support/pay.ts'
import { withMerchantPerTest, withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { allDelivered } from './set-up.ts'

describe('An intent with thousands of events', () => {
  const service = withService()
  const merchant = withMerchantPerTest(service)
  const endpointServer = withEndpointServer()

  /** Each copy gets its own id. */
  async function copyLast(referenceNumber: string, list: 'outbox' | 'refunds', count: number) {
    excuse([referenceNumber])
    const last = (await storedIntent(service, referenceNumber))[list].at(-1)
    const $each = Array.from({ length: count }, () => ({ ...last, id: newId() }))
    const $push = { [list]: { $each } }
    await service.deps.Intent.collection.updateOne({ referenceNumber }, { $push } as never)
  }

  /** 200 declined payments, a successful one, and 1 000 refunds, of which 10 have an event. */
  async function makeEvents(referenceNumber: string): Promise<void> {
    const { intent, decline, succeed } = await paymentsOf(service, referenceNumber, maxRefunds)
    const begin = (refund: Refund) =>
      beginOwnRefund(service.deps, intent, { refundsCommitted: { $lt: maxRefunds } }, refund)
    const refundOne = async () => {
      const refund = { ...newRefund(service.deps, 1), reason: '💰'.repeat(200) }
      expect(await begin(refund)).to.equal(true)
      const paid = await storedIntent(service, referenceNumber)
      const settled = await settleRefund(service.deps, paid, refund, { outcome: 'done' }, cause)
      expect(settled).to.equal(true)
    }
    await decline()
    await copyLast(referenceNumber, 'outbox', 198)
    await decline()
    await succeed()
    await refundOne()
    await copyLast(referenceNumber, 'refunds', maxRefunds - 2)
    await copyLast(referenceNumber, 'outbox', 8)
    await refundOne()
    expect(await begin(newRefund(service.deps, 1))).to.equal(false)
  }

  it('can have 1 000 refunds with full metadata', async () => {
    const events = ['payment.created', 'payment.confirmed', 'payment.refunded']
    await subscribe(service, merchant, endpointServer.url, events)
    const input = { amount: maxRefunds, metadata: fullMetadata }
    const { referenceNumber } = await createIntent(service, merchant, input)
    expect(await bytesOf(service, referenceNumber)).to.be.above(150_000)
    await makeEvents(referenceNumber)
    expect(await bytesOf(service, referenceNumber)).to.be.within(1_000_000, 4_000_000)
    expect(await outboxEvents(service, merchant)).to.have.length(212)
    const workers = service.startWorkers()
    await relay(service, merchant)
    await allDelivered(service, merchant, 12)
    await waitFor('the outbox is empty', async () => (await outboxEvents(service, merchant)).length === 0)
    await workers.close()
    const ids = endpointServer.received.map(({ json }) => json.id)
    expect([ids.length, new Set(ids).size]).to.deep.equal([12, 12])
    for (const { body } of endpointServer.received) expect(body).to.have.length.above(50_000)
    expect(await service.deps.LoggedEvent.countDocuments({ referenceNumber })).to.equal(212)
  })

  it('is read without metadata and ten events at a time, so no document in memory exceeds 16 KiB', async () => {
    const { referenceNumber } = await createIntent(service, merchant, {
      amount: maxRefunds,
      metadata: fullMetadata,
    })
    await makeEvents(referenceNumber)
    const { _id } = await storedIntent(service, referenceNumber)
    const { outbox: refunds } = await service.deps.Intent.findById(_id, { outbox: { $slice: -10 } })
      .orFail()
      .lean()
    await service.deps.Intent.updateOne({ _id }, { $set: { outbox: [...refunds, ...refunds] } })
    const read = await service.deps.batchers.findIntentOutbox(_id, noDeadline)
    expect(read?.outbox).to.have.length(10)
    expect(mongo.BSON.calculateObjectSize(read ?? {})).to.be.within(10_000, 16 * 1024)
  })

  it('rejects payments while 1 000 of its events are waiting', async () => {
    const { referenceNumber, shortCode } = await createIntent(service, merchant)
    excuse([referenceNumber], 'events once')
    const [event] = (await storedIntent(service, referenceNumber)).outbox
    const filled = Array.from({ length: 999 }, () => ({ ...event, id: newId() }))
    await service.deps.Intent.collection.updateOne({ referenceNumber }, {
      $push: { outbox: { $each: filled } },
    } as never)
    const state = async () => (await service.http.get(`/p/${shortCode}/status`)).body.state
    const refused = await simulate(service, merchant, referenceNumber)
    expect([refused.status, refused.body.error.code]).to.deep.equal([503, 'SERVICE_UNAVAILABLE'])
    expect(await state()).to.equal('unavailable')
    await relay(service, merchant)
    expect(await outboxEvents(service, merchant)).to.deep.equal([])
    expect(await state()).to.equal('pending')
    expect((await simulate(service, merchant, referenceNumber)).status).to.equal(200)
  })
})
