import type { Check } from './check.ts'
import type { MovementDocument, WalletDocument } from './documents.ts'
import { groupsOf, sumOf } from './groups.ts'

/** Every business has demo wallets with plenty of money, and one without any (docs/merchants/testing.md). */
const plenty = 9_000_000_000_000_000
const emptyDemo = '22000003'
type Amounts = Pick<MovementDocument, 'kind' | 'amount' | 'fee'>
const totalOf = ({ amount, fee }: Amounts): number => (amount ?? 0) + (fee ?? 0)
const changeBy = (movement: Amounts): number => (movement.kind === 'refund' ? 1 : -1) * totalOf(movement)
const done = (movements: MovementDocument[]) => movements.filter(({ result }) => result.outcome === 'done')

export const walletMovements: Check = function* ({ intents, walletmovements }, { isCleaned }) {
  const ledger = new Map(done(walletmovements).map((movement) => [movement._id, movement]))
  const known = new Set<string>()
  for (const { referenceNumber, payment, refunds, hold, cleanedAt } of intents) {
    for (const { id } of [...refunds, ...(hold ? [hold] : [])]) known.add(id)
    if (payment) known.add(payment.key)
    if (payment?.wallet !== 'sandbox' || cleanedAt !== undefined) continue
    const { key, amountPaid, commission } = payment
    const due: [id: string, amount: number][] = [
      [key, amountPaid + commission.payerTtc],
      ...refunds.flatMap(({ id, amount, returnedFees, status }): typeof due =>
        status === 'SUCCEEDED' ? [[id, amount + returnedFees.payerTtc]] : [],
      ),
    ]
    for (const [id, amount] of due) {
      const moved = ledger.get(id)
      if (moved === undefined || totalOf(moved) !== amount)
        yield [
          referenceNumber,
          `moved ${amount} as ${id}, but the wallet ${moved ? totalOf(moved) : 'nothing'}`,
        ]
    }
  }
  for (const [key, { forgetAt }] of ledger)
    if (forgetAt !== undefined) yield [key, 'moved money, and will be forgotten']
  for (const [key, { kind, amount }] of isCleaned ? [] : ledger)
    if (!known.has(key)) yield [key, `is a ${kind} of ${amount}, and of no intent`]
}

const maskOf = (phone: string): string => `${phone.slice(0, 2)} ** ** ${phone.slice(-2)}`

/** The audit trail has the initial balances of wallets that operators created. */
export const walletBalances: Check = function* ({ wallets, walletmovements, auditevents }, { isCleaned }) {
  for (const { _id, balance } of wallets) if (balance < 0) yield [_id, `has ${balance}`]
  // The clean-up removes movements of old payments, and leaves the wallets as they are.
  if (isCleaned) return
  const byAccount = groupsOf(done(walletmovements), ({ accountId }) => accountId)
  const openingOf = ({ _id, balance }: WalletDocument): number =>
    balance - sumOf(byAccount.get(_id) ?? [], changeBy)
  const created = groupsOf(
    auditevents.filter(({ act }) => act === 'wallet.created'),
    ({ subject }) => subject,
  )
  const byMask = groupsOf(
    wallets.filter(({ businessId }) => businessId === null),
    ({ phone }) => maskOf(phone),
  )
  const expected: [WalletDocument[], number][] = [
    ...wallets
      .filter(({ businessId }) => businessId !== null)
      .map((wallet): [WalletDocument[], number] => [[wallet], wallet.phone === emptyDemo ? 0 : plenty]),
    ...[...byMask].map(([mask, own]): [WalletDocument[], number] => [
      own,
      sumOf(created.get(mask) ?? [], ({ after }) => after?.balance ?? 0),
    ]),
  ]
  for (const [own, opening] of expected) {
    const found = sumOf(own, openingOf)
    if (found !== opening)
      yield [
        own.map(({ _id }) => _id).join(),
        `began with ${found} by its movements, and with ${opening} by the trail`,
      ]
  }
}
