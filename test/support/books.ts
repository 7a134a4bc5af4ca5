import { expect } from 'chai'
import type { Intent } from '../../src/intents/intent.ts'
import { finishMovements } from '../../src/wallets/sandbox/finish.ts'
import type { Service } from './service.ts'

/**
 * Expects the wallets to have lost exactly what the intents gained minus refunds, in total and per movement. `opening`:
 * the sum of all balances before.
 */
export async function expectBalanced(service: Service, opening: number) {
  const now = () => new Date(service.clock.now().getTime() + 3_600_000)
  await finishMovements({ ...service.deps, now })
  const [intents, accounts, movements] = await Promise.all([
    service.deps.Intent.find({ 'payment.wallet': 'sandbox' }).lean<Intent[]>(),
    service.deps.WalletAccount.find({}, { balance: 1, current: 1 }).lean(),
    service.deps.WalletMovement.find({ 'result.outcome': 'done' }).lean(),
  ])
  const known = intents.flatMap(({ payment, refunds }) => [
    `${payment?.key}: ${payment?.amountPaid} + ${payment?.commission.payerTtc}`,
    ...refunds.map(({ id, amount, returnedFees }) => `${id}: ${amount} + ${returnedFees.payerTtc}`),
  ])
  const moved = movements.map(({ _id, amount, fee }) => `${_id}: ${amount} + ${fee}`)
  expect(moved.toSorted()).to.deep.equal(known.toSorted())
  const gained = sum(intents.map(({ payment }) => payment?.amountPaid ?? 0))
  const refunded = sum(intents.flatMap(({ refunds }) => refunds.map(({ amount }) => amount)))
  expect(sum(intents.map(({ refundsCommitted }) => refundsCommitted))).to.equal(refunded)
  const fees = sum(intents.map(({ payment }) => payment?.commission.payerTtc ?? 0))
  const returned = sum(
    intents.flatMap(({ refunds }) => refunds.map(({ returnedFees }) => returnedFees.payerTtc)),
  )
  expect(sum(intents.map(({ feesReturned }) => feesReturned.payerTtc))).to.equal(returned)
  const lost = opening - sum(accounts.map((account) => account.balance))
  expect(lost).to.equal(gained + fees - refunded - returned)
  expect(accounts.filter((account) => account.balance < 0 || account.current !== null)).to.deep.equal([])
  for (const { payment, refundsCommitted } of intents)
    expect(refundsCommitted).to.be.within(0, payment?.amountPaid ?? 0)
  return { gained, refunded }
}

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0)
