import type { EntryType } from '../../schemas/ledger.ts'
import { type ChainLink, chainIndex } from '../chains/append.ts'
import { type Collection, ifPresent } from '../mongo/collection.ts'
import type { Commission, ReturnedFees } from '../wallets/commission.ts'

/** The movements of one UTC day. Amounts are in centimes. Refunds, fees and payouts reduce the balance. */
export interface DayTotals {
  payments: { count: number; amount: number }
  refunds: { count: number; amount: number }
  /** The fees that the merchant paid minus the fees that refunds gave back. Negative if more was given back. */
  fees: { amount: number }
  payouts: { count: number; amount: number }
}

/** The state of an account after an entry. */
interface AccountState extends DayTotals {
  balance: number
  /** The balance at the start of the day of `bookedAt`. The totals are those of this day. */
  opening: number
  /** The number of entries so far, in total and by type. */
  entries: number
  byType: Record<EntryType, number>
}

/** The statement of a day that is over, as a closing marker records it. */
export interface ClosedDay extends DayTotals {
  opening: number
  closing: number
}

/** The facts of the payment or refund that an entry books. They are copied from the event, and never change. */
export interface EntryFacts {
  referenceNumber?: string
  /** Null if the merchant gave the intent no reference. */
  merchantReference?: string | null
  refundId?: string
  /** The time of the payment or refund. */
  occurredAt?: Date
  /** The time at which the refund began. */
  startedAt?: Date
  /** The masked phone number of the payer. */
  payerPhone?: string
  commission?: Commission
  returnedFees?: ReturnedFees
  /** The merchant's reason for the refund, or null. */
  reason?: string | null
  /** The reference of a payout. */
  payoutReference?: string
}

/**
 * An entry in the ledger of a business and environment, or a closing marker (docs/maintainers/architecture.md). Entries
 * never change. The entry of a payment or refund has the id of its event, and the entry of its fee has the same id with
 * `-fee`.
 */
export interface LedgerEntry extends ChainLink, EntryFacts {
  type: EntryType | 'closing'
  /** The change of the balance in centimes. 0 for a closing marker. */
  amount: number
  /** The time at which the entry was inserted. It never decreases along the chain. */
  bookedAt: Date
  /**
   * The UTC day to which the movement belongs, such as `2026-11-26`. If the day was already over when the movement was
   * booked, `bookedAt` is on a later day. For a closing marker, the closed day.
   */
  day: string
  /** The position among all entries, from 1. Merchants see it as `number`. Closing markers have none. */
  position?: number
  /** The position among the entries of the same type, from 1. */
  typePosition?: number
  after: AccountState
  /** The last day that a closing marker closes. There are no entries after `day` up to this day. */
  through?: string
  closed?: ClosedDay
}

const counted = { _id: false, count: Number, amount: Number }
const totals = {
  payments: counted,
  refunds: counted,
  fees: { _id: false, amount: Number },
  payouts: counted,
}

export const ledgerEntries: Collection = {
  name: 'ledgerentries',
  fields: {
    _id: String,
    businessId: String,
    sandbox: Boolean,
    number: Number,
    type: { type: String },
    amount: Number,
    bookedAt: Date,
    day: String,
    position: Number,
    typePosition: Number,
    after: {
      _id: false,
      balance: Number,
      opening: Number,
      ...totals,
      entries: Number,
      byType: { _id: false, payment: Number, refund: Number, fee: Number, payout: Number },
    },
    through: String,
    closed: { _id: false, opening: Number, closing: Number, ...totals },
    referenceNumber: String,
    merchantReference: String,
    refundId: String,
    occurredAt: Date,
    startedAt: Date,
    payerPhone: String,
    commission: Object,
    returnedFees: Object,
    reason: String,
    payoutReference: String,
  },
  indexes: [
    chainIndex,
    // Pages of lists are ranges of positions, so that a page far down a long list costs no more than the first one.
    { name: 'byPosition', key: { businessId: 1, sandbox: 1, position: 1 }, ...ifPresent('position') },
    { name: 'byType', key: { businessId: 1, sandbox: 1, type: 1, typePosition: 1 }, ...ifPresent('typePosition') },
    // With this index, the first and last positions of a period are found.
    { name: 'byTime', key: { businessId: 1, sandbox: 1, bookedAt: 1, number: 1 } },
    { name: 'closings', key: { businessId: 1, sandbox: 1, through: 1 }, ...ifPresent('through') },
  ],
}
