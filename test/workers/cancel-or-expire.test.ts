import { expect } from 'chai'
import type { Deps } from '../../src/deps.ts'
import { expireIntent } from '../../src/intents/expire.ts'
import { cancelIntent, createIntent } from '../support/actions.ts'
import { withMerchant, withService } from '../support/service.ts'
import { openVictim } from '../support/victim.ts'

const dayMs = 86_400_000

describe('A concurrent cancellation and expiry', () => {
  const service = withService()
  const merchant = withMerchant(service)

  it('has one winner and one event, 1 000 times', async function () {
    this.timeout(30_000)
    const count = 1000
    const instant = new Date('2032-01-01T00:00:00Z')
    service.clock.freeze(instant)
    const references: string[] = []
    await inChunks(count, 100, async () => {
      references.push((await createIntent(service, merchant)).referenceNumber)
    })
    // The clocks of two machines are never quite the same: to the API there is time left, to the worker there is none.
    service.clock.freeze(new Date(instant.getTime() + dayMs - 1))
    const worker: Deps = { ...service.deps, now: () => new Date(instant.getTime() + dayMs) }
    const winners = new Map<string, 'cancel' | 'expire'>()
    await inChunks(count, 50, async (index) => {
      const referenceNumber = references[index] ?? ''
      // A third each: the cancel first, the expiry first, and both at once.
      const cancelling = index % 3 === 1 ? null : cancelIntent(service, merchant, referenceNumber)
      if (index % 3 === 0) await cancelling
      const { expired } = await expireIntent(worker, referenceNumber)
      const { status, body } = await (cancelling ?? cancelIntent(service, merchant, referenceNumber))
      if (!expired) expect(status).to.equal(200)
      else expect(JSON.stringify(body)).to.match(/"INTENT_CANCEL_(CONFLICT|INVALID_STATUS)"/)
      winners.set(referenceNumber, expired ? 'expire' : 'cancel')
    })
    expect(new Set(winners.values())).to.have.property('size', 2)
    const { businessId } = merchant
    const intents = await service.deps.Intent.find({ businessId }).lean()
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

  /** Both on one intent whose time is up for the worker only; the victim pauses at its step while the other acts. */
  async function race(step: number, paused: 'cancel' | 'expire') {
    const instant = new Date('2033-01-01T00:00:00Z')
    service.clock.freeze(instant)
    const { referenceNumber } = await createIntent(service, merchant)
    service.clock.freeze(new Date(instant.getTime() + dayMs - 1))
    const late = paused === 'cancel' ? 0 : -1
    const victim = await openVictim(service, { step, fate: 'paused', lateMs: late })
    const worker: Deps = { ...service.deps, now: () => new Date(instant.getTime() + dayMs) }
    const cancel = async (origin: string) => {
      const { status, body } = await cancelIntent({ ...service, origin }, merchant, referenceNumber)
      return status === 200 ? 'cancelled' : body.error.code
    }
    const expire = async (deps: Deps) =>
      (await expireIntent(deps, referenceNumber)).expired ? 'expired' : 'not'
    const own = paused === 'cancel' ? cancel(victim.origin) : expire(victim.deps)
    const reached = await Promise.race([victim.died.then(() => true), own.then(() => false)])
    const other = await (paused === 'cancel' ? expire(worker) : cancel(service.origin))
    await victim.release()
    const outcome = `${await own}, ${other}`
    const at = victim.steps[step - 1] ?? 'ended'
    await victim.close()
    const intent = await service.deps.Intent.findOne({ referenceNumber }).lean()
    const told = intent?.outbox.map(({ event }) => event).join()
    return { reached, at, outcome, told }
  }

  /** What comes of it wherever the one is paused while the other acts. */
  async function raceEverywhere(paused: 'cancel' | 'expire') {
    const outcomes: Record<string, string> = {}
    for (let step = 1, reached = true; reached; step += 1) {
      const raced = await race(step, paused)
      reached = raced.reached
      outcomes[raced.at] = `${raced.outcome}: ${raced.told}`
    }
    return outcomes
  }

  it('ends with the expiry if the cancellation pauses before its write, and with the cancellation if it pauses after', async () => {
    const tooLate = 'INTENT_CANCEL_INVALID_STATUS, expired: payment.created,payment.expired'
    const cancelled = 'cancelled, not: payment.created,payment.cancelled'
    expect(await raceEverywhere('cancel')).to.deep.equal({
      'mongodb aggregate': tooLate,
      'mongodb insert': tooLate,
      // Read as PENDING, and changed before its write.
      'mongodb findAndModify': 'INTENT_CANCEL_CONFLICT, expired: payment.created,payment.expired',
      'enqueue outbox-relay': cancelled,
      'mongodb update': cancelled,
      ended: cancelled,
    })
  })

  it('ends with the cancellation if the expiry pauses before its write, and with the expiry if it pauses after', async () => {
    const cancelled = 'not, cancelled: payment.created,payment.cancelled'
    const expired = 'expired, INTENT_CANCEL_INVALID_STATUS: payment.created,payment.expired'
    expect(await raceEverywhere('expire')).to.deep.equal({
      'mongodb find': cancelled,
      'mongodb update': cancelled,
      'enqueue outbox-relay': expired,
      ended: expired,
    })
  })
})

/** Calls `act` for 0 to count - 1, so many at once. */
async function inChunks(count: number, size: number, act: (index: number) => Promise<void>): Promise<void> {
  for (let start = 0; start < count; start += size)
    await Promise.all(
      Array.from({ length: Math.min(size, count - start) }, (_, offset) => act(start + offset)),
    )
}
