import {
  type SimulatedItem,
  type SimulateOrderBody,
  simulateOrderBody,
} from '../../../schemas/simulate-order.ts'
import type { Deps } from '../../deps.ts'
import { readPhone } from '../../wallets/phone.ts'
import type { Customer } from './order.ts'

export interface OrderRequest {
  /** If null, the order is for one unit of any product that is in stock. */
  items: SimulatedItem[] | null
  customer: Customer | null
}

/** Parses the body of a simulated order. Throws VALIDATION_ERROR. The products themselves are checked later. */
export function parseSimulation(deps: Pick<Deps, 'validate'>, body: unknown): OrderRequest {
  const { items, customer } = deps.validate<SimulateOrderBody>(simulateOrderBody, body)
  return { items: items ?? null, customer: customerOf(customer ?? {}) }
}

/** Returns null if the request contains no customer details. */
function customerOf({ name, phone, email }: NonNullable<SimulateOrderBody['customer']>): Customer | null {
  if (name === undefined && phone === undefined && email === undefined) return null
  return { name: name ?? null, phone: readPhone(phone ?? ''), email: email ?? null }
}
