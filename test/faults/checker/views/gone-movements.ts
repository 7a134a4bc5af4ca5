import type { Round } from '../round.ts'
import { intentsIn, referenceIn, type ShownIntent, shortCodeIn } from './answers.ts'
import { groupsOf } from './groups.ts'
import { isUnknown } from './requests.ts'

/** By how much less a wallet may have than its ledger says: what the clean-up took of that was at least and at most this. */
export interface Gone {
  least: number
  most: number
}

/**
 * What was taken from each wallet, by phone number, by payments that the clean-up took with their intents, less what went back: as answers showed the intents, and
 * where nobody saw one paid, or where it may have been simulated, between nothing and all of it.
 */
export function goneFrom(round: Round): Map<string, Gone> {
  const { calls, dump } = round
  const there = new Set(dump.intents.map(({ referenceNumber }) => referenceNumber))
  const sights = groupsOf(
    calls.flatMap(intentsIn).filter(({ referenceNumber }) => !there.has(referenceNumber)),
    ({ shortCode }) => shortCode,
  )
  const typed = calls.filter(({ what }) => what === 'pay.confirm')
  const gone = new Map<string, Gone>()
  for (const [shortCode, forms] of groupsOf(typed, ({ path }) => shortCodeIn(path) ?? '')) {
    const seen = sights.get(shortCode) ?? []
    const phones = new Set(forms.map(({ body }) => phoneIn(body)))
    const { least, most } = takenBy(round, seen)
    for (const phone of phones) {
      const known = gone.get(phone) ?? { least: 0, most: 0 }
      // Who of several paid nobody can tell.
      gone.set(phone, { least: known.least + (phones.size === 1 ? least : 0), most: known.most + most })
    }
  }
  return gone
}

const phoneIn = (body: unknown): string =>
  ((body ?? {}) as { phone?: string }).phone?.replaceAll(/\D/g, '') ?? ''

function takenBy(round: Round, seen: ShownIntent[]): Gone {
  const [first] = seen
  if (first === undefined) return { least: 0, most: 0 }
  const of = first.referenceNumber
  const refunded = Math.max(...seen.map(({ totalAmountRefunded = 0 }) => totalAmountRefunded))
  const paid = seen.map(({ payment }) => payment?.amountPaid).find((amount) => amount !== undefined)
  const own = round.requests.filter((request) => referenceIn(request) === of)
  const isSure = paid !== undefined && !own.some(({ what }) => what === 'simulate')
  const isRefundOpen = own.some((request) => request.what === 'refund' && isUnknown(request))
  const most = (paid ?? first.amount ?? Number.POSITIVE_INFINITY) - (isSure ? refunded : 0)
  return { least: isSure && !isRefundOpen ? most : 0, most }
}
