import * as lifecycle from '../../src/intents/lifecycle.ts'

const [now, expiresAt, updatedAt] = [new Date(5000), new Date(7000), new Date(3000)]
const [none, never] = [undefined, null]
const free = { expiresAt: { $gt: now }, hold: null }
const open = ['PENDING']
const cancelled = (event: string, reason: string) => [open, 'CANCELLED', event, reason, true]
const ended = new Date(0)
const due = { cancelsAt: { $lte: now } }

/** SPEC 3: from, to, event, reason of a cancellation, whether the reference is free, guard, time, `cancelsAt`. */
const expected: Record<lifecycle.TransitionName, unknown[]> = {
  pay: [open, 'PAID', 'payment.confirmed', none, false, none, none, never],
  decline: [open, 'PENDING', 'payment.failed', none, false, none, none, expiresAt],
  fail: [open, 'FAILED', 'payment.failed', none, true, none, none, never],
  refund: [['PAID', 'REFUNDED'], 'REFUNDED', 'payment.refunded', none, false, none, none, never],
  cancel: [...cancelled('payment.cancelled', 'requested_by_merchant'), free, none, ended],
  cancelByOperator: [...cancelled('payment.cancelled', 'cancelled_by_operator'), free, none, ended],
  expire: [...cancelled('payment.expired', 'expired'), due, expiresAt, ended],
}

describe('The lifecycle of an intent', () => {
  for (const [name, row] of Object.entries(expected))
    it(`allows the transition ${name} as SPEC 3 says`, () => {
      const transition: lifecycle.Transition = lifecycle.transitions[name as lifecycle.TransitionName]
      const { from, to, event, cancellationReason, guard, at } = transition
      const times = [guard?.(now), at?.({ expiresAt, updatedAt }), lifecycle.cancelsAtOf(to, { expiresAt })]
      expect([from, to, event, cancellationReason, lifecycle.freesReference(to), ...times]).to.deep.equal(row)
    })

  it('allows only the transitions listed here', () =>
    expect(lifecycle.transitions).to.have.all.keys(Object.keys(expected)))

  it('expires an intent at its expiry time, or at the end of a payment that was still in progress then', () => {
    const at = (heldMs: number) =>
      Number(lifecycle.transitions.expire.at({ expiresAt, updatedAt: new Date(heldMs) }))
    expect([6999, 7000, 7001].map(at)).to.deep.equal([7000, 7000, 7001])
  })

  it('accepts no payment in the last second, when another process may already see the intent as expired', () => {
    expect(lifecycle.changeableIntents(now)).to.deep.equal(free)
    expect(lifecycle.payableFilter(now)).to.deep.equal({ expiresAt: { $gt: new Date(6000) }, hold: null })
    const isOpen = (end: number): boolean => lifecycle.isSurelyUnexpired({ expiresAt: new Date(end) }, now)
    expect([isOpen(5999), isOpen(6000), isOpen(6001)]).to.deep.equal([false, false, true])
  })

  it('lets customers pay only PENDING intents and merchants refund only paid ones', () => {
    const statuses = ['PENDING', 'PAID', 'REFUNDED', 'CANCELLED', 'FAILED'] as const
    expect(statuses.filter(lifecycle.isPending)).to.deep.equal(['PENDING'])
    expect(statuses.filter(lifecycle.isRefundable)).to.deep.equal(['PAID', 'REFUNDED'])
  })

  it('represents “never cancels” and “already cancelled” by the latest and the earliest possible date', () => {
    const { neverCancelsAt, alreadyCancelledAt } = lifecycle
    expect([neverCancelsAt, alreadyCancelledAt]).to.deep.equal([new Date(8.64e15), new Date(0)])
  })
})
