import { groupsOf } from '../groups.ts'
import { formsIn } from '../responses.ts'
import type { Check, Findings, Round } from '../round.ts'

const demoPin = '1234'

/**
 * The sandbox's wallets balance to the centime: initial balance minus payments plus refunds. Ledger and intents agree.
 * A payment came from the wallet whose phone number and PIN were typed.
 */
export const walletBalances: Check = function* (round) {
  yield* round.broken('wallet movements', 'wallet balances')
  yield* rightfully(round)
}

/** Payments have the key of the form that made them. */
function* rightfully({ calls, dump, setting }: Round): Findings {
  const done = dump.walletmovements.filter(({ result }) => result.outcome === 'done')
  const ledger = new Map(done.map((movement) => [movement._id, movement]))
  const forms = groupsOf(formsIn(calls), ({ id }) => id)
  const phoneOf = new Map(dump.wallets.map(({ _id, phone }) => [_id, phone]))
  for (const { referenceNumber, payment, refunds, sandbox } of dump.intents) {
    if (payment === null || payment.wallet === 'simulation') continue
    const pinOf = (phone: string): string | undefined =>
      (sandbox ? setting.wallets : setting.providerWallets).find((wallet) => wallet.phone === phone)?.pin ??
      (sandbox ? demoPin : undefined)
    const right = (forms.get(payment.key) ?? []).filter(({ phone, pin }) => pin === pinOf(phone))
    if (right.length === 0) yield [referenceNumber, 'was paid, but no customer typed a phone number and its PIN']
    const account = ledger.get(payment.key)?.accountId
    if (payment.wallet !== 'sandbox' || account === undefined) continue
    if (!right.some(({ phone }) => phone === phoneOf.get(account ?? '')))
      yield [referenceNumber, `was paid from wallet ${account}, whose phone number no customer typed`]
    for (const { id } of refunds)
      if ((ledger.get(id)?.accountId ?? account) !== account)
        yield [referenceNumber, `refund ${id} went to another wallet than ${account}`]
  }
}

/** `paymentKey`: of a refund, the key of its payment. */
type Moved = { reference: string; amount: number; businessId: string; paymentKey: string | null }

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
    if (intent === undefined) yield [key, `is a ${order.kind} of ${order.amount} at the provider, and of no intent`]
    else if (order.paymentKey !== intent.paymentKey) yield [intent.reference, `${key} was ordered of another payment`]
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
      if (status === 'SUCCEEDED') due.set(id, { reference, amount: total, businessId, paymentKey: payment.key })
    }
  }
  return due
}
