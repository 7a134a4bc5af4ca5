import { isDeepStrictEqual } from 'node:util'
import { faultsInChain } from '../../../support/ledger-chain.ts'
import type { DeliveryDocument, IntentDocument, LedgerDocument } from '../documents.ts'
import { groupsOf } from '../groups.ts'
import type { Check, Findings, Round } from '../round.ts'

/**
 * The ledger of each business and environment is a chain without gaps, whose days are closed for ever. To the centime,
 * its entries are the payments, refunds and fees of the intents and of their events, each once, and the payouts.
 */
export const ledgerExact: Check = function* (round) {
  const { ledgerentries: entries, deliveries } = round.dump
  const chains = groupsOf(entries, ({ businessId, sandbox }) => `${businessId} ${sandbox ? 'test' : 'live'}`)
  for (const [owner, own] of chains) {
    const isCut = round.mayBeCleaned({ sandbox: own[0]?.sandbox === true, createdAt: round.setting.beganAt })
    for (const message of faultsInChain(own, isCut)) yield [`the ledger of ${owner}`, message]
  }
  yield* booked(round)
  const amountOf = new Map(entries.map(({ _id, amount }) => [_id, amount]))
  for (const delivery of deliveries) {
    const { referenceNumber, event } = delivery
    if (round.mayBeCleaned(delivery)) continue
    const due = amountsOf(delivery)
    const own = [delivery.eventId, `${delivery.eventId}-fee`].map((id) => amountOf.get(id) ?? 0)
    if (due !== null && !isDeepStrictEqual(own, due))
      yield [referenceNumber, `${event} reports ${due.join()}, and the ledger has ${own.join()}`]
  }
}

/** Compares the entries with the intents. The clean-up may have removed old intents of the sandbox. */
function* booked({ dump, mayBeCleaned, intentOf, setting }: Round): Findings {
  const due = new Map(dump.intents.flatMap(dueOf))
  const left = new Map(dump.intents.filter((intent) => !mayBeCleaned(intent)).flatMap(dueOf))
  const seen = new Set<string>()
  for (const entry of dump.ledgerentries) {
    const { type, amount, referenceNumber = '', sandbox } = entry
    if (type === 'closing' || type === 'payout') continue
    const key = keyOf(entry)
    const isGone = !intentOf.has(referenceNumber) && mayBeCleaned({ sandbox, createdAt: setting.beganAt })
    if (seen.has(key) || (due.get(key) !== amount && !isGone))
      yield [referenceNumber, `has a ${type} of ${amount} in the ledger, and not ${due.get(key) ?? 'one'}`]
    seen.add(key)
    left.delete(key)
  }
  for (const [key, amount] of left) yield [key, `of ${amount} is not in the ledger`]
}

type Keyed = Pick<LedgerDocument, 'businessId' | 'sandbox' | 'type' | 'referenceNumber' | 'refundId'>
const keyOf = ({ businessId, sandbox, type, referenceNumber, refundId = '' }: Keyed): string =>
  `${type} ${referenceNumber} ${refundId} of ${businessId} ${sandbox ? 'test' : 'live'}`

/** The entries of an intent with their amounts. There is no entry for a fee of 0. */
function dueOf(intent: IntentDocument): [string, number][] {
  const { payment, refunds } = intent
  const made = refunds.filter(({ status }) => status === 'SUCCEEDED')
  const due: [Pick<Keyed, 'type' | 'refundId'>, number][] = [
    [{ type: 'payment' }, payment?.amountPaid ?? 0],
    [{ type: 'fee' }, -(payment?.commission.providerTtc ?? 0)],
    ...made.flatMap(({ id: refundId, amount, returnedFees }): typeof due => [
      [{ type: 'refund', refundId }, -amount],
      [{ type: 'fee', refundId }, returnedFees.providerTtc],
    ]),
  ]
  return due.flatMap(([entry, amount]) => (amount === 0 ? [] : [[keyOf({ ...intent, ...entry }), amount]]))
}

/** The amounts of the entry of an event and of its fee, or null if it has none. */
function amountsOf({ event, facts }: DeliveryDocument): [number, number] | null {
  const { amount = 0, commission, refund } = facts
  if (event === 'payment.confirmed') return [amount, 0 - (commission?.providerTtc ?? 0)]
  if (event !== 'payment.refunded' || refund === undefined) return null
  return [-refund.amount, refund.returnedFees.providerTtc]
}
