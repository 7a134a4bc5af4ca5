/** An order as the provider reads it from its body. */
export interface Order {
  key: string
  amount: number
  validUntil: string
  businessId?: string
  phone?: string
  pin?: string
  reference?: string
  paymentKey?: string
}

export type Kind = 'payment' | 'refund'

export interface Decision {
  status: 'succeeded' | 'declined' | 'failed' | 'refused'
  reason?: string
}

export interface Wallet {
  phone: string
  pin: string
  balance: number
}

/** One that is asked for an amount like this to give back fails: 2 of 100. */
export const isRefundOutOfOrder = (amount: number): boolean => amount % 50 === 13

/** The provider's books: each key is decided once, none after its time. */
export function openBooks(wallets: Map<string, Wallet>) {
  const decisions = { payment: new Map<string, Decision>(), refund: new Map<string, Decision>() }
  const paid = new Map<string, { phone: string; left: number }>()

  function pay({ key, amount, phone = '', pin }: Order): Decision {
    const wallet = wallets.get(phone)
    if (wallet === undefined || wallet.pin !== pin) return { status: 'refused', reason: 'wrong_pin' }
    if (wallet.balance < amount) return { status: 'declined', reason: 'insufficient_funds' }
    wallet.balance -= amount
    paid.set(key, { phone, left: amount })
    return { status: 'succeeded' }
  }

  function giveBack({ amount, paymentKey = '' }: Order): Decision {
    const payment = paid.get(paymentKey)
    const wallet = wallets.get(payment?.phone ?? '')
    const isGood = payment !== undefined && payment.left >= amount && !isRefundOutOfOrder(amount)
    if (wallet === undefined || !isGood) return { status: 'failed', reason: 'technical_error' }
    payment.left -= amount
    wallet.balance += amount
    return { status: 'succeeded' }
  }

  return {
    find: (kind: Kind, key: string): Decision | null => decisions[kind].get(key) ?? null,

    /** Null for an order that comes after its time. */
    decide(kind: Kind, order: Order, now: number): Decision | null {
      const before = decisions[kind].get(order.key)
      if (before !== undefined) return before
      if (now > Date.parse(order.validUntil)) return null
      const decision = kind === 'payment' ? pay(order) : giveBack(order)
      decisions[kind].set(order.key, decision)
      return decision
    },
  }
}
