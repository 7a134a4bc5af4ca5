import { groupsOf, sumOf } from '../../../invariants/groups.ts'
import { formsIn } from '../responses.ts'
import type { Check, Round } from '../round.ts'

const refundBounded: Check = function* ({ dump, intentOf, broken }) {
  yield* broken('refunds bounded')
  const events = dump.deliveries.filter(({ event }) => event === 'payment.refunded')
  for (const some of groupsOf(events, (each) => `${each.referenceNumber} ${each.endpointId}`).values()) {
    const intent = intentOf(some[0]?.referenceNumber)
    const reported = sumOf(some, ({ facts }) => facts.refund?.amount ?? 0)
    if (intent !== undefined && reported > intent.refundsCommitted)
      yield [intent.referenceNumber, `an endpoint got events of refunds of ${reported}`]
  }
}

const ledgerExact: Check = ({ broken }) => broken('ledger chain', 'ledger entries')
const demoPin = '1234'

const walletBalances: Check = function* ({ calls, dump, setting, broken }) {
  yield* broken('wallet movements', 'wallet balances')
  const done = dump.walletmovements.filter(({ result }) => result.outcome === 'done')
  const accountOf = new Map(done.map(({ _id, accountId }) => [_id, accountId]))
  const forms = groupsOf(formsIn(calls), ({ id }) => id)
  const phoneOf = new Map(dump.wallets.map(({ _id, phone }) => [_id, phone]))
  for (const { referenceNumber, payment, refunds, sandbox } of dump.intents) {
    if (payment === null || payment.wallet === 'simulation') continue
    const pinOf = (phone: string): string | undefined =>
      (sandbox ? setting.wallets : setting.providerWallets).find((wallet) => wallet.phone === phone)?.pin ??
      (sandbox ? demoPin : undefined)
    const right = (forms.get(payment.key) ?? []).filter(({ phone, pin }) => pin === pinOf(phone))
    if (right.length === 0) yield [referenceNumber, 'was paid, but nobody typed a phone number and its PIN']
    const account = accountOf.get(payment.key)
    if (payment.wallet !== 'sandbox' || account === undefined) continue
    if (!right.some(({ phone }) => phone === phoneOf.get(account ?? '')))
      yield [referenceNumber, `was paid from wallet ${account}, whose phone number no customer typed`]
    for (const { id } of refunds)
      if ((accountOf.get(id) ?? account) !== account)
        yield [referenceNumber, `refund ${id} went to another wallet than ${account}`]
  }
}

const providerBalances: Check = function* (round) {
  const orders = round.provider.filter(({ type }) => type === 'order')
  for (const [key, some] of groupsOf(orders, (order) => order.key))
    if (some.length > 1) yield [key, `was ordered ${some.length} times`]
  const due = movedIn(round)
  const decided = round.provider.filter((each) => each.decided && each.status === 'succeeded')
  const made = new Map(decided.map((request) => [request.key, request]))
  for (const [key, { reference, amount }] of due)
    if (made.get(key)?.amount !== amount)
      yield [reference, `moved ${amount} as ${key}, but the provider ${made.get(key)?.amount ?? 'nothing'}`]
  const phones = groupsOf(formsIn(round.calls), ({ id }) => id)
  for (const [key, order] of made) {
    const intent = due.get(key)
    if (intent === undefined) yield [key, `is a ${order.kind} of ${order.amount}, and of no intent`]
    else if (order.paymentKey !== intent.paymentKey) yield [intent.reference, `${key} is of another payment`]
    if (intent === undefined || order.kind === 'refund') continue
    if (order.reference !== intent.reference || order.businessId !== intent.businessId)
      yield [intent.reference, `${key} was ordered for ${order.reference} of ${order.businessId}`]
    if (!phones.get(key)?.some(({ phone }) => phone === order.phone))
      yield [intent.reference, `${key} was ordered from a phone number that no customer typed`]
  }
}

function movedIn({ dump }: Round) {
  type Moved = { reference: string; amount: number; businessId: string; paymentKey: string | null }
  const due = new Map<string, Moved>()
  for (const { referenceNumber: reference, businessId, payment, refunds } of dump.intents) {
    if (payment === null || !payment.wallet.startsWith('live:')) continue
    const paid = payment.amountPaid + payment.commission.payerTtc
    due.set(payment.key, { reference, amount: paid, businessId, paymentKey: null })
    for (const { id, amount, returnedFees, status } of refunds) {
      const moved = { reference, amount: amount + returnedFees.payerTtc, businessId, paymentKey: payment.key }
      if (status === 'SUCCEEDED') due.set(id, moved)
    }
  }
  return due
}

export const ofMoney = {
  'refund.bounded': refundBounded,
  'ledger.exact': ledgerExact,
  'wallet.balances': walletBalances,
  'provider.balances': providerBalances,
}
