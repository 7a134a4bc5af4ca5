import { groupsOf } from '../groups.ts'
import { formsIn } from '../responses.ts'
import type { Check, Round } from '../round.ts'

interface Moved {
  reference: string
  amount: number
  businessId: string
  /** Of a refund: the key of its payment. */
  paymentKey: string | null
}

/**
 * The provider's books agree with the intents about live money: the same payments and refunds, ordered once, from a
 * phone number that a customer typed (docs/operators/wallet-provider.md).
 */
export const providerBalances: Check = function* (round) {
  const orders = round.provider.filter(({ type }) => type === 'order')
  for (const [key, some] of groupsOf(orders, (order) => order.key))
    if (some.length > 1) yield [key, `was ordered ${some.length} times`]
  const due = movedIn(round)
  const made = new Map(
    round.provider
      .filter(({ decided, status }) => decided && status === 'succeeded')
      .map((request) => [request.key, request]),
  )
  for (const [key, { reference, amount }] of due)
    if (made.get(key)?.amount !== amount)
      yield [reference, `moved ${amount} as ${key}, but the provider ${made.get(key)?.amount ?? 'nothing'}`]
  const phones = groupsOf(formsIn(round.calls), ({ id }) => id)
  for (const [key, order] of made) {
    const intent = due.get(key)
    if (intent === undefined)
      yield [key, `is a ${order.kind} of ${order.amount} at the provider, and of no intent`]
    else if (order.paymentKey !== intent.paymentKey)
      yield [intent.reference, `${key} was ordered of another payment`]
    if (intent === undefined || order.kind === 'refund') continue
    if (order.reference !== intent.reference || order.businessId !== intent.businessId)
      yield [intent.reference, `${key} was ordered for ${order.reference} of ${order.businessId}`]
    if (!phones.get(key)?.some(({ phone }) => phone === order.phone))
      yield [intent.reference, `${key} was ordered from a phone number that no customer typed`]
  }
}

function movedIn({ dump }: Round): Map<string, Moved> {
  const due = new Map<string, Moved>()
  for (const { referenceNumber: reference, businessId, payment, refunds } of dump.intents) {
    if (payment === null || !payment.wallet.startsWith('live:')) continue
    const paid = payment.amountPaid + payment.commission.payerTtc
    due.set(payment.key, { reference, amount: paid, businessId, paymentKey: null })
    for (const { id, amount, returnedFees, status } of refunds) {
      const total = amount + returnedFees.payerTtc
      if (status === 'SUCCEEDED')
        due.set(id, { reference, amount: total, businessId, paymentKey: payment.key })
    }
  }
  return due
}
