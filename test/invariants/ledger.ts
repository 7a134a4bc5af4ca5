import { isDeepStrictEqual } from 'node:util'
import type { Check } from './check.ts'
import type { LedgerDocument } from './documents.ts'
import { isOld, type Reported, reportedIn, type Source, wordsOf } from './events.ts'
import { groupsOf } from './groups.ts'
import { faultsInChain } from './ledger-chain.ts'

export const ledgerChain: Check = function* ({ ledgerentries }, { isCleaned }) {
  for (const [owner, own] of groupsOf(ledgerentries, wordsOf))
    for (const fault of faultsInChain(own, isCleaned && own[0]?.sandbox === true))
      yield [`the ledger of ${owner}`, fault]
}

/** Each payment, refund and fee has its entry, unless its event is in an outbox. */
export const ledgerEntries: Check = function* (stored, circumstances) {
  const { sources, events } = reportedIn(stored)
  const entries = new Map(stored.ledgerentries.map((entry) => [entry._id, entry]))
  const due = new Set<string>()
  for (const event of events.values()) {
    const source = sources.get(event.referenceNumber)
    for (const wanted of source === undefined ? [] : entriesOf(event, source)) {
      const { _id } = wanted
      due.add(_id)
      const entry = entries.get(_id)
      const isFree = !event.isRelayed || isOld(event, circumstances)
      if (entry === undefined && !isFree)
        yield [event.referenceNumber, `${event.event} (${_id}) is not in the ledger`]
      for (const [field, value] of Object.entries(wanted)) {
        const booked = entry?.[field as keyof LedgerDocument]
        if (entry !== undefined && !isDeepStrictEqual(booked, value))
          yield [
            event.referenceNumber,
            `${event.event} (${_id}) has the ${field} ${JSON.stringify(booked)} in the ledger`,
          ]
      }
    }
  }
  for (const { _id, type, amount, referenceNumber = '', sandbox } of entries.values()) {
    if (type === 'closing' || type === 'payout' || due.has(_id)) continue
    const isGone = sandbox && circumstances.isCleaned && !events.has(_id.slice(0, 24))
    if (!isGone)
      yield [referenceNumber || _id, `has a ${type} of ${amount} (${_id}) in the ledger, and no such event`]
  }
}

type Wanted = Partial<LedgerDocument> & Pick<LedgerDocument, '_id'>

function entriesOf({ id, event, facts }: Reported, { intent }: Source): Wanted[] {
  const { payment, refunds = [] } = intent ?? {}
  if (intent === undefined || !payment) return []
  const { businessId, sandbox, referenceNumber, merchantReference } = intent
  const owned = { businessId, sandbox, referenceNumber, merchantReference }
  const { payerPhone, commission } = payment
  const both = (
    occurredAt: number | undefined,
    fee: number,
    entry: Partial<Wanted>,
    more: Partial<Wanted>,
  ) => {
    const day = new Date(occurredAt ?? 0).toISOString().slice(0, 10)
    const shared = { ...owned, occurredAt, day, ...more } as Partial<Wanted>
    const ofFee: Wanted = { _id: `${id}-fee`, type: 'fee', amount: fee, ...shared }
    return [{ _id: id, payerPhone, ...shared, ...entry }, ...(fee === 0 ? [] : [ofFee])]
  }
  const paid = { type: 'payment', amount: payment.amountPaid, commission } as const
  if (event === 'payment.confirmed') return both(payment.paidAt, -commission.providerTtc, paid, {})
  const refund = refunds.find((each) => each.id === facts.refund?.id)
  if (event !== 'payment.refunded' || refund === undefined) return []
  const { id: refundId, amount, returnedFees, reason, createdAt: startedAt, refundedAt } = refund
  const entry = { type: 'refund', amount: -amount, returnedFees, reason, startedAt } as const
  return both(refundedAt, returnedFees.providerTtc, entry, { refundId })
}
