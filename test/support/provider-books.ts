import { createHmac } from 'node:crypto'

export interface Order {
  key: string
  amount: number
  fee: number
  validUntil: string
  businessId?: string
  phone?: string
  pin?: string
  reference?: string
  paymentKey?: string
}

export type Kind = 'payment' | 'refund'
type Result = { status: 'succeeded' | 'declined' | 'failed' | 'refused'; reason?: string }
type Decision = Result & { amount: number; fee: number }
type ProviderWallet = { pin: string; balance: number }

/** In centimes, negative for a payment. `reference` names the payment, even for a refund. */
type Movement = { key: string; reference: string; amount: number; fee: number }
export const payer = { phone: '36123456', pin: '4711', balance: 1_000_000 }

/** Decides each key once, and never after `validUntil`. */
export function openBooks(
  wallets: Map<string, ProviderWallet>,
  isRefundRefused = (_amount: number) => false,
) {
  const movements: Movement[] = []
  const decisions = { payment: new Map<string, Decision>(), refund: new Map<string, Decision>() }
  const paid = new Map<string, Order>()
  function pay(order: Order): Result {
    const { key, amount, fee, phone = '', pin, reference = '' } = order
    const total = amount + fee
    const wallet = wallets.get(phone)
    if (wallet === undefined || wallet.pin !== pin) return { status: 'refused', reason: 'wrong_pin' }
    if (wallet.balance < total) return { status: 'declined', reason: 'insufficient_funds' }
    wallet.balance -= total
    movements.push({ key, reference, amount: -amount, fee: -fee })
    paid.set(key, order)
    return { status: 'succeeded' }
  }
  function giveBack({ key, amount, fee, paymentKey = '' }: Order): Result {
    const { phone = '', reference = '' } = paid.get(paymentKey) ?? {}
    const wallet = wallets.get(phone)
    if (wallet === undefined || isRefundRefused(amount)) return { status: 'failed', reason: 'wallet_closed' }
    wallet.balance += amount + fee
    movements.push({ key, reference, amount, fee })
    return { status: 'succeeded' }
  }
  return {
    movements,
    find: (kind: Kind, key: string): Decision | null => decisions[kind].get(key) ?? null,
    decide(kind: Kind, order: Order, now: number): Decision | null {
      const first = decisions[kind].get(order.key)
      if (first !== undefined) return first
      if (now > Date.parse(order.validUntil)) return null
      const { amount, fee } = order
      const decision = { amount, fee, ...(kind === 'payment' ? pay(order) : giveBack(order)) }
      decisions[kind].set(order.key, decision)
      return decision
    },
  }
}

interface Signed {
  headers: { [name: string]: string | string[] | undefined }
  method?: string | undefined
  path: string
  body: string
}

export function signatureOf(key: string, { headers, method, path, body }: Signed): string {
  const timestamp = String(headers['x-wallet-timestamp'])
  const hmac = createHmac('sha256', key).update(`${timestamp}\n${method}\n${path}\n${body}`)
  return `sha256=${hmac.digest('hex')}`
}
