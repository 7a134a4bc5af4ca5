import { expect } from 'chai'
import { mongo } from 'mongoose'
import { maxRefunds } from '../../schemas/refund.ts'
import type { Intent } from '../../src/intents/intent.ts'
import type { Refund } from '../../src/intents/refunds/refund-record.ts'
import { settleRefund } from '../../src/intents/refunds/settle.ts'
import { noDeadline } from '../../src/mongo/batching/batcher.ts'
import { type IntentSource } from '../../src/outbox/outbox-batchers.ts'
import { readOutboxes } from '../../src/outbox/read-outboxes.ts'
import { relayOutboxes } from '../../src/outbox/relay.ts'
import { newId } from '../../src/security/ids.ts'
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

  /** Appends copies of the last item of a list, each with an id of its own. */
  async function copyLast(referenceNumber: string, list: 'outbox' | 'refunds', count: number) {
    excuse([referenceNumber])
    const last = (await storedIntent(service, referenceNumber))[list].at(-1)
    const $each = Array.from({ length: count }, () => ({ ...last, id: newId() }))
    const $push = { [list]: { $each } }
    await service.deps.Intent.collection.updateOne({ referenceNumber }, { $push } as never)
  }

  /** Makes 200 declined payments, one that succeeds, and 1 000 refunds, of which 10 have an event. */
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

  it('can have 1 000 refunds with full metadata, and each of more events than are read at a time is delivered exactly once', async () => {
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

  /** Stores `large` copies of an intent with full metadata and `small` copies of a small one. Returns their ids. */
  async function storeMany(large: number, small: number): Promise<string[]> {
    const created = await Promise.all(
      [fullMetadata, {}].map((metadata) => createIntent(service, merchant, { amount: 1, metadata })),
    )
    const [big, little] = await Promise.all(
      created.map(({ referenceNumber }) => storedIntent(service, referenceNumber)),
    )
    const copies = Array.from({ length: large + small }, (_, at) => (at < large ? big : little))
    const stored = copies.map((copied) => {
      const { requestKey: _requestKey, ...like } = copied as Intent
      const _id = newId()
      return { ...like, _id, codeKey: _id, referenceNumber: _id, shortCode: _id }
    })
    excuse([...created, ...stored].map(({ referenceNumber }) => referenceNumber))
    await service.deps.Intent.collection.insertMany(stored as never[])
    return stored.map(({ _id }) => _id)
  }

  it('is read together with other intents, small ones first, in groups of at most 4 MiB including metadata', async () => {
    const ids = await storeMany(60, 250)
    const groups: IntentSource[][] = []
    for await (const { intents } of readOutboxes(service.deps, { intentIds: ids, orderIds: [] })) groups.push(intents)
    expect(groups.flat().map(({ _id }) => _id)).to.have.members(ids)
    for (const some of groups) expect(mongo.BSON.calculateObjectSize({ some })).to.be.below(4 * 1024 * 1024)
    const pairsIn = (some: IntentSource[]) => some.map((each) => ('metadata' in each ? each.metadata.length : 0))
    expect(groups.map((some) => [some.length, ...new Set(pairsIn(some))])).to.deep.equal([
      [40, 0],
      [50, 0],
      [50, 0],
      [50, 0],
      [50, 0],
      [10, 0],
      [27, 50],
      [27, 50],
      [6, 50],
    ])
  })

  it('is read 200 events at a time, as long as the caller removes the events that were read', async () => {
    const [_id = ''] = await storeMany(1, 0)
    const event = (await service.deps.Intent.findById(_id).orFail().lean()).outbox[0]
    const outbox = Array.from({ length: 450 }, () => ({ ...event, id: newId() }))
    await service.deps.Intent.collection.updateOne({ _id } as never, { $set: { outbox } })
    const counts = async (handle: (intent: IntentSource) => Promise<unknown>) => {
      const found: number[] = []
      for await (const { intents } of readOutboxes(service.deps, { intentIds: [_id], orderIds: [] }))
        for (const intent of intents) {
          found.push(intent.outbox.length)
          await handle(intent)
        }
      return found
    }
    expect(await counts(async () => undefined)).to.deep.equal([200])
    const remove = async (intent: IntentSource) =>
      service.deps.batchers.emptyIntentOutbox({ _id, events: intent.outbox.map(({ id }) => id) }, noDeadline)
    expect(await counts(remove)).to.deep.equal([200, 200, 50])
  })

  it('waits for the next poll if its business already occupies half of the relay groups, without delaying other businesses', async () => {
    const [_id = ''] = await storeMany(1, 0)
    const { largeOutboxes } = service.deps
    const free = [1, 2, 3, 4].map(() => largeOutboxes.takeNow(merchant.businessId))
    expect(largeOutboxes.takeNow(merchant.businessId)).to.equal(null)
    expect(await relayOutboxes(service.deps, { intentIds: [_id], orderIds: [] })).to.include({ events: 0 })
    largeOutboxes.takeNow('another')?.()
    for (const each of free) each?.()
    expect(await relayOutboxes(service.deps, { intentIds: [_id], orderIds: [] })).to.include({ events: 1 })
  })

  it('rejects further payments while 8 MiB of events are waiting, and accepts payments again once the events are relayed', async () => {
    const { referenceNumber, shortCode } = await createIntent(service, merchant)
    excuse([referenceNumber], 'events once')
    const [event] = (await storedIntent(service, referenceNumber)).outbox
    const filled = Array.from({ length: 420 }, () => ({
      ...event,
      id: newId(),
      requestId: 'r'.repeat(20_000),
    }))
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
