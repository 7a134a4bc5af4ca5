import { type SimulatedItem, type SimulateOrderBody, simulateOrderBody } from '../../../schemas/simulate-order.ts'
import type { Deps } from '../../deps.ts'
import { readPhone } from '../../wallets/phone.ts'
import type { Customer } from './order.ts'

export interface OrderRequest {
  /** The items to order. If this is null, the order is for one unit of any product that is in stock. */
  items: SimulatedItem[] | null
  customer: Customer | null
}

/**
 * Parses the body of a simulated order. Throws VALIDATION_ERROR if the body is invalid. Whether the products exist and
 * are in stock is checked later.
 */
export function parseSimulation(deps: Pick<Deps, 'validate'>, body: unknown): OrderRequest {
  const { items, customer } = deps.validate<SimulateOrderBody>(simulateOrderBody, body)
  return { items: items ?? null, customer: customerOf(customer ?? {}) }
}

/** Returns the customer details from the request, or null if the request contains none. */
function customerOf({ name, phone, email }: NonNullable<SimulateOrderBody['customer']>): Customer | null {
  if (name === undefined && phone === undefined && email === undefined) return null
  return { name: name ?? null, phone: readPhone(phone ?? ''), email: email ?? null }
}
