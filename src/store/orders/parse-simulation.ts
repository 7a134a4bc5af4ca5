import {
  type SimulatedItem,
  type SimulateOrderBody,
  simulateOrderBody,
} from '../../../schemas/simulate-order.ts'
import type { Deps } from '../../deps.ts'
import { readPhone } from '../../wallets/phone.ts'
import type { Customer } from './order.ts'

/** What somebody orders; null: one unit of whatever there is. */
export interface OrderRequest {
  items: SimulatedItem[] | null
  customer: Customer | null
}

/** Judges the body of a simulation as far as it can be without the products. */
export function parseSimulation(deps: Pick<Deps, 'validate'>, body: unknown): OrderRequest {
  const { items, customer } = deps.validate<SimulateOrderBody>(simulateOrderBody, body)
  return { items: items ?? null, customer: customerOf(customer ?? {}) }
}

/** Null for one of whom nothing is said. */
function customerOf({ name, phone, email }: NonNullable<SimulateOrderBody['customer']>): Customer | null {
  if (name === undefined && phone === undefined && email === undefined) return null
  return { name: name ?? null, phone: readPhone(phone ?? ''), email: email ?? null }
}
