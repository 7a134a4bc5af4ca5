/** A payment or refund order, as parsed from a request. */
export interface Order {
  key: string
  amount: number
  validUntil: string
  phone?: string
  pin?: string
  reference?: string
  paymentKey?: string
}

export type Kind = 'payment' | 'refund'

export interface ProviderResponse {
  status: number
  body: Record<string, unknown>
}

/** A movement of money in centimes, negative for a payment. `reference` is that of the payment. */
export interface Movement {
  key: string
  reference: string
  amount: number
}

/** The only customer, with their balance. */
export const payer = { phone: '36123456', pin: '4711', balance: 1_000_000 }

/** The books of a provider. Each key is executed at most once, and never after `validUntil`. */
export function openBooks() {
  const movements: Movement[] = []
  const wallets = new Map([[payer.phone, { pin: payer.pin, balance: payer.balance }]])
  const responses = {
    payment: new Map<string, ProviderResponse>(),
    refund: new Map<string, ProviderResponse>(),
  }
  const paid = new Map<string, Order>()

  function pay(order: Order): object {
    const { key, amount, phone = '', pin, reference = '' } = order
    const wallet = wallets.get(phone)
    if (wallet === undefined || wallet.pin !== pin) return { status: 'refused', reason: 'wrong_pin' }
    if (wallet.balance < amount) return { status: 'declined', reason: 'insufficient_funds' }
    wallet.balance -= amount
    movements.push({ key, reference, amount: -amount })
    paid.set(key, order)
    return { status: 'succeeded' }
  }

  function giveBack({ key, amount, paymentKey = '' }: Order): object {
    const { phone = '', reference = '' } = paid.get(paymentKey) ?? {}
    const wallet = wallets.get(phone)
    if (wallet === undefined) return { status: 'failed', reason: 'wallet_closed' }
    wallet.balance += amount
    movements.push({ key, reference, amount })
    return { status: 'succeeded' }
  }

  return {
    movements,
    wallets,

    execute(kind: Kind, order: Order, now: Date): ProviderResponse {
      const first = responses[kind].get(order.key)
      if (first !== undefined) return first
      if (now > new Date(order.validUntil))
        return { status: 410, body: { key: order.key, status: 'expired' } }
      const { key, amount } = order
      const result = kind === 'payment' ? pay(order) : giveBack(order)
      const response = { status: 200, body: { key, amount, ...result } }
      responses[kind].set(key, response)
      return response
    },

    statusOf: (kind: Kind, key: string): ProviderResponse =>
      responses[kind].get(key) ?? { status: 404, body: { key, status: 'unknown' } },
  }
}
