import { expireIntent } from '../../src/intents/expire.ts'
import type { Deps } from '../../src/platform/deps.ts'
import { cancelIntent, createIntent } from '../support/actions.ts'
import { closeInBackground } from '../support/closing.ts'
import { withServiceAndMerchant } from '../support/service.ts'
import { openVictim } from '../support/victim.ts'

const dayMs = 86_400_000

describe('A race between cancelling and expiring an intent', () => {
  const { service, merchant } = withServiceAndMerchant()
  /** The intent has expired only for the worker. The victim pauses at its step while the other acts. */
  async function race(step: number, paused: 'cancel' | 'expire') {
    const instant = new Date('2033-01-01T00:00:00Z')
    service.clock.freeze(instant)
    const { referenceNumber } = await createIntent(service, merchant)
    service.clock.freeze(new Date(instant.getTime() + dayMs - 1))
    const victim = await openVictim(service, { step, fate: 'paused', lateMs: paused === 'cancel' ? 0 : -1 })
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
    closeInBackground(victim.close())
    const intent = await service.deps.Intent.findOne({ referenceNumber }).lean()
    return { reached, at, outcome: `${outcome}: ${intent?.outbox.map(({ event }) => event).join()}` }
  }

  async function raceEverywhere(paused: 'cancel' | 'expire') {
    const outcomes: Record<string, string> = {}
    for (let step = 1, reached = true; reached; step += 1) {
      const raced = await race(step, paused)
      reached = raced.reached
      outcomes[raced.at] = raced.outcome
    }
    return outcomes
  }

  it('is won by the expiry only if the cancellation pauses before its own write', async () => {
    const tooLate = 'INTENT_CANCEL_INVALID_STATUS, expired: payment.created,payment.expired'
    const cancelled = 'cancelled, not: payment.created,payment.cancelled'
    const conflict = 'INTENT_CANCEL_CONFLICT, expired: payment.created,payment.expired'
    const { 'mongodb find': look, ...others } = await raceEverywhere('cancel')
    // The intent is read at the same time as the stored response.
    expect(look).to.be.oneOf([tooLate, conflict])
    expect(others).to.deep.equal({
      'mongodb aggregate': tooLate,
      // The intent was PENDING when it was read, and changed before the write.
      'mongodb update': conflict,
      'enqueue outbox-relay': cancelled,
      'mongodb insert': cancelled,
      ended: cancelled,
    })
  })

  it('is won by the cancellation only if the expiry pauses before its own write', async () => {
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
