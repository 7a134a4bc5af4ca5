import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import type { Deps } from '../../src/deps.ts'
import { expireIntent } from '../../src/intents/expire.ts'
import { cancelIntent, createIntent } from '../support/acts.ts'
import { type House, type Merchant, openHouse } from '../support/house.ts'

const dayMs = 86_400_000

describe('of a cancel and an expiry at the same moment', () => {
  let house: House
  let merchant: Merchant
  before(async () => {
    house = await openHouse()
    merchant = await house.merchant()
  })
  after(() => house.close())

  it('one wins and one event is told, 1 000 times', async function () {
    this.timeout(30_000)
    const count = 1000
    const instant = new Date('2032-01-01T00:00:00Z')
    house.clock.freeze(instant)
    const references: string[] = []
    await inChunks(count, 100, async () => {
      references.push((await createIntent(house, merchant)).referenceNumber)
    })
    // The clocks of two machines are never quite the same: to the API there is time left, to the worker there is none.
    house.clock.freeze(new Date(instant.getTime() + dayMs - 1))
    const worker: Deps = { ...house.deps, now: () => new Date(instant.getTime() + dayMs) }
    const winners = new Map<string, 'cancel' | 'expire'>()
    let cancelMs = 10
    await inChunks(count, 50, async (index) => {
      const referenceNumber = references[index] ?? ''
      const startedAt = performance.now()
      // A tenth each begins when the other has ended; between these the cancel has a lead of up to what the last one took.
      const cancelling = index % 10 === 1 ? null : cancelIntent(house, merchant, referenceNumber)
      void cancelling?.then(() => (cancelMs = performance.now() - startedAt))
      if (index % 10 === 0) await cancelling
      else if (index % 10 > 1) await pause(Math.random() * cancelMs)
      const { expired } = await expireIntent(worker, referenceNumber)
      const { status, body } = await (cancelling ?? cancelIntent(house, merchant, referenceNumber))
      if (!expired) expect(status).to.equal(200)
      else expect(JSON.stringify(body)).to.match(/"INTENT_CANCEL_(CONFLICT|INVALID_STATUS)"/)
      winners.set(referenceNumber, expired ? 'expire' : 'cancel')
    })
    expect(new Set(winners.values())).to.have.property('size', 2)
    const { businessId } = merchant
    const intents = await house.deps.Intent.find({ businessId }).lean()
    const told = intents.map(({ referenceNumber, status, cancellationReason, outbox }) => [
      referenceNumber,
      status,
      cancellationReason,
      outbox.map(({ event }) => event).join(),
    ])
    expect(told).to.have.deep.members(
      references.map((reference) => [
        reference,
        'CANCELLED',
        ...(winners.get(reference) === 'cancel'
          ? ['requested_by_merchant', 'payment.created,payment.cancelled']
          : ['expired', 'payment.created,payment.expired']),
      ]),
    )
  })
})

/** Calls `act` for 0 to count - 1, so many at once. */
async function inChunks(count: number, size: number, act: (index: number) => Promise<void>): Promise<void> {
  for (let start = 0; start < count; start += size)
    await Promise.all(
      Array.from({ length: Math.min(size, count - start) }, (_, offset) => act(start + offset)),
    )
}
