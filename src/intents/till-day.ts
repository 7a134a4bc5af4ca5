import type { Caller } from '../businesses/caller.ts'
import { maxListReadMs, type Page, type PageRequest, readPage } from '../lists/pagination.ts'
import type { Deps } from '../platform/deps.ts'
import { dayMs } from '../platform/time.ts'
import { succeededRefunds } from './find.ts'
import { type Intent, madeAtTill } from './intent.ts'
import { unlisted } from './list.ts'

interface TillDay extends PageRequest {
  /** A UTC day, such as `2026-12-02`. */
  day: string
  /** Those paid on that day, or those created on it and not paid since. */
  of: 'paid' | 'unpaid'
  /** Otherwise, the sums are left out. */
  hasSums: boolean
}

const index = 'tillDay'
const latestFirst = { 'payment.paidAt': -1, createdAt: -1, _id: -1 } as const

/** In centimes. A refund counts on the day of its payment, whenever it happens. */
export interface TillSum {
  personId: string
  payments: number
  paid: number
  refunded: number
}

/** Newest first. The sums are of all payments of that day. */
export async function listTillDay(
  deps: Pick<Deps, 'Intent'>,
  { businessId, sandbox }: Pick<Caller, 'businessId' | 'sandbox'>,
  { day, of, hasSums, ...slice }: TillDay,
): Promise<Page<Intent> & { sums: TillSum[] }> {
  const ofTill = { businessId, sandbox, ...madeAtTill }
  const from = new Date(`${day}T00:00:00.000Z`)
  const span = { $gte: from, $lt: new Date(from.getTime() + dayMs) }
  const paid = { ...ofTill, 'payment.paidAt': span }
  const unpaid = { ...ofTill, createdAt: span, 'payment.paidAt': null }
  const where = of === 'paid' ? paid : unpaid
  const [page, sums] = await Promise.all([
    readPage<Intent>(deps.Intent, { where, index, fields: unlisted, sort: latestFirst }, slice),
    hasSums ? sumPayments(deps, paid) : [],
  ])
  return { ...page, sums }
}

const refundedAmount = { $sum: { $map: { input: succeededRefunds, in: '$$this.amount' } } }

const sumPayments = ({ Intent: { collection } }: Pick<Deps, 'Intent'>, paid: object): Promise<TillSum[]> =>
  collection
    .aggregate<TillSum>(
      [
        { $match: paid },
        {
          $group: {
            _id: '$till.personId',
            payments: { $sum: 1 },
            paid: { $sum: '$payment.amountPaid' },
            refunded: { $sum: refundedAmount },
          },
        },
        { $sort: { _id: 1 } },
        { $project: { _id: 0, personId: '$_id', payments: 1, paid: 1, refunded: 1 } },
      ],
      { hint: index, maxTimeMS: maxListReadMs },
    )
    .toArray()
