import { randomBytes } from 'node:crypto'
import { createWallet } from '../../src/wallets/sandbox/operate.ts'
import type { PaymentOrder, RefundOrder, Wallet } from '../../src/wallets/wallet.ts'
import { excuse } from '../invariants/expect-invariants.ts'
import { type Service, tester } from '../support/service.ts'

export const pin = '2580'
export const done = { outcome: 'done' } as const
export const notExecuted = { outcome: 'not-executed' } as const
export const wrongPin = { outcome: 'refused', reason: 'wrong_pin' } as const
export const locked = { outcome: 'refused', reason: 'wallet_locked' } as const
export const poor = { outcome: 'declined', reason: 'insufficient_funds' } as const
export const technical = { outcome: 'failed', reason: 'technical_error' } as const
const newKey = () => randomBytes(12).toString('hex')
const orderTimeoutMs = 60_000

export function customersOf(service: Service) {
  const wallet = service.deps.wallets.forPayments(true) as Wallet
  // Their orders belong to no intent.
  excuse([service.deps.mongo.name], 'wallet movements')
  let made = 0
  const order = (changes: Partial<PaymentOrder> & { phone: string }): PaymentOrder => ({
    key: newKey(),
    amount: 100,
    fee: 0,
    validUntil: new Date(service.clock.now().getTime() + orderTimeoutMs),
    businessId: 'a-business',
    referenceNumber: 'PI-TEST',
    pin,
    ...changes,
  })
  const accountOf = async (id: string) => {
    const account = await service.deps.WalletAccount.findById(id).lean()
    if (account === null) throw new Error(`no wallet ${id}`)
    return account
  }
  return {
    wallet,
    order,
    accountOf,
    balanceOf: async (id: string) => (await accountOf(id)).balance,
    pay: (changes: Partial<PaymentOrder> & { phone: string }) => wallet.authorise(order(changes)),
    refundOf: (paymentKey: string, amount: number, fee = 0): RefundOrder => ({
      businessId: 'b1',
      key: newKey(),
      amount,
      fee,
      paymentKey,
      validUntil: new Date(service.clock.now().getTime() + orderTimeoutMs),
    }),
    queryStatus: (kind: 'payment' | 'refund', key: string) =>
      wallet.status({ kind, businessId: 'b1', key, amount: 100, fee: 0, validUntil: service.clock.now() }),
    /** The balance is in centimes. Returns the phone number. */
    async customer(balance: number): Promise<string> {
      made += 1
      const phone = String(33_000_000 + made)
      if ((await createWallet(service.deps, { phone, pin, balance }, tester)) === null) throw new Error(phone)
      return phone
    },
  }
}
