import { type ChangeStockBody, changeStockBody } from '../../../schemas/change-stock.ts'
import type { Deps } from '../../deps.ts'

/** The new stock of a variant, or the amount by which to change the stock. Both are in units. */
export type StockChange = { stock: number } | { delta: number }

/**
 * Parses the body of a stock change. Throws VALIDATION_ERROR if a field is invalid, or if the body contains both
 * `stock` and `delta` or neither of them.
 */
export function parseStockChange(deps: Pick<Deps, 'validate'>, body: unknown): StockChange {
  const change = deps.validate<ChangeStockBody>(changeStockBody, body)
  return 'stock' in change ? { stock: change.stock } : { delta: change.delta }
}
